"""Probes with real packets between nodes of a running lab."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from pytest_netbench.model.testcase import Flow
from pytest_netbench.probing.records import FlowReport, Hop, Probe, ProbeResult

__all__ = ["FlowReport", "Hop", "Probe", "ProbeResult", "Prober", "Samples"]


class Prober(Protocol):
    """Real packets between nodes."""

    def probe(self, probes: Sequence[Probe], *, repetitions: int = 1, seed: int | None = None) -> list[ProbeResult]:
        """Try all probes side by side, and those without an answer again; results in order.

        Args:
            probes: Any number of them.
            repetitions: How often an unanswered probe is sent again, if it does not say so itself.
            seed: Draws the same ports, sizes and contents again; ``None`` draws other ones each time.
        """
        ...

    def path(self, source: str, target: str, *, max_hops: int = 16, timeout_s: float = 0.3) -> list[Hop]:
        """Hops from ``source`` to the address ``target``, the target last if it answered."""
        ...

    def traffic(
        self, flows: Sequence[Flow], targets: Sequence[str], *, duration_s: float, warmup_s: float | None = None
    ) -> list[FlowReport]:
        """Run all flows at once. The receiving node of a flow is ``flow.target``.

        Args:
            flows: The flows.
            targets: Addresses, one per flow.
            duration_s: Wall seconds that are measured.
            warmup_s: Wall seconds of traffic before. ``None``: the first quarter of ``duration_s`` is not measured.
        """
        ...

    def addresses(self, node: str) -> tuple[str, ...]:
        """Addresses of ``node`` that others can use (global scope, no loopback 127/8 or ::1), topology order."""
        ...


@runtime_checkable
class Samples(Protocol):
    """A prober that types its probes on the consoles of nodes: it measures some of what may be asked, and slowly."""

    @property
    def probes_per_s(self) -> float:
        """How many probes it measures in a wall second, roughly."""
        ...

    def beyond(self, probe: Probe) -> str | None:
        """Why a probe cannot be measured at all, in a phrase; ``None`` if it can."""
        ...
