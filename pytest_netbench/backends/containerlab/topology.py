"""The topology file of a lab, as containerlab reads it. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from pytest_netbench.backends.containerlab.kinds import Kind, Node
from pytest_netbench.lab.capabilities import LINKS, NODES
from pytest_netbench.lab.request import LabRequest
from pytest_netbench.model.topology import Endpoint, Topology

MTU: Final = 1500
"""Of all links: containerlab's own default is larger."""
OWNER: Final = "netbench-lab"
"""The label of what this project deployed; its value is the lab's name."""
PANEL: Final = "netbench-lans"
"""The node whose bridges are the LANs of a topology, and that has the other ends of stubs and of patched links."""
_CLOSED: Final = {"network-mode": "none", "privileged": False}
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,30}")


def node_names(request: LabRequest) -> dict[str, str]:
    """By node of the task: its name in the topology file, the same if it can be the name of a container."""
    taken = {node.name for node in request.topology.nodes if _NAME.fullmatch(node.name)} - {PANEL}
    found = {}
    for number, node in enumerate(request.topology.nodes):
        if node.name in taken:
            found[node.name] = node.name
            continue
        name = f"node{number}"
        while name in taken:
            name += "x"
        taken.add(name)
        found[node.name] = name
    return found


def container(lab: str, node: str) -> str:
    """The name of a container, as containerlab makes it.

    Args:
        lab: Name of the lab.
        node: Name in the topology file.
    """
    return f"clab-{lab}-{node}"


def management(lab: str) -> str:
    """The name of the management network of a lab."""
    return f"{lab}-mgmt"


def is_patched(request: LabRequest) -> bool:
    """Whether all links end at the panel, where they can be shaped; else cables are pairs of interfaces."""
    shaped = any(not link.quality.is_plain for link in request.topology.links)
    return shaped or not {LINKS.name, NODES.name}.isdisjoint(request.requirements)


def ports(topology: Topology, *, patched: bool) -> dict[tuple[str, str], str]:
    """By node and interface: its port of the panel, if it is in a LAN or ends nowhere, or all links are patched."""
    return {
        (end.node, end.interface): f"l{number}p{place}"
        for number, link in enumerate(topology.links)
        if patched or len(link.endpoints) != 2
        for place, end in enumerate(link.endpoints)
    }


def bridges(topology: Topology) -> list[list[str]]:
    """The commands that make the LANs of a topology on its panel."""
    found: list[list[str]] = []
    for number, link in enumerate(topology.links):
        if len(link.endpoints) > 2:
            bridge = f"lan{number}"
            found.append(["ip", "link", "add", bridge, "type", "bridge", "mcast_snooping", "0", "stp_state", "0"])
            found.append(["ip", "link", "set", bridge, "up"])
            found += [
                ["ip", "link", "set", f"l{number}p{place}", "master", bridge] for place in range(len(link.endpoints))
            ]
    return found


def topology_file(lab: str, request: LabRequest, kinds: Mapping[str, Node]) -> dict[str, Any]:
    """The topology file of a request.

    Nodes are not privileged, and have no interface but those of the task: with containerlab's management network they
    would reach each other past the lab. Devices are as their kind needs them, and are reached by that network. Each lab
    has one of its own, also without devices.
    """
    names = node_names(request)
    nodes = {names[node]: _of(kinds[dialect]) for node, dialect in request.dialects.items()}
    plugged = ports(request.topology, patched=is_patched(request))
    if plugged:
        quiet = {"net.ipv6.conf.all.disable_ipv6": 1, "net.ipv6.conf.default.disable_ipv6": 1}
        nodes[PANEL] = _CLOSED | _node(kinds["linux"].kind) | {"sysctls": quiet}
    return {
        "name": lab,
        "mgmt": {"network": management(lab), "ipv4-subnet": "auto"},
        "topology": {
            "defaults": {
                "image-pull-policy": "IfNotPresent",
                "labels": {OWNER: lab},
            },
            "nodes": nodes,
            "links": [{"endpoints": ends, "mtu": MTU} for ends in _links(request, kinds, plugged)],
        },
    }


def _links(request: LabRequest, kinds: Mapping[str, Node], panel: Mapping[tuple[str, str], str]) -> Iterator[list[str]]:
    names = node_names(request)

    def shown(end: Endpoint) -> str:
        device = kinds[request.dialects[end.node]].device
        interface = end.interface if device is None else device.interfaces.kernel_name(end.interface)
        return f"{names[end.node]}:{interface}"

    for link in request.topology.links:
        ends = [shown(end) for end in link.endpoints]
        plugged = [panel.get((end.node, end.interface)) for end in link.endpoints]
        if not any(plugged):
            yield ends
        else:
            yield from ([own, f"{PANEL}:{port}"] for own, port in zip(ends, plugged, strict=True))


def _of(node: Node) -> dict[str, Any]:
    return (_CLOSED if node.device is None else {}) | _node(node.kind)


def _node(kind: Kind) -> dict[str, Any]:
    found: dict[str, Any] = {"kind": kind.kind, "image": kind.image}
    if kind.entrypoint is not None:
        found["entrypoint"] = kind.entrypoint
    if kind.cmd is not None:
        found["cmd"] = kind.cmd
    if kind.memory is not None:
        found["memory"] = kind.memory
    if kind.cap_add:
        found["cap-add"] = list(kind.cap_add)
    if kind.privileged is not None:
        found["privileged"] = kind.privileged
    if kind.sysctls:
        found["sysctls"] = dict(kind.sysctls)
    return found
