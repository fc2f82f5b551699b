"""Interfaces of a network with their addresses, and where its faults are, as a trial's record tells them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import ip_interface
from typing import Any

from pytest_netbench import parts
from pytest_netbench.model.causes import Cause, causes_of
from pytest_netbench.model.faulty import Faulty, InjectedFault
from pytest_netbench.model.objects import K8S, POD
from pytest_netbench.model.payload import Networked
from pytest_netbench.model.topology import Topology
from pytest_netbench.model.trial import TrialRecord

_LONG = re.compile(r"^([A-Z][a-z])[A-Za-z-]{2,}(?=\d)")
_SECTION = re.compile(r"^interface (\S+)")
_ADDRESS = re.compile(r"^ +(?:ip |ipv6 )?address (\S+)(?: (\d+\.\d+\.\d+\.\d+))?")
MOST_LINES = 3
"""Addresses in the label of an interface."""
Addresses = Mapping[str, tuple[str, ...]]
"""By interface of a node, in its full form."""


@dataclass(frozen=True, kw_only=True)
class Interface:
    """An interface: its node and name, addresses at the start and at the end, and what it is connected to."""

    node: str
    name: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    peers: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Fault:
    """A fault, its place in words, and the ends (node and interface) where it was injected."""

    name: str
    place: str
    also: tuple[str, ...]
    ends: tuple[tuple[str, str], ...]


def short(interface: str) -> str:
    """``Gi0/1`` for ``GigabitEthernet0/1``, as devices abbreviate."""
    return _LONG.sub(r"\1", interface)


def interfaces(record: TrialRecord, network: Networked) -> list[Interface]:
    """The interfaces that have a link, node by node, and those without one that have an address.

    Addresses at the start are those of the network before faults were injected, if there were any.
    """
    found = []
    for node in (one.name for one in network.topology.nodes):
        platform = network.platform_of(node)
        before = _addresses(platform, record.healthy_configs.get(node) or record.initial_configs.get(node, ""))
        after = _addresses(platform, record.final_configs.get(node, ""))
        linked = {_full(platform, name): name for name in network.topology.interfaces(node)}
        peers = network.topology.peers(node)
        for name in dict.fromkeys((*linked, *before, *after)):
            own = linked.get(name, name)
            ends = tuple(map(str, peers.get(own, ())))
            found.append(
                Interface(node=node, name=own, before=before.get(name, ()), after=after.get(name, ()), peers=ends)
            )
    return found


def labels(known: Sequence[Interface]) -> dict[tuple[str, str], tuple[str, ...]]:
    """The label of each interface: its short name, and the addresses that it has at the start or else gets.

    An interface without an address shows those of its subinterfaces.
    """
    found = {}
    for one in known:
        below = [
            f"{other.name.removeprefix(one.name)} {address}"
            for other in known
            if other.node == one.node and other.name.startswith(f"{one.name}.")
            for address in other.before or other.after
        ]
        lines = one.before or one.after or tuple(below)
        more = (f"and {len(lines) - MOST_LINES} more",) if len(lines) > MOST_LINES else ()
        found[one.node, one.name] = (short(one.name), *lines[:MOST_LINES], *more)
    return found


def faults(payload: object) -> list[Fault]:
    """What was wrong in a network, in the order of injection; nothing if the family knows no faults."""
    if not isinstance(payload, Faulty):
        return []
    causes = causes_of(payload.faults, payload.topology)
    return [_fault(one, cause, payload.topology) for one, cause in zip(payload.faults, causes, strict=True)]


def _fault(injected: InjectedFault, cause: Cause, topology: Topology) -> Fault:
    """A fault that counts as one of its node may still have been made at an interface, which is told, too."""
    first, *others = cause.resources
    ends, place = ends_of(first, topology), in_words(first)
    interface = injected.parameters.get("interface")
    if first.startswith("node/") and interface in topology.interfaces(ends[0][0]):
        ends, place = ((ends[0][0], str(interface)),), f"{place} (interface {interface})"
    return Fault(name=cause.fault_type, place=place, also=tuple(map(in_words, others)), ends=ends)


def in_words(resource: str) -> str:
    """``interface eth0 of R1`` for ``interface/R1/eth0``."""
    kind, _, rest = resource.partition("/")
    if kind == "interface":
        node, _, interface = rest.partition("/")
        return f"interface {interface} of {node}"
    if kind == "link":
        return "link " + " to ".join(end.replace(":", " ", 1) for end in rest.split("--"))
    if kind == K8S:
        namespace, what, name = rest.split("/")
        return f"{what} {name} in namespace {namespace}"
    return f"{kind} {rest}"


def ends_of(resource: str, topology: Topology) -> tuple[tuple[str, str], ...]:
    """Nodes and interfaces of a resource; of a link of many ends, or of one, the first only."""
    kind, _, rest = resource.partition("/")
    if kind == "link":
        ends = {f"{end.node}:{end.interface}": end for link in topology.links for end in link.endpoints}
        return tuple((ends[text].node, ends[text].interface) for text in rest.split("--") if text in ends)
    if kind == K8S:
        # an object of the name of a workload is marked there, any other one where objects are changed
        names = {one.name: one.role for one in topology.nodes}
        name = rest.rpartition("/")[2]
        return ((name if name in names else next(one for one in names if names[one] != POD), ""),)
    node, _, interface = rest.partition("/")
    return ((node, interface),)


def _full(platform: str, name: str) -> str:
    dialect = _dialect(platform)
    try:
        return str(dialect.interface(name)) if dialect else name
    except ValueError:
        return name


@lru_cache(maxsize=64)
def _dialect(platform: str) -> Any:
    """The dialect of a platform; ``None`` of one that is not installed here."""
    return parts.load("dialects", platform)() if platform in parts.names("dialects") else None


@lru_cache(maxsize=4096)
def _addresses(platform: str, config: str) -> Addresses:
    """Addresses of a running config, whose sections begin with ``interface NAME`` on all platforms.

    Trials of one task begin with the same configs.
    """
    found: dict[str, list[str]] = {}
    current = ""
    for line in config.splitlines():
        if not line.startswith(" "):
            opened = _SECTION.match(line)
            current = _full(platform, opened[1]) if opened else ""
        elif current and (given := _ADDRESS.match(line)):
            found.setdefault(current, []).append(_written(given[1], given[2]))
    return {name: tuple(dict.fromkeys(texts)) for name, texts in found.items()}


def _written(address: str, mask: str | None) -> str:
    """``10.0.0.1/24``; what is no address, such as ``dhcp``, as it is."""
    try:
        return str(ip_interface(f"{address}/{mask}" if mask else address))
    except ValueError:
        return address
