"""What is asked and reported: probes, hops and flows. Pure; standard library only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol


@dataclass(frozen=True, kw_only=True)
class Probe:
    """One packet exchange to try.

    Attributes:
        source: Node that sends.
        target: Address to send to.
        protocol: An echo, a connection, a datagram and its answer, or one packet to which nothing answers: a packet of
            a tunnel (``gre``, ``esp``), a TCP segment with data (PSH and ACK) of a session that nobody opened
            (``segment``), or an ICMP error, host or address unreachable, about a datagram that nobody sent
            (``unreachable``). Such a packet is delivered when a node of ``arrives_at`` accepts it.
        port: Port to send to; ``None`` draws one, which ``listen_on`` then listens on. Only for tcp, udp and segment.
        source_port: For tcp, udp and segment, port to send from; ``None`` draws one.
        source_address: Address to send from, also one that the node does not have; ``None`` leaves it to the node.
        listen_on: For tcp and udp, node that answers on ``listen_port`` during the probe (``None``: whatever listens
            there already).
        listen_port: Port to answer on; ``None`` is ``port``. It differs behind a port forward.
        arrives_at: Nodes at which the packet must be accepted for the probe to be delivered. If empty, it is
            ``listen_on``; without that, arrival is not checked.
        stand_in: Node that takes packets to ``target`` during the probe, an address on its subnet that nobody has.
            The probe is delivered when a packet arrives there; nothing is answered.
        follow: Nodes at which to note that the packet came by.
        dscp: Marking to send with.
        timeout_s: Wall seconds to wait for an answer to each packet.
        repetitions: How often the probe is sent again if it is unanswered; ``None`` leaves it to the call.
    """

    source: str
    target: str
    protocol: Literal["icmp", "tcp", "udp", "gre", "esp", "segment", "unreachable"] = "icmp"
    port: int | None = None
    source_port: int | None = None
    source_address: str | None = None
    listen_on: str | None = None
    listen_port: int | None = None
    arrives_at: tuple[str, ...] = ()
    stand_in: str | None = None
    follow: tuple[str, ...] = ()
    dscp: int = 0
    timeout_s: float = 0.5
    repetitions: int | None = None


@dataclass(frozen=True, kw_only=True)
class ProbeResult:
    """The result of a probe.

    Attributes:
        delivered: The target accepted the packet, and an answer came back; with ``stand_in``, the packet arrived.
        detail: What happened, for people: ``"echo reply after 0.1 ms"``, ``"refused"``.
        received_dscp: Marking that the packet arrived with; ``None`` if nothing arrived or arrival was not checked.
        seen_source: Source address that the packet arrived with.
        sent: The packet left the source's stack.
        arrived: The packet reached an interface of the target, which may have denied it; ``None`` if not checked.
        answered: An answer came back, from any sender.
        arrived_at: Node at which it arrived.
        came_by: Nodes of ``follow`` at which the packet came by, in order.
        one_way_ms: Time to the arrival.
        round_trip_ms: Time to the answer.
    """

    delivered: bool
    detail: str
    received_dscp: int | None = None
    seen_source: str | None = None
    sent: bool = True
    arrived: bool | None = None
    answered: bool = False
    arrived_at: str | None = None
    came_by: tuple[str, ...] = ()
    one_way_ms: float | None = None
    round_trip_ms: float | None = None


@dataclass(frozen=True, kw_only=True)
class Hop:
    """One hop of a path; ``address`` is ``None`` if it did not answer."""

    address: str | None


LEAST_OFFERED = 0.8
"""Share of a rate; a machine that sends less is too busy to measure it."""
LONGEST_STALL_S = 0.2


@dataclass(frozen=True, kw_only=True)
class FlowReport:
    """What happened to a flow, in wall time. Rates in bit/s of IP packets."""

    offered_bps: float
    received_bps: float
    sent_packets: int
    received_packets: int
    mean_delay_ms: float | None = None
    stalled_s: float = 0.0
    """The longest time in which whoever sends did not run although it should have: the machine was busy."""

    def is_as_asked(self, rate_bps: float) -> bool:
        """Whether the machine sent a flow at about the rate that was asked for, without a long pause.

        A packet more or less is no difference: in a short time there are few.
        """
        if not self.sent_packets or self.stalled_s > LONGEST_STALL_S:
            return False
        return self.offered_bps * (self.sent_packets + 1) / self.sent_packets >= LEAST_OFFERED * rate_bps


class OfferedFlow(Protocol):
    """What traffic needs to know of a flow; ``model.testcase.Flow`` and ``Flow`` have it."""

    @property
    def source(self) -> str:
        """Node that sends."""
        ...

    @property
    def target(self) -> str:
        """Node that receives."""
        ...

    @property
    def protocol(self) -> Literal["udp", "tcp"]:
        """How."""
        ...

    @property
    def port(self) -> int:
        """Port to send to, at which nobody else listens."""
        ...

    @property
    def source_address(self) -> str | None:
        """Address of the source to send from; ``None`` leaves it to the node."""
        ...

    @property
    def dscp(self) -> int:
        """Marking to send with."""
        ...

    @property
    def rate_bps(self) -> int:
        """Bits of IP packets a second."""
        ...

    @property
    def packet_bytes(self) -> int:
        """Size of each IP packet, in bytes."""
        ...


@dataclass(frozen=True, kw_only=True)
class Flow:
    """Traffic to offer.

    Attributes:
        source: Node that sends.
        target: Node that receives.
        rate_bps: Bits of IP packets a second.
        protocol: How.
        port: Port to send to, at which nobody else listens.
        source_address: Address of the source to send from; ``None`` leaves it to the node.
        dscp: Marking to send with.
        packet_bytes: Size of each IP packet, in bytes.
    """

    source: str
    target: str
    rate_bps: int
    protocol: Literal["udp", "tcp"] = "udp"
    port: int = 5001
    source_address: str | None = None
    dscp: int = 0
    packet_bytes: int = 1000
