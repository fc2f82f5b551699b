"""Turns counters of interfaces into the averages that a monitoring system keeps. Knows no lab."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pytest_netbench.model.monitoring import Monitoring
from pytest_netbench.platforms.capabilities import InterfaceCounters
from pytest_netbench.randomness import seeded

MISSING: Final = 0.2
"""Share of the polls that fail."""
INEXACT: Final = 0.15
"""A poll comes up to so much of the period too early or too late, and the average is taken over the whole period."""
Port = tuple[str, str]
"""Node and interface."""


class Averages:
    """The averages of a network, poll by poll.

    Args:
        monitoring: Which interfaces are polled, and what they are called.
    """

    def __init__(self, monitoring: Monitoring) -> None:
        self._monitoring = monitoring
        self._source = seeded(monitoring.seed)
        self._before: dict[Port, InterfaceCounters] = {}
        self._polled: tuple[float, float] | None = None

    @property
    def nodes(self) -> frozenset[str]:
        """The nodes that are polled."""
        return frozenset(one.node for one in self._monitoring.ports)

    def is_due(self, lab_s: float) -> bool:
        """Whether it is time for the next poll."""
        return self._polled is None or lab_s - self._polled[1] >= self._monitoring.every_s

    def rows(self, now: tuple[float, float], counters: Mapping[Port, InterfaceCounters]) -> Iterator[tuple[Any, ...]]:
        """The rows of a poll, from ``node`` on: of interfaces that answer now and answered before.

        Rates are of wall seconds, in which traffic flows, so they are those of the flows however lab time passes.

        Args:
            now: Wall seconds without those in which the lab stood still, and lab seconds.
            counters: Of the interfaces that answer.
        """
        before, self._before = self._before, dict(counters)
        then, self._polled = self._polled, now
        for port in self._monitoring.ports:
            # drawn for those that do not answer as well: the others have the same values without the fault
            is_missing = self._source.random() < MISSING
            factor = 1 + INEXACT * (2 * self._source.random() - 1)
            end = (port.node, port.interface)
            if then is None or is_missing or not (end in before and end in counters):
                continue
            packets, octets, errors, drops = _both_ways(counters[end], before[end])
            per_s = factor / (now[0] - then[0])
            yield (
                *(port.node_label, port.interface_label),
                *(round(8 * octets * per_s, -2), round(packets * per_s, 1), errors + drops),
            )


def _both_ways(now: InterfaceCounters, then: InterfaceCounters) -> tuple[int, int, int, int]:
    """Packets, bytes, errors and drops of both directions together."""
    change = {name: value - getattr(then, name) for name, value in vars(now).items()}
    packets, octets, errors, drops = (
        change[f"received_{what}"] + change[f"sent_{what}"] for what in ("packets", "bytes", "errors", "drops")
    )
    return packets, octets, errors, drops
