"""Scores between 0 and 1 read as chances of a pass, so that what holds for passes holds for them. Pure.

A score that is rounded to 1 with the chance of its value, and else to 0, is a pass with the mean of the score.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pytest_netbench.stats.calibration import lower_bounds, pooled

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

_DIGITS = 9


def chance_of(first: Sequence[Sequence[float]], second: Sequence[Sequence[float]], tolerance: float, z: float) -> float:
    """Return the chance that the lower bound of a loss is above the tolerance if scores are rounded.

    Args:
        first: Scores of each task of the baseline.
        second: The same of the other side.
        tolerance: The loss that is accepted.
        z: The quantile of the bound.
    """
    (before, likely), (now, likely_now) = _shares(first), _shares(second)
    counts = tuple(pooled(tuple(len(trials) for trials in side)) for side in (first, second))
    above = lower_bounds(before, now, (counts[0], counts[1]), z) > tolerance + 10**-_DIGITS
    return float(likely @ above @ likely_now)


def _shares(side: Sequence[Sequence[float]]) -> tuple[Numbers, Numbers]:
    """The shares of passes that roundings have, and their chances."""
    import numpy as np  # slow to import

    shares: Numbers = np.zeros(1)
    chances: Numbers = np.ones(1)
    for trials in side:
        weight = 1 / len(trials) / len(side)
        for score in trials:
            both = np.round(np.concatenate([shares, shares + weight]), _DIGITS + 3)
            likely = np.concatenate([chances * (1 - score), chances * score])
            shares, places = np.unique(both, return_inverse=True)
            chances = np.bincount(places, likely).astype(float)
    return shares, chances
