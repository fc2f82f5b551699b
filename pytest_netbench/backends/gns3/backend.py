"""The backend that deploys labs on a GNS3 server."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from pytest_netbench import parts
from pytest_netbench.backends.gns3 import kinds, projects, serving
from pytest_netbench.backends.gns3.attached import deploying, project, restoring
from pytest_netbench.backends.gns3.attached.lab import AttachedLab
from pytest_netbench.backends.gns3.kinds import Kind
from pytest_netbench.backends.gns3.lab import Gns3Lab
from pytest_netbench.backends.gns3.links import lack_of
from pytest_netbench.backends.gns3.nodes import node_of
from pytest_netbench.backends.gns3.server import Place, Server, Unreachable
from pytest_netbench.backends.gns3.topology import SWITCH, Site, build
from pytest_netbench.backends.gns3.turns import turn
from pytest_netbench.errors import LabError, RequirementMissing
from pytest_netbench.lab.capabilities import LINKS, NODES, PROBES, unmet
from pytest_netbench.lab.deployment import bring_up
from pytest_netbench.lab.protocols import Cleaned
from pytest_netbench.lab.report import Check
from pytest_netbench.lab.request import LabRequest
from pytest_netbench.platforms.capabilities import CLI, HOSTED
from pytest_netbench.platforms.vpcs.settings import beyond

_OWNER = "backend gns3"
CAPABILITIES = (*HOSTED, CLI.name, PROBES.name, LINKS.name, NODES.name)
"""What its labs and nodes offer; probes, if a host is a VPCS or runs Linux."""
_START = "start one by `netbench gns3 serve`, or name one in NETBENCH_GNS3"


class Gns3Backend:
    """Deploys labs on a GNS3 server, which the environment names."""

    name = "gns3"
    capabilities = CAPABILITIES

    def report(self) -> list[Check]:
        place = Place.of_environment()
        try:
            server = Server(place)
            templates = server.get("/templates")
            server.compute()
        except LabError as error:
            return [Check("server", False, True, str(error), _remedy(error)), *_capabilities()]
        except RequirementMissing as error:
            return [Check("compute", False, True, error.lack, error.remedy), *_capabilities()]
        return [
            Check("server", True, True, f"GNS3 {server.release} at {place.url}, compute {place.compute}"),
            *(_template(dialect, kind, templates) for dialect, kind in kinds.table().items()),
            *_capabilities(),
        ]

    def running(self) -> list[str]:
        server = _server_if_any()
        return [] if server is None else project.names(server)

    def lacks(self, request: LabRequest) -> tuple[str, str | None] | None:
        if request.lab is not None:
            return _beyond(request) or _lack_of_project(request)
        table = kinds.table()
        if (lack := _lack(request, table)) is not None:
            return lack
        try:
            server = Server(Place.of_environment())
            server.compute()
            templates = server.get("/templates")
            for dialect in dict.fromkeys(request.dialects.values()):
                kinds.template_of(table[dialect].template, templates)
                table[dialect].credentials()
        except LabError as error:
            return f"{_OWNER} cannot run here: {error}", _remedy(error)
        except RequirementMissing as error:
            return error.lack, error.remedy
        if any(len(link.endpoints) != 2 for link in request.topology.links) and not any(
            one.get("template_type") == SWITCH for one in templates
        ):
            return "the GNS3 server has no template of an Ethernet switch, which LANs need", None
        return None

    def clean(self) -> Cleaned:
        server = _server_if_any()
        restored = restoring.clean(server)
        return restored if server is None else _sum(restored, _cleaned(server))

    def remove_kept(self) -> Cleaned:
        server = _server_if_any()
        if server is None:
            return Cleaned()
        restored = restoring.remove_kept(server)
        removed = list(projects.kept(server))
        for one in removed:
            projects.remove(server, one)
        return _sum(restored, Cleaned(tuple(one.name for one in removed)))

    def serve(self, *, port: int, release: str | None, kvm: bool, say: Callable[[str], None]) -> None:
        serving.serve(port=port, release=release or serving.RELEASE, kvm=kvm, say=say)

    def deploy(self, request: LabRequest) -> Gns3Lab | AttachedLab:
        began = time.monotonic()
        server = Server(Place.of_environment())
        if request.lab is not None:
            return deploying.deploy(server, request)
        table = kinds.table()
        if (lack := _lack(request, table)) is not None:
            raise RequirementMissing(*lack)
        drivers = _drivers(request.dialects, table)
        with contextlib.suppress(LabError):  # the lab of somebody else: `netbench clean` tells
            _cleaned(server)
        made = projects.create(server, request.name)
        try:
            with turn(server.place.url):
                lab = _lab(build(server, made, request, table), request, table, drivers)
                lab.start()
            lab.await_prompts()
        except Unreachable:
            raise  # it cannot be asked to remove anything either: the next run does
        except BaseException:
            with contextlib.suppress(LabError):  # why it could not be deployed is what counts
                projects.remove(server, made)
            raise
        lab.refused_startup_lines, lab.readiness = bring_up(lab, _typed(request, table))
        lab.deploy_s = time.monotonic() - began
        return lab


def _server_if_any() -> Server | None:
    """The server; ``None`` if none answers and nobody said that there is one."""
    place = Place.of_environment()
    try:
        return Server(place)
    except Unreachable:
        if place.named:
            raise
        return None


def _cleaned(server: Server) -> Cleaned:
    removed, left = [], []
    for one, owner in list(projects.owned(server)):
        lives = owner.lives()
        if lives is None:
            left.append(f"project {one.name}, which {owner} owns: whether that runs cannot be seen from here")
        elif not lives:
            projects.remove(server, one)
            removed.append(one.name)
    return Cleaned(tuple(removed), tuple(left))


def _sum(one: Cleaned, other: Cleaned) -> Cleaned:
    return Cleaned((*one.removed, *other.removed), (*one.left_alone, *other.left_alone))


def _lack_of_project(request: LabRequest) -> tuple[str, str | None] | None:
    """What a project that exists lacks."""
    try:
        return deploying.lacks(Server(Place.of_environment()), request, CAPABILITIES)
    except LabError as error:
        return f"{_OWNER} cannot run here: {error}", _remedy(error)


def _lab(site: Site, request: LabRequest, table: Mapping[str, Kind], drivers: Mapping[str, Any]) -> Gns3Lab:
    made = {
        name: node_of(
            name, site.nodes[name], table[dialect], dialect=dialect, topology=request.topology, server=site.server
        )
        for name, dialect in request.dialects.items()
    }
    return Gns3Lab(
        site=site,
        request=request,
        nodes={name: one.node for name, one in made.items()},
        consoles={name: one.console for name, one in made.items()},
        logins={name: one.login for name, one in made.items()},
        kinds={name: table[dialect] for name, dialect in request.dialects.items()},
        drivers={name: drivers[dialect] for name, dialect in request.dialects.items()},
    )


def _typed(request: LabRequest, table: Mapping[str, Kind]) -> LabRequest:
    """The request without the startup configs that nodes have loaded from a file."""
    return replace(
        request,
        startup_configs={
            node: config
            for node, config in request.startup_configs.items()
            if table[request.dialects[node]].startup_file is None
        },
    )


def _drivers(dialects: Mapping[str, str], table: Mapping[str, Kind]) -> dict[str, Any]:
    """The driver of each dialect.

    Raises:
        RequirementMissing: It requires what nodes of this backend do not offer.
    """
    drivers = {name: parts.load("drivers", table[name].driver)() for name in sorted(set(dialects.values()))}
    for driver in drivers.values():
        if (lack := unmet(driver.requires, CAPABILITIES, owner=_OWNER)) is not None:
            raise RequirementMissing(f"driver {driver.name} cannot be used here: {lack}")
    return drivers


def _lack(request: LabRequest, table: Mapping[str, Kind]) -> tuple[str, str | None] | None:
    """What of a network this backend cannot make, whatever the server."""
    for dialect in dict.fromkeys(request.dialects.values()):
        if dialect not in table:
            return (
                f"{_OWNER} has no template for {dialect} (known: {', '.join(table)})",
                f"add an entry {dialect!r} with a part 'gns3' to the file that {kinds.VARIABLE} names",
            )
    hosts = [node for node, dialect in request.dialects.items() if table[dialect].console == "vpcs"]
    sends = hosts or any(table[dialect].console == "shell" for dialect in request.dialects.values())
    offered = [one for one in CAPABILITIES if one != PROBES.name or sends]
    if (lack := unmet(request.requirements, offered, owner=_OWNER)) is not None:
        return lack, None
    for node in hosts:
        config = request.startup_configs.get(node, "")
        if (why := beyond(config, request.topology.interfaces(node))) is not None:
            template = "take another template for linux in the table of kinds"
            return f"{_OWNER} runs host {node} as a VPCS, which it cannot be: {why}", template
    return _beyond(request)


def _beyond(request: LabRequest) -> tuple[str, str | None] | None:
    for link in request.topology.links:
        if (lack := lack_of(link.quality)) is not None:
            return f"{_OWNER} cannot {lack}: {str(link)!r}", None
        if len(link.endpoints) > 2 and not link.quality.is_plain:
            return f"{_OWNER} makes LANs without delay, loss or a limited rate only: {str(link)!r}", None
    for node in request.topology.nodes:
        if node.services:
            return f"{_OWNER} runs no servers, and {node.name} has {node.services[0].kind}", None
        if node.role == "switch":
            return f"{_OWNER} has no switches, and {node.name} is one", None
    return None


def _remedy(error: LabError) -> str | None:
    return _START if isinstance(error, Unreachable) else None


def _template(dialect: str, kind: Kind, templates: Any) -> Check:
    try:
        kinds.template_of(kind.template, templates)
    except RequirementMissing as error:
        return Check(f"dialect {dialect}", False, False, error.lack, error.remedy)
    return Check(f"dialect {dialect}", True, False, f"template {kind.template!r}, driver {kind.driver}")


def _capabilities() -> list[Check]:
    return [Check("capabilities", ok=True, required=False, detail=", ".join(CAPABILITIES))]
