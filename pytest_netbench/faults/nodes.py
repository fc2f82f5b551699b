"""Faults of whole nodes: one that has stopped, and one of whose routing daemons has stopped.

No config shows them, and no command of a device repairs them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from itertools import permutations
from typing import ClassVar, Final, Generic, TypeVar

from pytest_netbench.errors import FaultHasNoEffect
from pytest_netbench.faults import carriers
from pytest_netbench.faults.change import OnDevice
from pytest_netbench.faults.evidence import asking
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.evidence.observation import Observation
from pytest_netbench.faults.paths import announced
from pytest_netbench.faults.protocol import Commands
from pytest_netbench.faults.state import neighbor_up
from pytest_netbench.faults.syntax import opening
from pytest_netbench.faults.wording import about
from pytest_netbench.lab.capabilities import NODES
from pytest_netbench.lab.probing import Probe
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.network import DrawnNetwork
from pytest_netbench.platforms.capabilities import DAEMONS

DAEMON_OF: Final[Mapping[str, str]] = {"ospf": "ospfd", "bgp": "bgpd"}
"""By protocol: the daemon of FRR that runs it."""
_ECHOES: Final = 3


P = TypeVar("P", bound=OnDevice)


class _NodeFault(ABC, Generic[P]):
    """What faults of whole nodes share. A subclass says where it fits, how it is made, and how it is seen."""

    name: str
    label: ClassVar[str]
    lets_through: bool = False
    platforms: tuple[str, ...]
    requires: tuple[str, ...]
    called: Mapping[str, str] = {}
    found_at: ClassVar[str] = "node"
    domain: ClassVar[str] = "node"

    def places(self, network: DrawnNetwork) -> Iterator[P]:
        return (one for one in self._places(network) if one.platform in self.platforms and network.is_managed(one.node))

    def cuts(self, parameters: P) -> frozenset[str]:  # noqa: ARG002  (only a lab shows what it breaks)
        return frozenset()

    def recover(self, parameters: P) -> Commands:  # noqa: ARG002  (nobody can enter a command there, or it does not help)
        return {}

    def explain(self, parameters: P) -> str:
        return f"{about(self)} It is {parameters.node}."

    @abstractmethod
    def _places(self, network: DrawnNetwork) -> Iterable[P]:
        """All parameters that fit a network, on any platform and node."""

    @abstractmethod
    def touches(self, parameters: P) -> frozenset[str]:
        """What it changes or depends on."""

    @abstractmethod
    def inject(self, parameters: P, lab: Lab) -> None:
        """Make it."""

    @abstractmethod
    def undo(self, parameters: P, lab: Lab) -> None:
        """Make the node as it was."""

    @abstractmethod
    def observe(self, parameters: P, lab: Lab) -> None:
        """See it from other nodes."""


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


class NodeCrashed(_NodeFault[Crashed]):
    """A node has stopped: it answers nobody and sends nothing, although its cables have carrier."""

    name = "node-crashed"
    label = "CRASH"
    parameters = Crashed
    called = {"nika": "host_crash"}
    platforms = ("frr", "cisco_ios", "linux")
    requires = ("nodes", "probes")

    def _places(self, network: DrawnNetwork) -> Iterator[Crashed]:
        known: set[str] = set()
        for subnet in network.subnets:
            for one, other in permutations(subnet.attachments, 2):
                if one.node not in known and other.node != one.node:
                    known.add(one.node)
                    yield Crashed(
                        node=one.node,
                        platform=network.platform_of(one.node),
                        address=one.address,
                        peer=other.node,
                        peer_interface=other.interface,
                        depending=tuple(dict.fromkeys(_all_of(network, one.node))),
                    )

    def touches(self, parameters: Crashed) -> frozenset[str]:
        # the other node must have carrier
        seen_from = f"{parameters.peer} {parameters.peer_interface}"
        return frozenset({*parameters.depending, _whole(parameters.node), seen_from})

    def inject(self, parameters: Crashed, lab: Lab) -> None:
        lab.capability(NODES).crash(parameters.node)

    def undo(self, parameters: Crashed, lab: Lab) -> None:
        lab.capability(NODES).revive(parameters.node)

    def observe(self, parameters: Crashed, lab: Lab) -> None:
        echo = Probe(source=parameters.peer, target=parameters.address, timeout_s=0.1, repetitions=0)
        if any(one.answered for one in lab.prober.probe([echo] * _ECHOES)):
            raise FaultHasNoEffect(self.name, f"{parameters.node} answers {parameters.peer} from {parameters.address}")
        if not carriers.has_carrier(lab, parameters.peer, parameters.peer_interface):
            raise FaultHasNoEffect(self.name, f"{parameters.peer} {parameters.peer_interface} has no carrier")

    def evidence(self, parameters: Crashed, network: Observable) -> Iterator[Observation]:
        p = parameters
        yield asking.silent(p.node)
        yield asking.not_counted(p.node, None, f"{p.node} has no counters any more.")
        because = f"{p.node} does not answer pings of its neighbor {p.peer}."
        yield from asking.state(network, p.peer, "no pings", because, address=p.address)


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


class RoutingDaemonStopped(_NodeFault[Stopped]):
    """A routing daemon of a router has stopped: the router does not take part in OSPF or BGP any more."""

    name = "routing-daemon-stopped"
    label = "DAEMON"
    parameters = Stopped
    called = {"nika": "frr_service_down"}
    platforms = ("frr",)
    requires = ("daemons",)

    def _places(self, network: DrawnNetwork) -> Iterator[Stopped]:
        for node in network.routers:
            for protocol in DAEMON_OF:
                process = opening(network, node, f"router {protocol}")
                neighbors = tuple(_neighbors(network, node, protocol))
                if process is not None and neighbors:
                    yield Stopped(
                        node=node,
                        platform=network.platform_of(node),
                        protocol=protocol,
                        neighbors=neighbors,
                        depending=tuple(dict.fromkeys(_depending(network, node, protocol, process))),
                    )

    def touches(self, parameters: Stopped) -> frozenset[str]:
        return frozenset({*parameters.depending, _whole(parameters.node)})

    def inject(self, parameters: Stopped, lab: Lab) -> None:
        lab.nodes[parameters.node].capability(DAEMONS).stop(DAEMON_OF[parameters.protocol])

    def undo(self, parameters: Stopped, lab: Lab) -> None:
        lab.nodes[parameters.node].capability(DAEMONS).start(DAEMON_OF[parameters.protocol])

    def observe(self, parameters: Stopped, lab: Lab) -> None:
        daemon = DAEMON_OF[parameters.protocol]
        if daemon in lab.nodes[parameters.node].capability(DAEMONS).running():
            raise FaultHasNoEffect(self.name, f"{daemon} of {parameters.node} runs")
        for neighbor, address in parameters.neighbors:
            for left in neighbor_up(lab, neighbor, parameters.protocol, address):
                raise FaultHasNoEffect(self.name, left)

    def explain(self, parameters: Stopped) -> str:
        return f"{about(self)} It is {DAEMON_OF[parameters.protocol]} of {parameters.node}."

    def evidence(self, parameters: Stopped, network: Observable) -> Iterator[Observation]:
        p, protocol = parameters, parameters.protocol.upper()
        yield from asking.state(network, p.node, f"{protocol} is off", f"{p.node} does not run {protocol}.")
        pattern, because = f"^router {p.protocol}", f"{p.node} has no config of {protocol} any more."
        yield asking.config_matches(p.node, pattern, because, is_absent=True)
        for neighbor, address in p.neighbors:
            yield from asking.neighbor_lost(network, neighbor, p.protocol, address)


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
