"""Makes the nodes and links of a lab in its project."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from pytest_netbench.backends.gns3.kinds import Kind, template_of
from pytest_netbench.backends.gns3.links import filters_of
from pytest_netbench.backends.gns3.ports import Port, port_of
from pytest_netbench.backends.gns3.projects import Project
from pytest_netbench.backends.gns3.server import Server
from pytest_netbench.errors import LabError, RequirementMissing
from pytest_netbench.lab.request import LabRequest
from pytest_netbench.model.topology import Link, LinkQuality

SWITCH = "ethernet_switch"
"""The type of the template whose nodes are the LANs of a topology."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,30}")
_STEP = 150
_COLUMNS = 6


@dataclass(frozen=True, kw_only=True)
class Site:
    """What was made of a topology.

    Attributes:
        server: Where.
        project: In which project.
        nodes: By node: as the server shows it.
        cables: By node and interface: the number of its link. In a LAN each end has one of its own.
        qualities: By number of a link.
    """

    server: Server
    project: Project
    nodes: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    cables: dict[tuple[str, str], str] = field(default_factory=dict)
    qualities: dict[str, LinkQuality] = field(default_factory=dict)


def build(server: Server, project: Project, request: LabRequest, kinds: Mapping[str, Kind]) -> Site:
    """Make all nodes and links; nothing is started.

    Raises:
        LabError: The server does not make one, or a node has no port for an interface.
        RequirementMissing: A template is missing.
    """
    site = Site(server=server, project=project)
    templates = server.get("/templates")
    names = dict(_names(request))
    for number, (node, dialect) in enumerate(request.dialects.items()):
        kind = kinds[dialect]
        made = _made(site, template_of(kind.template, templates), names[node], number)
        if kind.properties:
            properties = {"properties": {**made.get("properties", {}), **kind.properties}}
            made = server.put(f"{project.path}/nodes/{made['node_id']}", properties)
        config = request.startup_configs.get(node)
        if kind.startup_file is not None and config is not None:
            server.write(_file(project, made, kind.startup_file), config)
        site.nodes[node] = made
    for number, link in enumerate(request.topology.links):
        if len(link.endpoints) == 2:
            _connect(site, link)
        else:
            _plug_in(site, link, _switch(site, templates, number, len(link.endpoints)))
    return site


def _names(request: LabRequest) -> Iterator[tuple[str, str]]:
    """By node of the task: its name on the server, the same if every kind of node takes it."""
    for number, node in enumerate(request.dialects):
        yield node, node if _NAME.fullmatch(node) else f"node-{number}"


def _made(site: Site, template: Mapping[str, Any], name: str, number: int) -> Mapping[str, Any]:
    server, project = site.server, site.project
    asked = {
        "x": (number % _COLUMNS) * _STEP,
        "y": (number // _COLUMNS) * _STEP,
        "compute_id": template.get("compute_id") or server.compute(),
    }
    made = server.post(f"{project.path}/templates/{template['template_id']}", asked)
    if not isinstance(made, dict) or "node_id" not in made:
        raise LabError(
            f"{server.place.url}: GNS3 {server.release} does not say which node it made: take a newer release"
        )
    found: Mapping[str, Any] = server.put(f"{project.path}/nodes/{made['node_id']}", {"name": name})
    return found


def _file(project: Project, node: Mapping[str, Any], name: str) -> str:
    place = name.format_map({key: value for key, value in node.get("properties", {}).items() if value is not None})
    return f"{project.path}/nodes/{node['node_id']}/files/{quote(place)}"


def _connect(site: Site, link: Link) -> None:
    ends = [(site.nodes[end.node], port_of(site.nodes[end.node], end.interface)) for end in link.endpoints]
    cable = _cable(site, ends, link.quality)
    site.cables.update({(end.node, end.interface): cable for end in link.endpoints})


def _plug_in(site: Site, link: Link, switch: Mapping[str, Any]) -> None:
    for number, end in enumerate(link.endpoints):
        node = site.nodes[end.node]
        ends = [(node, port_of(node, end.interface)), (switch, Port(0, number))]
        site.cables[end.node, end.interface] = _cable(site, ends, link.quality)


def _cable(site: Site, ends: Sequence[tuple[Mapping[str, Any], Port]], quality: LinkQuality) -> str:
    asked = {
        "nodes": [
            {"node_id": node["node_id"], "adapter_number": port.adapter, "port_number": port.number}
            for node, port in ends
        ],
        "filters": filters_of(quality),
    }
    cable = str(site.server.post(f"{site.project.path}/links", asked)["link_id"])
    site.qualities[cable] = quality
    return cable


def _switch(site: Site, templates: Sequence[Mapping[str, Any]], number: int, ports: int) -> Mapping[str, Any]:
    found = [one for one in templates if one.get("template_type") == SWITCH]
    if not found:
        raise RequirementMissing("the GNS3 server has no template of an Ethernet switch, which LANs need")
    name = f"netbench-lan-{number}"
    made = _made(site, found[0], name, len(site.nodes) + number)
    try:
        if ports > len(made.get("ports") or ()):
            mapping = [
                {"name": f"Ethernet{port}", "port_number": port, "type": "access", "vlan": 1} for port in range(ports)
            ]
            made = site.server.put(
                f"{site.project.path}/nodes/{made['node_id']}", {"properties": {"ports_mapping": mapping}}
            )
    except LabError as error:
        raise LabError(f"a LAN of {ports} ends cannot be made: {error}") from None
    return made
