"""Fabrics of P4 switches on paper: which switch and which line of its config each ping between hosts depends on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from pytest_netbench.dialects.p4 import fabric
from pytest_netbench.dialects.p4.lines import Line
from pytest_netbench.faults.change import OnDevice
from pytest_netbench.faults.evidence import asking
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.evidence.observation import Observation
from pytest_netbench.model.network import DrawnNetwork

SWITCH: Final = "p4"


class Use(NamedTuple):
    """A ping from one host to another one passes a switch.

    Attributes:
        node: The switch.
        line: Of its config: the entry or default of ``ipv4_lpm`` that is in force for the ping.
        member: The entry of ``ecmp_members`` that is in force for it; ``None`` if it needs none.
    """

    node: str
    source: str
    target: str
    line: Line
    member: Line | None


class SeenByPing(OnDevice):
    """Parameters of a fault of a switch, and two hosts of which the first does not reach the second."""

    source: str
    target: str


def unreached(network: Observable, p: SeenByPing) -> Iterator[Observation]:
    """The ping that shows it, as others would."""
    yield from asking.unreached(network, p.source, p.target)


def switches_of(network: DrawnNetwork) -> tuple[str, ...]:
    """The P4 switches of a network."""
    names = (node.name for node in network.topology.nodes)
    return tuple(name for name in names if network.platform_of(name) == SWITCH)


def uses_of(network: DrawnNetwork) -> Iterator[Use]:
    """For each ping between hosts: each switch that it passes."""
    tables = {name: Tables(network.startup_configs[name]) for name in switches_of(network)}
    return (use for pair in network.flows for use in _path(network, tables, *pair))


def first_uses(network: DrawnNetwork) -> Iterator[Use]:
    """Of the uses of a line or member of a switch: the first one."""
    known: set[tuple[str, Line, Line | None]] = set()
    for use in uses_of(network):
        key = (use.node, use.line, use.member)
        if key not in known:
            known.add(key)
            yield use


class Tables:
    """The tables of a switch with the program ``ipv4_fabric``, as its config has them."""

    def __init__(self, config: str) -> None:
        self.routes = tuple(fabric.lines_of(config, fabric.ROUTES))
        self._members = {line.match: line for line in fabric.entries_of(config, fabric.MEMBERS)}

    def member(self, line: Line, source: str, target: str) -> Line | None:
        """The member of the group of a line that carries a ping; ``None`` if the line has no group."""
        if line.action != "ecmp":
            return None
        group, size = line.parameters
        return self._members[group, str(fabric.bucket(source, target, int(size)))]


def free_port(network: DrawnNetwork, node: str) -> int:
    """The number of a port of a switch that has no cable."""
    return len(network.topology.interfaces(node))


def host_ports(network: DrawnNetwork, node: str) -> tuple[int, ...]:
    """The numbers of the ports of a switch that hosts are at."""
    peers = network.topology.peers(node)
    at_hosts = (name for name, ends in peers.items() if any(end.node in network.hosts for end in ends))
    return tuple(sorted(int(name.removeprefix("eth")) for name in at_hosts))


def _path(network: DrawnNetwork, tables: dict[str, Tables], source: str, target: str) -> Iterator[Use]:
    addresses = (network.addresses[source], network.addresses[target])
    node = _neighbor(network, source, "eth0")
    while node in tables:
        line = fabric.route(tables[node].routes, addresses[1])
        assert line is not None, f"{node} has no line for {target}"
        member = tables[node].member(line, *addresses)
        yield Use(node, source, target, line, member)
        hop = line if member is None else member
        node = _neighbor(network, node, f"eth{_port(hop.parameters)}")


def _port(parameters: Sequence[str]) -> int:
    return int(parameters[1])


def _neighbor(network: DrawnNetwork, node: str, interface: str) -> str:
    (end,) = network.topology.peers(node)[interface]
    return end.node
