"""What an expert gathers of a network before thinking: topology, running configs, and addresses of the brief."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from ipaddress import IPv4Address, IPv4Network
from typing import Final, NamedTuple

from pytest_netbench.agents.runbooks.reading import Device, Port, read
from pytest_netbench.ani.protocol import Ani
from pytest_netbench.errors import AniError
from pytest_netbench.model.trial import Brief

HOSTS: Final = "linux"
_TARGET: Final = re.compile(r"(\S+) \((\d+\.\d+\.\d+\.\d+)\)")


class End(NamedTuple):
    """An interface of a node."""

    node: str
    interface: str


class Finding(NamedTuple):
    """What is wrong, where, and what shows it. Without an interface it is the whole node."""

    fault_type: str
    end: End
    words: str


@dataclass(frozen=True)
class Facts:
    """A network as it is seen.

    Attributes:
        devices: By name, with running configs; without those of others.
        links: Each by its ends.
        addresses: By host: the address under which it is known.
        silent: Nodes that do not answer.
    """

    devices: Mapping[str, Device]
    links: tuple[tuple[End, ...], ...]
    addresses: Mapping[str, IPv4Address]
    silent: tuple[str, ...] = ()

    @property
    def hosts(self) -> Iterator[Device]:
        """The hosts that can be looked at."""
        return (one for one in self.devices.values() if one.platform == HOSTS)

    @property
    def routers(self) -> Iterator[Device]:
        """Routers and switches that can be looked at."""
        return (one for one in self.devices.values() if one.platform != HOSTS)

    @cached_property
    def ports(self) -> tuple[Port, ...]:
        """The interfaces of all routers and switches."""
        return tuple(port for device in self.routers for port in device.ports.values())

    def port(self, end: End) -> Port | None:
        """The interface at an end, unless its node or its config is unknown."""
        device = self.devices.get(end.node)
        return device.ports.get(end.interface) if device else None

    def others(self, end: End) -> tuple[End, ...]:
        """The other ends of a link."""
        return next((tuple(one for one in link if one != end) for link in self.links if end in link), ())

    def is_cabled(self, port: Port) -> bool:
        """Whether an interface has a cable."""
        return any(End(port.node, port.name) in link for link in self.links)

    @cached_property
    def cables(self) -> tuple[tuple[Port, Port], ...]:
        """Both interfaces of each cable between two routers that have addresses there."""
        pairs = ((self.port(link[0]), self.port(link[1])) for link in self.links if len(link) == 2)
        return tuple(
            (one, other)
            for one, other in pairs
            if one and other and one.address and other.address and not {one.node, other.node} & self._host_names
        )

    @cached_property
    def _host_names(self) -> frozenset[str]:
        return frozenset(one.name for one in self.hosts)

    def owner(self, address: str) -> str | None:
        """The router that has an address."""
        return next((port.node for port in self.ports if port.address and str(port.address.ip) == address), None)

    def is_out_of_place(self, port: Port) -> bool:
        """Whether an interface is in another subnet than all that are on its link."""
        far = [self.port(end) for end in self.others(End(port.node, port.name))]
        known = [one.address for one in far if one and one.address]
        return bool(known) and not any(port.address and one.ip in port.address.network for one in known)

    def hosts_behind(self, port: Port) -> list[str]:
        """Hosts whose addresses are in the subnet of an interface."""
        if port.address is None:
            return []
        return [name for name, address in self.addresses.items() if address in port.address.network]

    @cached_property
    def lans(self) -> dict[IPv4Network, list[Port]]:
        """By prefix of a subnet with hosts: the interfaces of routers in it."""
        found: dict[IPv4Network, list[Port]] = {}
        for port in self.ports:
            if port.address and self.hosts_behind(port) and not self.is_out_of_place(port):
                found.setdefault(port.address.network, []).append(port)
        return found

    def distances(self, goals: frozenset[str]) -> dict[str, int]:
        """By router: how many links it is away from the nearest of some routers."""
        found, waiting = dict.fromkeys(goals, 0), deque(goals)
        while waiting:
            node = waiting.popleft()
            for other in self._near.get(node, ()):
                if other not in found:
                    found[other] = found[node] + 1
                    waiting.append(other)
        return found

    @cached_property
    def _near(self) -> dict[str, set[str]]:
        near: dict[str, set[str]] = {}
        for one, other in self.cables:
            near.setdefault(one.node, set()).add(other.node)
            near.setdefault(other.node, set()).add(one.node)
        return near


def gather(brief: Brief, ani: Ani) -> Facts:
    """Read the topology, the brief, and the running config of each node that answers."""
    topology = ani.call("get-topology", {})["topology"]
    devices, silent = {}, []
    for name, platform in brief.devices.items():
        if topology.get("control", {}).get(name) != "foreign":
            try:
                config = ani.call("get-running-cfg", {"device": name})["running_config"]
            except AniError:
                silent.append(name)
                continue
            devices[name] = read(name, platform, config)
    targets = _TARGET.findall(" ".join(brief.intents))
    return Facts(
        devices=devices,
        links=tuple(tuple(map(_end, words.split(" <-> "))) for words in topology["links"]),
        addresses={name: IPv4Address(address) for name, address in targets},
        silent=tuple(silent),
    )


def output_of(ani: Ani, device: str, command: str) -> str:
    """The output of a command."""
    return str(ani.call("execute-cmd", {"device": device, "command": command})["output"])


def _end(words: str) -> End:
    node, _, interface = words.partition(" ")
    return End(node, interface)
