"""The backend that deploys labs with containerlab."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import shutil
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from pytest_netbench import parts
from pytest_netbench.backends.containerlab import commands, kinds, leftovers, networks, programs
from pytest_netbench.backends.containerlab.attached import deploying, running
from pytest_netbench.backends.containerlab.attached.lab import AttachedLab
from pytest_netbench.backends.containerlab.kinds import Kind
from pytest_netbench.backends.containerlab.lab import ContainerLab
from pytest_netbench.backends.containerlab.node import ContainerNode
from pytest_netbench.backends.containerlab.programs import Place
from pytest_netbench.backends.containerlab.topology import PANEL, bridges, container, node_names, ports, topology_file
from pytest_netbench.errors import LabError, RequirementMissing
from pytest_netbench.kernel.processes import started
from pytest_netbench.lab.capabilities import LINKS, NODES, PROBES, unmet
from pytest_netbench.lab.deployment import bring_up
from pytest_netbench.lab.protocols import Cleaned
from pytest_netbench.lab.report import Check
from pytest_netbench.lab.request import LabRequest
from pytest_netbench.platforms.capabilities import HOSTED
from pytest_netbench.platforms.driver import Boot

_OWNER = "backend containerlab"
CAPABILITIES = (*HOSTED, PROBES.name, LINKS.name, NODES.name)
"""What its labs and nodes offer."""
_BRIDGE_S = 30.0
_INSTALL = "https://containerlab.dev/install/"


class ContainerlabBackend:
    """Deploys labs of containers. Enters them as root."""

    name = "containerlab"
    capabilities = CAPABILITIES

    def report(self) -> list[Check]:
        return [
            *_checks(),
            *(
                Check(f"dialect {dialect}", ok=True, required=False, detail=f"kind {kind.kind}, image {kind.image}")
                for dialect, kind in kinds.table().items()
            ),
            Check("capabilities", ok=True, required=False, detail=", ".join(CAPABILITIES)),
        ]

    def running(self) -> list[str]:
        return running.names()

    def lacks(self, request: LabRequest) -> tuple[str, str | None] | None:
        if (lack := unmet(request.requirements, CAPABILITIES, owner=_OWNER)) is not None:
            return lack, None
        for check in _checks():
            if check.required and not check.ok:
                return f"{_OWNER} cannot run here: {check.name}: {check.detail}", check.remedy
        if request.lab is not None:
            return _beyond(request) or deploying.lacks(request)
        known = kinds.table()
        for dialect in dict.fromkeys(request.dialects.values()):
            if dialect not in known:
                return (
                    f"{_OWNER} has no kind of node for {dialect} (known: {', '.join(known)})",
                    f"add an entry {dialect!r} to the file that {kinds.VARIABLE} names",
                )
        return _beyond(request)

    def clean(self) -> Cleaned:
        restored = deploying.clean()
        folders = [*leftovers.abandoned()]
        for folder in folders:
            leftovers.remove(folder)
        return Cleaned(
            removed=(*restored.removed, *(folder.name for folder in folders)),
            left_alone=(
                *restored.left_alone,
                *(f"{folder} belongs to {owner}" for folder, owner in leftovers.foreign()),
            ),
        )

    def deploy(self, request: LabRequest) -> ContainerLab | AttachedLab:
        began = time.monotonic()
        if request.lab is not None:
            return deploying.deploy(request)
        with contextlib.suppress(LabError):  # the lab of somebody else: `netbench clean` tells
            self.clean()
        table = kinds.table()
        drivers = _drivers(request.dialects, table)
        folder = leftovers.new_folder(request.name)
        try:
            lab = _deployed(folder, request, table, drivers)
        except BaseException:
            # why it could not be deployed is what counts; `netbench clean` removes what is left
            with contextlib.suppress(LabError):
                leftovers.remove(folder)
            raise
        lab.refused_startup_lines, lab.readiness = bring_up(lab, request)
        lab.deploy_s = time.monotonic() - began
        return lab


def _deployed(folder: Path, request: LabRequest, table: Mapping[str, Kind], drivers: Mapping[str, Any]) -> ContainerLab:
    """Deploy the containers and links of a lab; nothing is configured yet."""
    file = folder / leftovers.TOPOLOGY
    file.write_text(yaml.safe_dump(topology_file(folder.name, request, table), sort_keys=False), encoding="utf-8")
    try:
        commands.containerlab("deploy", "--topo", str(file), "--format", "json")
    except commands.Failed as error:
        images = ", ".join(dict.fromkeys(table[dialect].image for dialect in request.dialects.values()))
        raise LabError(f"{error} (images: {images})") from None
    logs = folder / "logs"
    names = node_names(request)
    containers = {node: container(folder.name, name) for node, name in names.items()}
    places = _places(containers)
    memories: dict[str, dict[str, Any]] = {}
    with contextlib.ExitStack() as undone:
        nodes = {}
        for node, dialect in request.dialects.items():
            (logs / names[node]).mkdir(parents=True)
            nodes[node] = ContainerNode(
                place=places[node],
                name=node,
                platform=dialect,
                topology=request.topology,
                logs=logs / names[node],
                image_memory=memories.setdefault(table[dialect].image, {}),
            )
            undone.callback(nodes[node].close)
            networks.plug_in(places[node].pid, nodes[node].interfaces)
        lab = ContainerLab(
            folder=folder,
            request=request,
            nodes=nodes,
            panel=_panel(folder.name, request),
            drivers={node: drivers[dialect] for node, dialect in request.dialects.items()},
            images={dialect: table[dialect].image for dialect in request.dialects.values()},
        )
        undone.pop_all()
        return lab


def _panel(lab: str, request: LabRequest) -> Place | None:
    """Make the LANs of a lab; return the container that holds them."""
    plugged = ports(request.topology)
    if not plugged:
        return None
    place = _places({PANEL: container(lab, PANEL)})[PANEL]
    networks.plug_in(place.pid, tuple(plugged.values()))
    for command in bridges(request.topology):
        done = programs.run(programs.request(place, command, "trusted"), timeout_s=_BRIDGE_S)
        if done.returncode:
            raise LabError(f"a LAN cannot be made: {' '.join(command)}: {done.stderr.strip()}")
    return place


def _places(containers: Mapping[str, str]) -> dict[str, Place]:
    """By node: where its container runs.

    Raises:
        LabError: One does not run any more.
    """
    listed = json.loads(commands.engine("inspect", "--type", "container", *containers.values()))
    by_name = {one["Name"].lstrip("/"): one["State"] for one in listed}
    found = {}
    for node, name in containers.items():
        state = by_name[name]
        if not state["Running"]:
            said = commands.engine("logs", "--tail", "3", name).strip()
            raise LabError(f"{node}: its container has ended (exit status {state['ExitCode']}): {said or 'no output'}")
        found[node] = Place(name, state["Pid"], started(state["Pid"]))
    return found


def _drivers(dialects: Mapping[str, str], table: Mapping[str, Kind]) -> dict[str, Any]:
    """The driver of each dialect.

    Raises:
        RequirementMissing: It requires what nodes of this backend do not offer, or boots none.
    """
    drivers = {name: parts.load("drivers", table[name].driver)() for name in sorted(set(dialects.values()))}
    for driver in drivers.values():
        if (lack := unmet(driver.requires, CAPABILITIES, owner=_OWNER)) is not None:
            raise RequirementMissing(f"driver {driver.name} cannot be used here: {lack}")
        if not isinstance(driver, Boot):
            raise RequirementMissing(f"driver {driver.name} cannot be used here: it boots no nodes")
    return drivers


def _beyond(request: LabRequest) -> tuple[str, str | None] | None:
    """What of a network this backend cannot make."""
    topology = request.topology
    for link in topology.links:
        if not link.quality.is_plain:
            return f"{_OWNER} makes links without delay, loss or a limited rate only: {str(link)!r}", None
    for node in topology.nodes:
        if node.services:
            return f"{_OWNER} runs no servers, and {node.name} has {node.services[0].kind}", None
        if node.role == "switch":
            return f"{_OWNER} has no switches, and {node.name} is one", None
    return None


def _checks() -> list[Check]:
    root = os.geteuid() == 0
    found = [Check("root", root, True, "root" if root else "an ordinary user", "run as root: containers are entered")]
    program = shutil.which("containerlab")
    if program is None:
        return [*found, Check("containerlab", False, True, "not installed", _INSTALL)]
    return [*found, _release(program), _engine()]


@functools.cache
def _release(program: str) -> Check:
    oldest = ".".join(map(str, commands.OLDEST))
    try:
        text = commands.call([program, "version", "--short"], timeout_s=20)
    except commands.Failed as error:
        return Check("containerlab", False, True, str(error), _INSTALL)
    release = commands.version(text)
    if release is None:
        return Check("containerlab", True, True, f"{program}, built without a release")
    shown = ".".join(map(str, release))
    new_enough = release[:2] >= commands.OLDEST
    detail = f"{shown} ({program})" if new_enough else f"{shown}, too old: {oldest} is the oldest that is accepted"
    return Check("containerlab", new_enough, True, detail, f"a newer one: {_INSTALL}")


def _engine() -> Check:
    try:
        text = commands.engine("version", "--format", "{{.Server.Version}}", timeout_s=20)
    except commands.Failed as error:
        return Check(
            "docker", False, True, str(error).removeprefix("docker version: "), "start Docker, or set DOCKER_HOST"
        )
    return Check("docker", True, True, text.strip())
