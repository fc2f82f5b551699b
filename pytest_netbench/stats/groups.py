"""Shares and means by group, each with a 95 % interval."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from pytest_netbench.stats.intervals import Interval

LEVEL = 0.95


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """A mean of values of 0 to 1, and its interval; ``None`` of equal values, which do not tell how others vary."""

    value: float
    interval: Interval | None
    count: int


def estimate(values: Sequence[float]) -> Estimate | None:
    """The mean with Student's t interval, cut off at 0 and 1; ``None`` without values.

    Values are taken as independent.
    """
    if not values:
        return None
    mean = math.fsum(values) / len(values)
    if min(values) == max(values):
        return Estimate(value=mean, interval=None, count=len(values))
    half = student(len(values) - 1) * statistics.stdev(values) / math.sqrt(len(values))
    interval = Interval(low=max(0.0, mean - half), high=min(1.0, mean + half))
    return Estimate(value=mean, interval=interval, count=len(values))


def student(freedom: int) -> float:
    """The two-sided 95 % quantile of Student's t distribution."""
    from scipy.stats import t  # slow to import

    return float(t.ppf((1 + LEVEL) / 2, freedom))
