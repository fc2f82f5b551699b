"""Faults of whole nodes: one that has stopped, and one of whose routing daemons has stopped.

No config shows them, and no command of a device repairs them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import permutations
from typing import Final

from pytest_netbench.faults.builders import OutsideValue
from pytest_netbench.faults.cables import has_carrier
from pytest_netbench.faults.change import Change, OnDevice, given, neighbor_up
from pytest_netbench.faults.evidence import asking
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.evidence.observation import Observation
from pytest_netbench.faults.paths import announced
from pytest_netbench.faults.syntax import opening
from pytest_netbench.lab.capabilities import NODES
from pytest_netbench.lab.probing import Probe
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.network import DrawnNetwork
from pytest_netbench.platforms.capabilities import DAEMONS

DAEMON_OF: Final[Mapping[str, str]] = {"ospf": "ospfd", "bgp": "bgpd"}
"""By protocol: the daemon of FRR that runs it."""
_ECHOES: Final = 3


class Crashed(OnDevice):
    """A node, its address in a subnet, another node of that subnet, and what else could be wrong at the node.

    Attributes:
        address: Of the node, in the subnet.
        peer: The other node.
        peer_interface: Its interface in the subnet.
        depending: What other faults touch that are at the node: nobody could see them there.
    """

    address: str
    peer: str
    peer_interface: str
    depending: tuple[str, ...]


def _nodes(network: DrawnNetwork) -> Iterator[Crashed]:
    known: set[str] = set()
    for subnet in network.subnets:
        for one, other in permutations(subnet.attachments, 2):
            if one.node not in known and other.node != one.node and network.is_managed(one.node):
                known.add(one.node)
                seen_from = {"address": one.address, "peer": other.node, "peer_interface": other.interface}
                depending = tuple(dict.fromkeys(_all_of(network, one.node)))
                if network.platform_of(one.node) in NODE_CRASHED.platforms:
                    yield Crashed.of(network, one.node, **seen_from, depending=depending)


def _is_alive(lab: Lab, p: Crashed) -> Iterator[str]:
    echo = Probe(source=p.peer, target=p.address, timeout_s=0.1, repetitions=0)
    if any(one.answered for one in lab.prober.probe([echo] * _ECHOES)):
        yield f"{p.node} answers {p.peer} from {p.address}"
    if not has_carrier(lab, p.peer, p.peer_interface):
        yield f"{p.peer} {p.peer_interface} has no carrier"


def _silent(network: Observable, p: Crashed) -> Iterator[Observation]:
    yield asking.silent(p.node)
    yield from asking.not_counted(network, p.node, None, f"{p.node} has no counters any more.")
    because = f"{p.node} does not answer pings of its neighbor {p.peer}."
    yield from asking.state(network, p.peer, "no pings", because, address=p.address)


_node_fault = partial(OutsideValue, domain="node")

NODE_CRASHED = _node_fault(
    "node-crashed",
    about="A node has stopped: it answers nobody and sends nothing, although its cables have carrier.",
    label="CRASH",
    parameters=Crashed,
    platforms=("frr", "cisco_ios", "linux"),
    requires=("nodes", "probes"),
    called={"nika": "host_crash"},
    at=_nodes,
    # the other node must have carrier
    touches=lambda p: frozenset({*p.depending, _whole(p.node), f"{p.peer} {p.peer_interface}"}),
    change=lambda p: Change(
        act=lambda lab: lab.capability(NODES).crash(p.node),
        undo=lambda lab: lab.capability(NODES).revive(p.node),
        checks=(given(_is_alive, p),),
        symptoms=(given(_silent, p),),
        detail=f"It is {p.node}.",
    ),
)


class Stopped(OnDevice):
    """A router, a protocol, its neighbors in it, and what depends on that protocol there.

    Attributes:
        protocol: ``ospf`` or ``bgp``.
        neighbors: Each router that is a neighbor, and the address that it knows the node by.
        depending: What other faults touch that need the protocol there.
    """

    protocol: str
    neighbors: tuple[tuple[str, str], ...]
    depending: tuple[str, ...]

    @property
    def daemon(self) -> str:
        """The daemon that has stopped."""
        return DAEMON_OF[self.protocol]


def _daemons(network: DrawnNetwork) -> Iterator[Stopped]:
    routers = [one for one in network.routers if network.platform_of(one) == "frr" and network.is_managed(one)]
    for node in routers:
        for protocol in DAEMON_OF:
            process = opening(network, node, f"router {protocol}")
            neighbors = tuple(_neighbors(network, node, protocol))
            if process is not None and neighbors:
                depending = tuple(dict.fromkeys(_depending(network, node, protocol, process)))
                yield Stopped.of(network, node, protocol=protocol, neighbors=neighbors, depending=depending)


def _runs(lab: Lab, p: Stopped) -> Iterator[str]:
    if p.daemon in lab.nodes[p.node].capability(DAEMONS).running():
        yield f"{p.daemon} of {p.node} runs"
    for neighbor, address in p.neighbors:
        yield from neighbor_up(lab, neighbor, p.protocol, address)


def _off(network: Observable, p: Stopped) -> Iterator[Observation]:
    protocol = p.protocol.upper()
    yield from asking.state(network, p.node, f"{protocol} is off", f"{p.node} does not run {protocol}.")
    pattern, because = f"^router {p.protocol}", f"{p.node} has no config of {protocol} any more."
    yield asking.config_matches(p.node, pattern, because, is_absent=True)
    for neighbor, address in p.neighbors:
        yield from asking.neighbor_lost(network, neighbor, p.protocol, address)


ROUTING_DAEMON_STOPPED = _node_fault(
    "routing-daemon-stopped",
    about="A routing daemon of a router has stopped: the router does not take part in OSPF or BGP any more.",
    label="DAEMON",
    parameters=Stopped,
    platforms=("frr",),
    requires=("daemons",),
    called={"nika": "frr_service_down"},
    at=_daemons,
    touches=lambda p: frozenset({*p.depending, _whole(p.node)}),
    change=lambda p: Change(
        act=lambda lab: lab.nodes[p.node].capability(DAEMONS).stop(p.daemon),
        undo=lambda lab: lab.nodes[p.node].capability(DAEMONS).start(p.daemon),
        checks=(given(_runs, p),),
        symptoms=(given(_off, p),),
        detail=f"It is {p.daemon} of {p.node}.",
    ),
)


def _neighbors(network: DrawnNetwork, node: str, protocol: str) -> Iterator[tuple[str, str]]:
    """Each router that should be a neighbor, and the address that it knows ``node`` by."""
    known = network.autonomous_systems
    for link in network.transits:
        for one, other in permutations(link.attachments, 2):
            if one.node == node and (link.area is not None if protocol == "ospf" else known.get(other.node)):
                yield other.node, one.address


def _depending(network: DrawnNetwork, node: str, protocol: str, process: str) -> Iterator[str]:
    """What faults of the protocol touch that are at a router, or between it and a neighbor."""
    yield f"{node} order of {process}"
    for subnet in network.subnets:
        addresses = [one.address for one in subnet.attachments if one.node == node]
        if addresses:
            yield f"{protocol} {subnet.prefix}"
        for one in addresses:
            for other in subnet.attachments:
                yield f"bgp {min(one, other.address)} {max(one, other.address)}"
    yield from (f"bgp {node} {prefix}" for prefix in announced(network, node))


def _all_of(network: DrawnNetwork, node: str) -> Iterator[str]:
    """What faults of any kind touch that are at a node."""
    yield from (f"route {node}", f"{node} nat")
    attached = (one.interface for subnet in network.subnets for one in subnet.attachments if one.node == node)
    for interface in (*network.topology.interfaces(node), *attached):
        yield from (f"{node} {interface}", f"{node} {interface} nat")
    yield from (f"{node} access-list {one.name}" for one in network.access_lists if one.node == node)
    for protocol in DAEMON_OF:
        process = opening(network, node, f"router {protocol}")
        if process is not None:
            yield from _depending(network, node, protocol, process)


def _whole(node: str) -> str:
    """What two faults of one whole node touch."""
    return f"all of {node}"
