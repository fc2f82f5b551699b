"""Faults of cables.

They are outside the nodes: no config, process or file of a node shows them, and no command on a node repairs them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from ipaddress import IPv4Network
from typing import ClassVar, Final, Generic, TypeVar

from pytest_netbench.errors import FaultHasNoEffect
from pytest_netbench.faults import carriers
from pytest_netbench.faults.evidence import asking
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.evidence.observation import Matches, Observation
from pytest_netbench.faults.protocol import Commands
from pytest_netbench.faults.wording import about
from pytest_netbench.lab.capabilities import LINKS
from pytest_netbench.lab.probing import FlowReport, Probe
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.base import Model
from pytest_netbench.model.network import DrawnNetwork
from pytest_netbench.model.testcase import Flow
from pytest_netbench.model.topology import LinkQuality

SOME_LOST: Final = r'"sent_packets": (\d+), "received_packets": (?!\1\b)[1-9]'
"""In an answer of ``measure-rate``: some packets arrive, and not all."""
LOSS: Final = 0.25
RATE_BPS: Final = 500_000
_PACKETS: Final = 64
"""With a loss of a quarter each way, one of ten million series of so many echoes loses none."""
_OFFERED: Final = 8
"""How many times the rate of the line is offered to see that it is the limit."""
_OFFERED_S: Final = 0.3
_PORT: Final = 5201
_TRIES: Final = 3
"""Series of pings, of which one happens to be answered wholly now and then."""


class Cable(Model):
    """A cable, by both its ends."""

    node: str
    interface: str
    peer_node: str
    peer_interface: str

    @property
    def ends(self) -> tuple[tuple[str, str], tuple[str, str]]:
        """Node and interface of each end."""
        return (self.node, self.interface), (self.peer_node, self.peer_interface)


class RoutedCable(Cable):
    """A cable between two interfaces of one subnet, and the address at its second end."""

    peer_address: str


P = TypeVar("P", bound=Cable)


class CableFault(ABC, Generic[P]):
    """What faults of cables share. A subclass says where it fits, how it is made, and how it is measured."""

    name: str
    label: ClassVar[str]
    lets_through: bool = False
    platforms: tuple[str, ...] = ("frr", "cisco_ios", "linux")
    requires: tuple[str, ...] = ("links",)
    called: Mapping[str, str] = {}
    found_at: ClassVar[str] = "link"
    domain: ClassVar[str] = "link"

    def touches(self, parameters: P) -> frozenset[str]:
        return frozenset(f"{node} {interface}" for node, interface in parameters.ends)

    def cuts(self, parameters: P) -> frozenset[str]:  # noqa: ARG002  (only a lab shows what it breaks)
        return frozenset()

    def recover(self, parameters: P) -> Commands:  # noqa: ARG002  (a node cannot repair its cable)
        return {}

    def explain(self, parameters: P) -> str:
        one, other = (" ".join(end) for end in parameters.ends)
        return f"{about(self)} It is the cable between {one} and {other}."

    @abstractmethod
    def places(self, network: DrawnNetwork) -> Iterable[P]:
        """Each cable that it fits."""

    @abstractmethod
    def inject(self, parameters: P, lab: Lab) -> None:
        """Make it."""

    @abstractmethod
    def undo(self, parameters: P, lab: Lab) -> None:
        """Make the cable as it was."""

    @abstractmethod
    def observe(self, parameters: P, lab: Lab) -> None:
        """See it from the nodes."""


def at_ends(parameters: Cable, network: Observable, state: str, words: str) -> Iterator[Observation]:
    """What each end of a cable shows that an agent can look at."""
    for node, interface in parameters.ends:
        yield from asking.state(network, node, state, f"{interface} of {node} {words}.", interface=interface)


def over(parameters: RoutedCable, network: Observable, state: str, words: str) -> Iterator[Observation]:
    """What pings show that are sent from one end of a cable to the other one."""
    because = f"The cable between {parameters.node} and {parameters.peer_node} {words}."
    for one in asking.state(network, parameters.node, state, because, address=parameters.peer_address):
        yield one.model_copy(update={"tries": _TRIES})


def fewer(parameters: RoutedCable, network: Observable) -> Iterator[Observation]:
    """Not all packets arrive that are sent over a cable; none if no two hosts are known to use it."""
    hosts = network.across(parameters.node, parameters.peer_node)
    if hosts is not None:
        because = f"Some packets from {hosts[0]} to {hosts[1]} are lost."
        yield rate(hosts, 1_000_000, SOME_LOST, because)


def rate(
    hosts: tuple[str, str], rate_bps: int, pattern: str, because: str, *, tries: int = 1, burst_packets: int = 1
) -> Observation:
    """What arrives from one host to another one, as a regular expression of the answer."""
    source, target = hosts
    bursts = {"burst_packets": burst_packets} if burst_packets > 1 else {}
    return Observation(
        method="measure-rate",
        params={"source": source, "target": target, "rate_bps": rate_bps, **bursts},
        shows=Matches(pattern=pattern),
        because=because,
        tries=tries,
    )


def _cables(network: DrawnNetwork) -> Iterator[Cable]:
    """The cables that an agent can look at from one end: nobody could tell which of the others is wrong."""
    controls = network.topology.controls
    for link in network.topology.links:
        if len(link.endpoints) == 2 and any(controls[end.node] != "foreign" for end in link.endpoints):
            one, other = link.endpoints
            yield Cable(node=one.node, interface=one.interface, peer_node=other.node, peer_interface=other.interface)


class LinkDown(CableFault[Cable]):
    """A cable is cut: the interfaces at both its ends have no carrier, although nobody shut them down."""

    name = "link-down"
    label = "LINK"
    parameters = Cable
    called = {"nika": "link_down"}

    def places(self, network: DrawnNetwork) -> Iterator[Cable]:
        return _cables(network)

    def inject(self, parameters: Cable, lab: Lab) -> None:
        lab.capability(LINKS).cut(parameters.node, parameters.interface)

    def undo(self, parameters: Cable, lab: Lab) -> None:
        lab.capability(LINKS).restore(parameters.node, parameters.interface)

    def observe(self, parameters: Cable, lab: Lab) -> None:
        for node, interface in parameters.ends:
            if carriers.has_carrier(lab, node, interface):
                raise FaultHasNoEffect(self.name, f"{node} {interface} has carrier")

    def evidence(self, parameters: Cable, network: Observable) -> Iterator[Observation]:
        return at_ends(parameters, network, "no carrier", "has no carrier, and is not shut down")


class LinkFlapping(CableFault[Cable]):
    """A cable has a loose contact: again and again both its ends lose carrier, and have it again some time later."""

    name = "link-flapping"
    label = "FLAP"
    parameters = Cable
    called = {"nika": "link_flap"}
    down_s, up_s = 15.0, 45.0
    """Lab seconds."""

    def places(self, network: DrawnNetwork) -> Iterator[Cable]:
        return _cables(network)

    def inject(self, parameters: Cable, lab: Lab) -> None:
        links = lab.capability(LINKS)
        links.flap(parameters.node, parameters.interface, down_s=self.down_s, up_s=self.up_s)

    def undo(self, parameters: Cable, lab: Lab) -> None:
        lab.capability(LINKS).restore(parameters.node, parameters.interface)

    def observe(self, parameters: Cable, lab: Lab) -> None:
        seen = carriers.watch(lab, *parameters.ends[0], period_s=self.down_s + self.up_s)
        if len(seen) < 2:
            state = "has carrier" if seen == {True} else "has no carrier"
            raise FaultHasNoEffect(self.name, f"{' '.join(parameters.ends[0])} {state} all the time")

    def evidence(self, parameters: Cable, network: Observable) -> Iterator[Observation]:
        return at_ends(parameters, network, "carrier was lost", "has lost its carrier")


class RoutedCableFault(CableFault[RoutedCable]):
    """A cable that carries packets, and not as it should. Its ends have addresses of one subnet, to measure it."""

    parameters = RoutedCable
    requires = ("links", "probes")

    def places(self, network: DrawnNetwork) -> Iterator[RoutedCable]:
        return (cable for cable, _ in routed_cables(network))


def routed_cables(network: DrawnNetwork) -> Iterator[tuple[RoutedCable, str]]:
    """Each cable whose ends have addresses of one subnet, with the address of its first end."""
    addressed = {
        (one.node, one.interface): (one.address, IPv4Network(subnet.prefix))
        for subnet in network.subnets
        for one in subnet.attachments
    }
    for cable in _cables(network):
        one, other = (addressed.get(end) for end in cable.ends)
        if one and other and one[1] == other[1]:
            yield RoutedCable(**cable.model_dump(), peer_address=other[0]), one[0]


class _Worse(RoutedCableFault):
    """A cable of another quality."""

    quality: ClassVar[LinkQuality]

    def inject(self, parameters: RoutedCable, lab: Lab) -> None:
        lab.capability(LINKS).set_quality(parameters.node, parameters.interface, self.quality)

    def undo(self, parameters: RoutedCable, lab: Lab) -> None:
        lab.capability(LINKS).set_quality(parameters.node, parameters.interface, LinkQuality())


class LinkLossy(_Worse):
    """A cable loses a part of the packets, each way, and carries the others; its ends keep carrier."""

    name = "link-lossy"
    label = "LOSS"
    quality = LinkQuality(loss=LOSS)

    def observe(self, parameters: RoutedCable, lab: Lab) -> None:
        echo = Probe(source=parameters.node, target=parameters.peer_address, timeout_s=0.2, repetitions=0)
        answered = [one.delivered for one in lab.prober.probe([echo] * _PACKETS)]
        if all(answered) or not any(answered):
            how_many = "each" if all(answered) else "none"
            raise FaultHasNoEffect(
                self.name,
                f"{how_many} of {_PACKETS} echoes from {parameters.node} to {parameters.peer_address} is answered",
            )

    def evidence(self, parameters: RoutedCable, network: Observable) -> Iterator[Observation]:
        yield from over(parameters, network, "some pings lost", "loses some of the packets")
        yield from fewer(parameters, network)


class LinkSlow(_Worse):
    """A cable has a much lower rate than the traffic needs: packets queue before it, and what does not fit is lost."""

    name = "link-slow"
    label = "RATE"
    called = {"nika": "link_capacity_bottleneck"}
    quality = LinkQuality(rate_bps=RATE_BPS)

    def observe(self, parameters: RoutedCable, lab: Lab) -> None:
        report = _offered(parameters, lab)
        if not report.received_packets or report.received_bps > 2 * RATE_BPS:
            reason = f"{report.received_bps / 1000:.0f} of {report.offered_bps / 1000:.0f} kbit/s arrive"
            raise FaultHasNoEffect(self.name, f"{parameters.node} to {parameters.peer_address}: {reason}")

    def evidence(self, parameters: RoutedCable, network: Observable) -> Iterator[Observation]:
        yield from over(parameters, network, "slow pings", "makes packets wait")
        hosts = network.across(parameters.node, parameters.peer_node)
        if hosts is not None:
            most = r'"received_bps": (?:\d{1,5}|[1-9]\d{5}|1[0-3]\d{5})\.'
            because = f"Less than 1.4 of 3 Mbit/s arrive from {hosts[0]} to {hosts[1]}."
            yield rate(hosts, 3_000_000, most, because)


def _offered(parameters: RoutedCable, lab: Lab) -> FlowReport:
    """What arrives of much more than the line carries."""
    flow = Flow.model_validate(
        {"from": parameters.node, "to": parameters.peer_node, "port": _PORT, "rate_bps": _OFFERED * RATE_BPS}
    )
    (report,) = lab.prober.traffic([flow], [parameters.peer_address], duration_s=_OFFERED_S)
    return report
