"""Real packets between nodes of a running lab: what may be asked, and what is reported."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from pytest_netbench.model.testcase import Flow


@dataclass(frozen=True, kw_only=True)
class Probe:
    """One packet exchange to try.

    ``target`` is an address. For tcp and udp, ``listen_on`` is the node that answers on ``listen_port`` for the time of the
    probe (``None``: whatever is there already).
    """

    source: str
    target: str
    protocol: Literal["icmp", "tcp", "udp"] = "icmp"
    port: int | None = None
    source_address: str | None = None
    listen_on: str | None = None
    listen_port: int | None = None
    dscp: int = 0
    timeout_s: float = 0.5


@dataclass(frozen=True, kw_only=True)
class ProbeResult:
    """``delivered``: the exchange worked both ways. ``detail`` is for people: ``"2 of 2 replies, 0.1 ms"``, ``"refused"``.

    ``received_dscp`` and ``seen_source`` are what the listener saw (``None`` if nothing arrived or nobody listened).
    """

    delivered: bool
    detail: str
    received_dscp: int | None = None
    seen_source: str | None = None


@dataclass(frozen=True, kw_only=True)
class Hop:
    """One hop of a path; ``address`` is ``None`` if it did not answer."""

    address: str | None


@dataclass(frozen=True, kw_only=True)
class FlowReport:
    """What happened to a flow, in wall time. Rates in bit/s of IP packets."""

    offered_bps: float
    received_bps: float
    sent_packets: int
    received_packets: int
    mean_delay_ms: float | None = None


class Prober(Protocol):
    """Real packets between nodes. One process per node serves many targets."""

    def probe(self, probes: Sequence[Probe]) -> list[ProbeResult]:
        """Try all probes side by side; results in order."""
        ...

    def path(self, source: str, target: str, *, max_hops: int = 16, timeout_s: float = 0.3) -> list[Hop]:
        """Hops from ``source`` to the address ``target``, the target last if it answered."""
        ...

    def traffic(self, flows: Sequence[Flow], targets: Sequence[str], *, duration_s: float) -> list[FlowReport]:
        """Run all flows at once for ``duration_s`` wall seconds. ``targets`` are addresses, one per flow.

        The receiving node of a flow is ``flow.target``.
        """
        ...

    def addresses(self, node: str) -> tuple[str, ...]:
        """Addresses of ``node`` that others can be told (global scope, no loopback 127/8 or ::1), topology order."""
        ...
