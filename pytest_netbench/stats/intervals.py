"""Intervals for shares of few trials."""

from __future__ import annotations

import math
from dataclasses import dataclass

Z_95 = 1.959963984540054
"""Two-sided 95 % quantile of the standard normal distribution."""


@dataclass(frozen=True, kw_only=True)
class Interval:
    """Bounds of a share, 0…1."""

    low: float
    high: float


def wilson(successes: float, trials: float, *, z: float = Z_95) -> Interval:
    """Wilson's score interval for a share (Wilson 1927, JASA 22:209, without continuity correction).

    It has a width at 0 and at 1 too, where Wald's has none, and takes trials as independent.

    Args:
        successes: How many succeeded; of a weighted share not a whole number.
        trials: Out of how many, at least one.
        z: Quantile of the standard normal distribution; the default gives 95 %.

    Raises:
        ValueError: The counts make no share.
    """
    _require_share(successes, trials)
    share = successes / trials
    denominator = 1 + z * z / trials
    centre = (share + z * z / (2 * trials)) / denominator
    half = z / denominator * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    return Interval(
        low=0.0 if successes == 0 else max(0.0, centre - half),
        high=1.0 if successes == trials else min(1.0, centre + half),
    )


def wald(successes: int, trials: int) -> Interval:
    """Wald's interval for a share, as NetArena reports it: the share plus or minus 1.96 standard errors.

    It has no width at 0 and at 1 and is too narrow near them; use another one for what you claim yourself.

    Raises:
        ValueError: The counts make no share.
    """
    _require_share(successes, trials)
    share = successes / trials
    half = Z_95 * math.sqrt(share * (1 - share) / trials)
    return Interval(low=max(0.0, share - half), high=min(1.0, share + half))


def clopper_pearson(successes: int, trials: int) -> Interval:
    """The exact interval of Clopper and Pearson (1934) for a share of independent trials.

    It covers at least 95 % for each share, and more for most.

    Raises:
        ValueError: The counts make no share.
    """
    from scipy.stats import binomtest  # slow to import

    _require_share(successes, trials)
    found = binomtest(successes, trials).proportion_ci(confidence_level=0.95, method="exact")
    return Interval(low=float(found.low), high=float(found.high))


def _require_share(successes: float, trials: float) -> None:
    if not 0 <= successes <= trials or trials < 1:
        raise ValueError(f"{successes} of {trials} is not a share")
