"""Finds a project that exists: its nodes, what they are, and the cables between them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from pytest_netbench.backends.gns3 import projects
from pytest_netbench.backends.gns3.kinds import Kind
from pytest_netbench.backends.gns3.ports import Port, port_of, ports_of
from pytest_netbench.backends.gns3.projects import Project
from pytest_netbench.backends.gns3.server import Server
from pytest_netbench.errors import LabError, UsageError
from pytest_netbench.lab.attaching.site import Cable, Device, Site
from pytest_netbench.lab.request import LabRequest
from pytest_netbench.model.topology import Endpoint
from pytest_netbench.taskfile.clab import joined

_SWITCHES: Final = ("ethernet_switch", "ethernet_hub")
_OPENED: Final = "opened"
_STARTED: Final = "started"
_FRR: Final = "frr"
_VPCS: Final = Kind(template="VPCS", driver="vpcs", console="vpcs", boot_s=30)
"""What a VPCS is, whatever template it was made from."""


class Known(NamedTuple):
    """A node of a project that can stand for one of a task.

    Attributes:
        shown: It, as the server shows it.
        dialect: Of its configuration.
        kind: What it is.
    """

    shown: Mapping[str, Any]
    dialect: str
    kind: Kind

    @property
    def id(self) -> str:
        """Its number on the server."""
        return str(self.shown["node_id"])

    @property
    def runs(self) -> bool:
        """Whether it is started."""
        return bool(self.shown.get("status") == _STARTED)


@dataclass(frozen=True, kw_only=True)
class Found:
    """A project that exists.

    Attributes:
        project: Its name and number.
        nodes: By name: those that can stand for nodes of a task.
        site: The same as devices, with the cables between them.
        others: The nodes that cannot, and why, in phrases.
        links: By number of a node, and port: the number of the link that ends there.
    """

    project: Project
    nodes: Mapping[str, Known]
    site: Site
    others: tuple[str, ...] = ()
    links: Mapping[tuple[str, Port], str] = field(default_factory=dict)

    def beyond(self) -> str:
        """What of it cannot stand for nodes of tasks, and why; empty if nothing."""
        return f"; not used: {', '.join(self.others)}" if self.others else ""


def names(server: Server) -> list[str]:
    """The names of the projects that are open, without those that this project has made."""
    return sorted(
        str(one["name"])
        for one in server.get("/projects")
        if one.get("status") == _OPENED and not projects.is_ours(one)
    )


def find(server: Server, asked: str, request: LabRequest, table: Mapping[str, Kind]) -> Found:
    """Find a project by its name or number.

    Args:
        server: Where.
        asked: Its name or number.
        request: For which task.
        table: The table of kinds.

    Raises:
        UsageError: There is no such project, or this project has made it.
        LabError: It is closed.
    """
    there = server.get("/projects")
    chosen = [one for one in there if asked in (one["project_id"], one["name"])]
    if not chosen:
        others = ", ".join(names(server)) or "none"
        raise UsageError(f"{server.place.url} has no project {asked!r} (open there: {others})")
    if projects.is_ours(chosen[0]):
        raise UsageError(f"project {asked!r} was made by pytest-netbench: it is not attached to")
    project = Project(str(chosen[0]["name"]), str(chosen[0]["project_id"]))
    require_open(chosen[0])
    shown = {str(one["node_id"]): one for one in server.get(f"{project.path}/nodes")}
    links = server.get(f"{project.path}/links")
    known = known_nodes(server, shown, table)
    interfaces = {id_: dict(_interfaces(one, request)) for id_, one in known.items()}
    devices = {
        str(one.shown["name"]): Device(
            name=str(one.shown["name"]), dialect=one.dialect, interfaces=tuple(interfaces[id_].values())
        )
        for id_, one in known.items()
    }
    return Found(
        project=project,
        nodes={str(one.shown["name"]): one for one in known.values()},
        site=Site(
            devices=devices,
            cables=tuple(_cables(links, shown, interfaces, devices)),
            called=f"project {project.name}",
            naming="the name `{node}` of one of these nodes in GNS3",
        ),
        others=tuple(
            f"{one['name']} ({_why_not(one)})"
            for id_, one in shown.items()
            if id_ not in known and one["node_type"] not in _SWITCHES
        ),
        links={
            (str(end["node_id"]), Port(int(end["adapter_number"]), int(end["port_number"]))): str(link["link_id"])
            for link in links
            for end in link["nodes"]
        },
    )


def require_open(shown: Mapping[str, Any]) -> None:
    """Refuse a project that is closed.

    Raises:
        LabError: It is.
    """
    if shown.get("status") != _OPENED:
        raise LabError(f"project {shown['name']} is closed (fix: open it in GNS3, and start its nodes)")


def known_nodes(server: Server, shown: Mapping[str, Mapping[str, Any]], table: Mapping[str, Kind]) -> dict[str, Known]:
    """By number: the nodes whose template stands for a dialect in the table of kinds, and each VPCS.

    Routers with FRR are left out: nobody knows their daemons.
    """
    templates = {str(one["template_id"]): str(one["name"]).casefold() for one in server.get("/templates")}
    found = {}
    for id_, one in shown.items():
        name = templates.get(str(one.get("template_id")))
        if one["node_type"] == "vpcs":
            found[id_] = Known(one, "linux", _VPCS)
        elif (dialect := _dialect(name, table)) is not None:
            found[id_] = Known(one, dialect, table[dialect])
    return found


def _dialect(template: str | None, table: Mapping[str, Kind]) -> str | None:
    fitting = (name for name, kind in table.items() if name != _FRR and kind.template.casefold() == template)
    return next(fitting, None)


def _why_not(shown: Mapping[str, Any]) -> str:
    return f"{shown['node_type']}: no template that stands for a dialect"


def _interfaces(known: Known, request: LabRequest) -> Iterator[tuple[Port, str]]:
    """By port: what a task calls the interface. A node of the task's name has the task's names."""
    name = str(known.shown["name"])
    if known.dialect == "linux":
        named = {port: f"eth{number}" for number, port in enumerate(ports_of(known.shown))}
    else:
        named = {
            Port(int(one["adapter_number"]), int(one["port_number"])): str(one["name"]) for one in known.shown["ports"]
        }
    if request.dialects.get(name) == known.dialect and known.kind.console != "shell":
        for interface in request.topology.interfaces(name):
            try:
                named[port_of(known.shown, interface)] = interface
            except LabError:
                continue  # the match says that there is none
    yield from named.items()


def _cables(
    links: Any,
    shown: Mapping[str, Mapping[str, Any]],
    interfaces: Mapping[str, Mapping[Port, str]],
    devices: Mapping[str, Device],
) -> Iterator[Cable]:
    """The cables, and one LAN for each VLAN of a switch, that have devices at all ends."""
    switches: set[str] = set()
    found = []
    for link in links:
        ends = []
        for end in link["nodes"]:
            node, port = shown[str(end["node_id"])], Port(int(end["adapter_number"]), int(end["port_number"]))
            if node["node_type"] in _SWITCHES:
                switches.add(lan := _lan(node, port))
                ends.append(Endpoint(node=lan, interface=str(port.number)))
            else:
                interface = interfaces.get(str(end["node_id"]), {}).get(port, str(port.number))
                ends.append(Endpoint(node=str(node["name"]), interface=interface))
        found.append(tuple(ends))
    for joint in joined(found, switches):
        if all(end.node in devices for end in joint):
            yield Cable(joint)


def _lan(switch: Mapping[str, Any], port: Port) -> str:
    """The name of what a port of a switch belongs to; no node has one."""
    mapping = (switch.get("properties") or {}).get("ports_mapping") or ()
    own: Mapping[str, Any] = next((one for one in mapping if one.get("port_number") == port.number), {})
    if own.get("type", "access") != "access":
        return f"{switch['node_id']} port {port.number}"
    return f"{switch['node_id']} vlan {own.get('vlan', 1)}"
