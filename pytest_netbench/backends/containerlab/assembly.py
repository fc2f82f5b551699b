"""Deploys the containers and links of a lab; nothing is configured yet."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import yaml

from pytest_netbench.backends.containerlab import commands, leftovers, programs
from pytest_netbench.backends.containerlab.authorities import Authority
from pytest_netbench.backends.containerlab.devices import ContainerDevice, address_of
from pytest_netbench.backends.containerlab.helpers import LabHelper
from pytest_netbench.backends.containerlab.kinds import Node
from pytest_netbench.backends.containerlab.lab import AnyNode, ContainerLab
from pytest_netbench.backends.containerlab.node import ContainerNode
from pytest_netbench.backends.containerlab.patches import Panel
from pytest_netbench.backends.containerlab.programs import Place
from pytest_netbench.backends.containerlab.topology import (
    PANEL,
    bridges,
    container,
    is_patched,
    management,
    node_names,
    ports,
    topology_file,
)
from pytest_netbench.errors import LabError
from pytest_netbench.kernel.processes import started
from pytest_netbench.lab.request import LabRequest

_BRIDGE_S = 30.0
_RESOLVER = "/etc/resolv.conf"
"""The engine writes the resolver of this machine there, which no node has and none can reach."""


def assembled(folder: Path, request: LabRequest, table: Mapping[str, Node], drivers: Mapping[str, Any]) -> ContainerLab:
    """Deploy a lab.

    Args:
        folder: Of the lab, named as the lab will be.
        request: What it is.
        table: Of kinds, by dialect.
        drivers: By dialect.

    Raises:
        LabError: It cannot be deployed; what there is of it stays.
    """
    file = folder / leftovers.TOPOLOGY
    file.write_text(yaml.safe_dump(topology_file(folder.name, request, table), sort_keys=False), encoding="utf-8")
    containers = {node: container(folder.name, name) for node, name in node_names(request).items()}
    with contextlib.ExitStack() as undone:
        helper = LabHelper(folder)
        undone.callback(helper.close)
        _deploy(file, [table[dialect].kind.image for dialect in request.dialects.values()])
        by = helper.ready()
        nodes = _nodes(folder, request, table, containers, by)
        for node in nodes.values():
            undone.callback(node.close)
            if isinstance(node, ContainerNode):
                node.write_file(_RESOLVER, "")
            by.plug_in(node.place.pid, node.ends)
        panel = _panel(folder.name, request, by)
        cabling = _cabling(panel, {name: node.place for name, node in nodes.items()}, request)
        if cabling is not None:
            undone.callback(cabling.close)
        _await_devices(nodes.values())
        lab = ContainerLab(
            folder=folder,
            request=request,
            nodes=nodes,
            panel=panel,
            cabling=cabling,
            helper=helper,
            drivers={node: drivers[dialect] for node, dialect in request.dialects.items()},
            images={dialect: table[dialect].kind.image for dialect in request.dialects.values()},
        )
        undone.pop_all()
        return lab


def _deploy(topology: Path, images: list[str]) -> None:
    try:
        commands.containerlab("deploy", "--topo", str(topology), "--format", "json")
    except commands.Failed as error:
        raise LabError(f"{error} (images: {', '.join(dict.fromkeys(images))})") from None


def _nodes(
    folder: Path, request: LabRequest, table: Mapping[str, Node], containers: Mapping[str, str], by: Authority
) -> dict[str, AnyNode]:
    shown = _shown(containers.values())
    places = {node: _place(node, shown[name], by) for node, name in containers.items()}
    memories: dict[str, dict[str, Any]] = {}
    found: dict[str, AnyNode] = {}
    names = node_names(request)
    for node, dialect in request.dialects.items():
        facts: dict[str, Any] = {"name": node, "platform": dialect, "topology": request.topology}
        device = table[dialect].device
        if device is not None:
            address = address_of(shown[containers[node]], management(folder.name))
            found[node] = ContainerDevice(places[node], device, address, **facts)
            continue
        logs = folder / "logs" / names[node]
        logs.mkdir(parents=True)
        memory = memories.setdefault(table[dialect].kind.image, {})
        found[node] = ContainerNode(places[node], logs=logs, image_memory=memory, **facts)
    return found


def _panel(lab: str, request: LabRequest, by: Authority) -> Place | None:
    """Make the LANs of a lab, unless all its links are patched; return the container that holds them."""
    plugged = ports(request.topology, patched=is_patched(request))
    if not plugged:
        return None
    (shown,) = _shown([container(lab, PANEL)]).values()
    place = _place(PANEL, shown, by)
    if is_patched(request):
        return place
    by.plug_in(place.pid, tuple(plugged.values()))
    for command in bridges(request.topology):
        done = programs.run(programs.request(place, command, "trusted"), timeout_s=_BRIDGE_S)
        if done.returncode:
            raise LabError(f"a LAN cannot be made: {' '.join(command)}: {done.stderr.strip()}")
    return place


def _cabling(panel: Place | None, nodes: Mapping[str, Place], request: LabRequest) -> Panel | None:
    """Join all links of a lab on its panel, if that is how they are made."""
    if panel is None or not is_patched(request):
        return None
    return Panel(panel, nodes, request.topology, ports(request.topology, patched=True))


def _await_devices(nodes: Iterable[AnyNode]) -> None:
    """Return once one can log in to all devices.

    Raises:
        LabError: Nobody can in time.
    """
    devices = [node for node in nodes if isinstance(node, ContainerDevice)]
    with ThreadPoolExecutor(max_workers=max(1, len(devices)), thread_name_prefix="netbench-boot") as pool:
        list(pool.map(ContainerDevice.prepare, devices))


def _shown(containers: Iterable[str]) -> dict[str, Any]:
    """By name of a container: what the engine shows of it."""
    listed = json.loads(commands.engine("inspect", "--type", "container", *containers))
    return {one["Name"].lstrip("/"): one for one in listed}


def _place(node: str, shown: Mapping[str, Any], by: Authority) -> Place:
    """Where a container runs.

    Raises:
        LabError: It does not run any more.
    """
    name, state = shown["Name"].lstrip("/"), shown["State"]
    if not state["Running"]:
        said = commands.engine("logs", "--tail", "3", name).strip()
        raise LabError(f"{node}: its container has ended (exit status {state['ExitCode']}): {said or 'no output'}")
    return Place(name, state["Pid"], started(state["Pid"]), by)
