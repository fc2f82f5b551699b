"""Comparing two agents, or two runs, on the same tasks.

The tests are about these tasks and trials to come on them; the interval is about tasks like these, which is why it is
clustered by task.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pytest_netbench.stats.clusters import clustered_share
from pytest_netbench.stats.intervals import Interval

RESAMPLES: Final = 10_000
_SEED: Final = 20_240_601
"""Monte Carlo numbers are the same in each run."""


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Values of 0 to 1 of the trials at one task: of the first and of the second side."""

    first: tuple[float, ...]
    second: tuple[float, ...]

    @property
    def difference(self) -> float:
        """Mean of the second side less that of the first."""
        return sum(self.second) / len(self.second) - sum(self.first) / len(self.first)


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """What a comparison says.

    Attributes:
        tasks: How many were compared.
        first: Mean over tasks of the first side's mean.
        second: The same of the second side.
        interval: Of the difference, 95 %, for tasks like these: by bootstrap over tasks, or of both sides' intervals
            if all tasks have the same difference. ``None`` if that is of values beyond 0 to 1.
        p: That a difference as large arises by chance if trials of both sides are alike, two-sided.
        method: How ``p`` was found: ``McNemar`` (exact) or ``permutation``.
    """

    tasks: int
    first: float
    second: float
    interval: Interval | None
    p: float
    method: str

    @property
    def difference(self) -> float:
        """Of the means."""
        return self.second - self.first


def compare(pairs: Sequence[Pair]) -> Comparison:
    """Compare two sides on the same tasks.

    With one trial of each side and values of 0 and 1, it is McNemar's exact test; otherwise trials are permuted within
    tasks.

    Raises:
        ValueError: There is no pair.
    """
    if not pairs:
        raise ValueError("there is nothing to compare")
    sides = [[sum(side) / len(side) for side in one] for one in ((p.first for p in pairs), (p.second for p in pairs))]
    first, second = (sum(side) / len(pairs) for side in sides)
    is_binary = all(len(p.first) == len(p.second) == 1 and {*p.first, *p.second} <= {0.0, 1.0} for p in pairs)
    return Comparison(
        tasks=len(pairs),
        first=first,
        second=second,
        interval=_bootstrap([pair.difference for pair in pairs]) or _square_and_add(pairs),
        p=_mcnemar(pairs) if is_binary else _permuted(pairs),
        method="McNemar" if is_binary else "permutation",
    )


def holm(ps: Sequence[float]) -> list[float]:
    """Adjust p-values for their number (Holm 1979, Scand. J. Statist. 6:65), in the order in which they are given."""
    adjusted, highest = [0.0] * len(ps), 0.0
    for rank, at in enumerate(sorted(range(len(ps)), key=ps.__getitem__)):
        highest = max(highest, min(1.0, (len(ps) - rank) * ps[at]))
        adjusted[at] = highest
    return adjusted


def _mcnemar(pairs: Sequence[Pair]) -> float:
    """McNemar's test (1947) without approximation: of the tasks that differ, half should be better."""
    from scipy.stats import binomtest  # slow to import

    better = sum(pair.difference > 0 for pair in pairs)
    worse = sum(pair.difference < 0 for pair in pairs)
    return float(binomtest(better, better + worse).pvalue) if better + worse else 1.0


def _permuted(pairs: Sequence[Pair]) -> float:
    """The share of permutations of trials within tasks that differ as much, with the one that was seen."""
    import numpy as np  # slow to import

    source = np.random.default_rng(_SEED)
    differences = np.zeros(RESAMPLES)
    for pair in pairs:
        trials, count = np.array([*pair.first, *pair.second]), len(pair.first)
        if trials.min() == trials.max():
            continue
        mixed = source.permuted(np.tile(trials, (RESAMPLES, 1)), axis=1)
        differences += mixed[:, count:].mean(axis=1) - mixed[:, :count].mean(axis=1)
    seen = abs(sum(pair.difference for pair in pairs))
    return float((np.count_nonzero(np.abs(differences) >= seen - 1e-9) + 1) / (RESAMPLES + 1))


def _bootstrap(differences: Sequence[float]) -> Interval | None:
    """Percentile bootstrap over tasks."""
    if min(differences) == max(differences):
        return None
    import numpy as np  # slow to import

    values, source = np.array(differences), np.random.default_rng(_SEED)
    means = source.choice(values, size=(RESAMPLES, len(values))).mean(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return Interval(low=float(low), high=float(high))


def _square_and_add(pairs: Sequence[Pair]) -> Interval | None:
    """The interval of a difference from those of its sides (Newcombe 1998, Stat. Med. 17:873, method 10).

    It is for pairs of equal differences, which do not tell how others vary. Each side's interval is clustered by task.
    """
    if any(not 0 <= value <= 1 for pair in pairs for value in (*pair.first, *pair.second)):
        return None
    old, new = ([pair.first for pair in pairs], [pair.second for pair in pairs])
    (low_1, value_1, high_1), (low_2, value_2, high_2) = _bounds(old), _bounds(new)
    difference = value_2 - value_1
    return Interval(
        low=max(-1.0, difference - math.hypot(value_2 - low_2, high_1 - value_1)),
        high=min(1.0, difference + math.hypot(high_2 - value_2, value_1 - low_1)),
    )


def _bounds(side: Sequence[tuple[float, ...]]) -> tuple[float, float, float]:
    """Bounds of the mean over tasks, and the mean: each task counts once, however many trials it has."""
    interval = clustered_share(side)
    mean = math.fsum(sum(one) / len(one) for one in side) / len(side)
    return min(interval.low, mean), mean, max(interval.high, mean)
