"""Finds the devices of a site that can stand for the nodes of a task: by their names, else by dialects and cables.

Interfaces keep their names: the configurations of a task name them. So a link of a task is found in a site if a cable
joins interfaces of the same names, and devices can be told apart by what their interfaces are joined to.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Final

from pytest_netbench import parts
from pytest_netbench.errors import UsageError
from pytest_netbench.lab.attaching.site import Device, Match, Site
from pytest_netbench.model.topology import Endpoint, Link, Topology

_MOST_MATCHES: Final = 200
_MOST_STEPS: Final = 100_000
_End = tuple[str, str]


class NoMatch(Exception):
    """The devices cannot stand for the nodes; the text is a sentence that says why."""


def match(topology: Topology, dialects: Mapping[str, str], site: Site) -> Match:
    """Return the device for each node.

    Args:
        topology: The nodes and links of a task.
        dialects: By node.
        site: What exists.

    Raises:
        NoMatch: There are no such devices or cables.
        UsageError: There is more than one way, and nothing tells which is meant.
    """
    named = {device.stands_for: device for device in site.devices.values()}
    wanted = _Wanted(topology, dialects)
    cables = _Cables(site)
    if all(node.name in named for node in topology.nodes):
        chosen = {node.name: named[node.name] for node in topology.nodes}
        if (lack := _lack(wanted, chosen, cables)) is not None:
            raise NoMatch(lack)
        return Match(devices={node: device.name for node, device in chosen.items()})
    found = list(islice(_Search(wanted, site, cables).matches(), _MOST_MATCHES))
    if not found:
        raise NoMatch(_nothing(topology, wanted, site, named))
    if len(found) > 1:
        raise UsageError(_ambiguous(topology, found, site))
    return Match(devices=found[0], by_shape=True)


class _Wanted:
    """What a task asks for, in full names of interfaces."""

    def __init__(self, topology: Topology, dialects: Mapping[str, str]) -> None:
        self.dialects = dialects
        self.links = topology.links
        self.ends = [tuple(self.full(end) for end in link.endpoints) for link in topology.links]
        self.at: dict[str, list[int]] = {node.name: [] for node in topology.nodes}
        for number, ends in enumerate(self.ends):
            for node, _ in ends:
                self.at[node].append(number)

    def full(self, end: Endpoint) -> _End:
        return end.node, full_name(self.dialects[end.node], end.interface)


class _Cables:
    """What a site joins, in full names of interfaces."""

    def __init__(self, site: Site) -> None:
        self.site = site.called
        self.known = site.cables is not None
        self.beyond: dict[_End, frozenset[_End]] = {}
        for cable in site.cables or ():
            ends = frozenset((end.node, full_name(site.devices[end.node].dialect, end.interface)) for end in cable.ends)
            for end in ends:
                self.beyond[end] = ends
        self.present = {
            name: frozenset(full_name(device.dialect, one) for one in device.interfaces)
            for name, device in site.devices.items()
        }

    def lack(self, device: Device, interface: str) -> str | None:
        """Why a node of a task cannot have an interface of a device."""
        if device.management is not None and full_name(device.dialect, device.management) == interface:
            return f"{device.name} is managed by {interface}"
        if self.present[device.name] and interface not in self.present[device.name]:
            return f"{device.name} has no interface {interface}"
        return None

    def join(self, ends: frozenset[_End], *, whole: bool) -> bool:
        """Whether one cable joins these ends, and no others if they are ``whole``."""
        if not self.known:
            return True
        beyond = self.beyond.get(next(iter(ends)), frozenset())
        if whole and len(ends) == 1:
            return len(beyond) <= 1
        return beyond == ends if whole else ends <= beyond


def _lack(wanted: _Wanted, chosen: Mapping[str, Device], cables: _Cables) -> str | None:
    """Why devices that are named cannot stand for their nodes."""
    for node, device in chosen.items():
        if device.dialect != wanted.dialects[node]:
            return f"{node} is {wanted.dialects[node]}, and the device {device.name} is {device.dialect}"
    for link, ends in zip(wanted.links, wanted.ends, strict=True):
        for node, interface in ends:
            if (lack := cables.lack(chosen[node], interface)) is not None:
                return f"{lack}, for the link {str(link)!r}"
        if not cables.join(frozenset((chosen[node].name, interface) for node, interface in ends), whole=True):
            return _not_cabled(link, chosen, cables.site)
    return None


def _not_cabled(link: Link, chosen: Mapping[str, Device], called: str) -> str:
    devices = " <-> ".join(f"{chosen[end.node].name} {end.interface}" for end in link.endpoints)
    if len(link.endpoints) == 1:
        return f"a cable is at {devices}, and nothing is at the other end of {str(link)!r} in the task"
    return f"no cable of {called} joins {devices} and nothing else"


class _Search:
    """Looks for all ways to give each node a device of its own."""

    def __init__(self, wanted: _Wanted, site: Site, cables: _Cables) -> None:
        self._wanted = wanted
        self._cables = cables
        self._devices = site.devices
        self._naming = site.naming
        self._steps = 0
        self._order = _order(wanted)
        fixed = {device.node: device.name for device in site.devices.values() if device.node is not None}
        self._candidates = {
            node: [
                name
                for name, device in site.devices.items()
                if device.dialect == wanted.dialects[node]
                and fixed.get(node, name) == name
                # a device that always stands for one node of this task stands for no other one
                and (device.node is None or device.node == node or device.node not in wanted.dialects)
                and self._has_interfaces(node, device)
            ]
            for node in self._order
        }

    def matches(self, chosen: Mapping[str, str] | None = None) -> Iterator[dict[str, str]]:
        """Yield each way: device by node.

        Raises:
            UsageError: It takes too long.
        """
        chosen = chosen or {}
        if len(chosen) == len(self._order):
            yield dict(chosen)
            return
        node = self._order[len(chosen)]
        for device in self._candidates[node]:
            self._steps += 1
            if self._steps > _MOST_STEPS:
                raise UsageError(
                    "too many ways to match the task's nodes to the devices: say which is which by"
                    f" {self._naming.format(node=node)}"
                )
            if device not in chosen.values() and self._fits({**chosen, node: device}, node):
                yield from self.matches({**chosen, node: device})

    def _has_interfaces(self, node: str, device: Device) -> bool:
        return all(
            self._cables.lack(device, interface) is None
            for number in self._wanted.at[node]
            for name, interface in self._wanted.ends[number]
            if name == node
        )

    def _fits(self, chosen: Mapping[str, str], node: str) -> bool:
        for number in self._wanted.at[node]:
            ends = self._wanted.ends[number]
            placed = frozenset((chosen[one], interface) for one, interface in ends if one in chosen)
            if not self._cables.join(placed, whole=len(placed) == len(ends)):
                return False
        return True


def _order(wanted: _Wanted) -> list[str]:
    """Nodes so that each has a neighbor among those before it, if it has one at all."""
    order: list[str] = []
    waiting = sorted(wanted.at, key=lambda node: -len(wanted.at[node]))
    while waiting:
        front = [waiting[0]]
        while front:
            node = front.pop(0)
            if node not in waiting:
                continue
            waiting.remove(node)
            order.append(node)
            front += [one for number in wanted.at[node] for one, _ in wanted.ends[number] if one in waiting]
    return order


def _nothing(topology: Topology, wanted: _Wanted, site: Site, named: Mapping[str, Device]) -> str:
    there = ", ".join(f"{device.name} ({device.dialect})" for device in site.devices.values())
    for dialect in dict.fromkeys(wanted.dialects.values()):
        asked = sum(one == dialect for one in wanted.dialects.values())
        found = sum(device.dialect == dialect for device in site.devices.values())
        if found < asked:
            return f"the task has {asked} nodes of {dialect}, {site.called} has {found} (known: {there})"
    missing = next(node.name for node in topology.nodes if node.name not in named)
    return (
        f"no device is called {missing!r}, and no devices are joined as the task's nodes are, interface by interface"
        f" (known: {there})"
    )


def _ambiguous(topology: Topology, found: list[dict[str, str]], site: Site) -> str:
    node = next(one.name for one in topology.nodes if len({way[one.name] for way in found}) > 1)
    candidates = dict.fromkeys(way[node] for way in found)
    return f"{node} of the task can be {' or '.join(candidates)}: say which by {site.naming.format(node=node)}"


def full_name(dialect: str, interface: str) -> str:
    """The full form of an interface name in a dialect; the name as it is if it cannot be one."""
    try:
        return str(parts.load("dialects", dialect)().interface(interface))
    except ValueError:
        return interface
