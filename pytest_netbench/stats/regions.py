"""Failures by region: an axis of a task, such as its label, and a value on it."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

Regions = Mapping[str, Sequence[str]]
"""By axis: the values of a task. An axis has several values if, for example, several things are broken."""

_WEIGHT: Final = 4
"""A region of which nothing is known counts as one with at most so many verdicts of a kind beside one of the other."""


class Count(NamedTuple):
    """Trials in a region that failed, and all of them."""

    failed: int
    trials: int

    @property
    def share(self) -> float:
        """The share that failed; 0 without trials."""
        return self.failed / self.trials if self.trials else 0.0


class Tally:
    """Counts verdicts by region.

    Args:
        verdicts: Regions of a task, and whether the trial failed.
    """

    def __init__(self, verdicts: Iterable[tuple[Regions, bool]] = ()) -> None:
        self._axes: dict[str, dict[str, Count]] = {}
        self.total = Count(0, 0)
        for regions, failed in verdicts:
            self.total = _more(self.total, failed=failed)
            for axis, values in regions.items():
                counts = self._axes.setdefault(axis, {})
                for value in dict.fromkeys(values):
                    counts[value] = _more(counts.get(value, Count(0, 0)), failed=failed)

    @property
    def axes(self) -> Mapping[str, Mapping[str, Count]]:
        """By axis and value: the counts. Axes in the order of their first task."""
        return self._axes

    def of(self, axis: str, value: str) -> Count:
        """The counts of a region."""
        return self._axes.get(axis, {}).get(value, Count(0, 0))

    def chance(self, axis: str, value: str, source: random.Random) -> float:
        """Draw a chance of failure for a region from what is known of it (Thompson sampling).

        It is drawn from a Beta distribution with whole parameters: the number ``a`` by size of ``a + b - 1`` uniform
        numbers. So it needs no logarithm, and is equal on every machine. The prior is close to what is known of all
        regions together, with little weight.
        """
        failures, passes = self._prior
        known = self.of(axis, value)
        failures, passes = failures + known.failed, passes + known.trials - known.failed
        return sorted(source.random() for _ in range(failures + passes - 1))[failures - 1]

    @property
    def _prior(self) -> tuple[int, int]:
        """Failures and passes that a region begins with; one of the two is 1."""
        failed, passed = self.total.failed + 1, self.total.trials - self.total.failed + 1
        return min(_WEIGHT, max(1, round(failed / passed))), min(_WEIGHT, max(1, round(passed / failed)))


def _more(count: Count, *, failed: bool) -> Count:
    return Count(count.failed + failed, count.trials + 1)
