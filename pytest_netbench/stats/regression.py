"""Whether an agent has become worse: a verdict with a stated level, on a fixed set of tasks.

The loss is the mean over tasks of how much less often the agent passes. Trials of a task are taken as independent. Two
estimates of the variance are both too large rather than too small: that of all trials as if tasks were equal (a sum of
unequal Bernoulli variables varies less than one of equal ones), and that within tasks with half a pass and half a
failure added to each. The smaller one counts; with few tasks always the first.

Bounds are asymptotic. With few trials their quantile is raised until they hold (``calibration``).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Final, Literal

from pytest_netbench.stats.calibration import SMALL, Design, calibrated, pooled
from pytest_netbench.stats.intervals import Interval, wilson
from pytest_netbench.stats.paired import Pair
from pytest_netbench.stats.rounding import chance_of

Kind = Literal["ok", "regressed", "inconclusive"]
MANY_TASKS: Final = 20
"""From so many tasks on, the variance within tasks is used too, and the bounds of the first look may be wrong in up to
``_SLACK`` of its part of the level: looks at the same trials are wrong together, so five looks keep the level."""
_SLACK: Final = 1.52
_STEPS: Final = 400
_MOST: Final = 200
"""A verdict that needs more than so many times the trials is not said to be near."""


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What can be said of a loss.

    Attributes:
        kind: ``regressed``: it is above the tolerance. ``ok``: it is not. ``inconclusive``: neither is sure.
        loss: As it was seen.
        low: The loss is at least this, at the stated level.
        high: The loss is at most this, at the stated level.
        more: If inconclusive: how many more trials of each task, on both sides, would tell if shares stay as they are;
            ``None`` if no affordable number would.
    """

    kind: Kind
    loss: float
    low: float
    high: float
    more: int | None = None


def spent(level: float, look: int) -> float:
    """The part of a level that the ``look``-th look may spend, from 1: all looks together spend no more than the level.

    Raises:
        ValueError: There is no such look.
    """
    if look < 1:
        raise ValueError(f"looks are counted from 1, not {look}")
    return level * 6 / (math.pi * look) ** 2


def judge(
    pairs: Sequence[Pair], *, tolerance: float, level: float = 0.05, look: int = 1, ahead: bool = True
) -> Verdict:
    """Compare two sides at the same tasks, the first being the baseline.

    Args:
        pairs: Trials of each task, 1 for a pass and 0 for a failure, or scores between (they vary less than passes).
        tolerance: The loss that is accepted, e.g. 0.02.
        level: How often, at most, ``regressed`` or ``ok`` may be wrong.
        look: How many times this comparison was made, this time included, with more trials each time.
        ahead: Whether to compute ``more``.

    Raises:
        ValueError: There is no pair, or a value is not between 0 and 1.
    """
    if not pairs or any(not 0 <= value <= 1 for pair in pairs for value in (*pair.first, *pair.second)):
        raise ValueError("each task needs trials of both sides, with values from 0 to 1")
    sides = _sides(pairs)
    shares, counts = [_mean(side) for side in sides], [_effective(side) for side in sides]
    first, second = (designed(side) for side in sides)
    scored = len(pairs) < MANY_TASKS and any(0 < value < 1 for side in sides for one in side for value in one)
    quantiles = quantiles_of(
        first, second, tolerance=tolerance, level=level, look=look, scored=scored, shares=(shares[0], shares[1])
    )
    low, high = _bounds(shares, counts, quantiles)
    if scored and low > tolerance and chance_of(sides[0], sides[1], tolerance, quantiles[0]) < 0.5:
        low = tolerance
    if scored and high <= tolerance and chance_of(sides[1], sides[0], -tolerance, quantiles[1]) < 0.5:
        high = math.nextafter(tolerance, math.inf)
    kind = _kind(low, high, tolerance)
    verdict = Verdict(kind=kind, loss=shares[0] - shares[1], low=low, high=high)
    if kind != "inconclusive" or not ahead:
        return verdict
    return replace(verdict, more=_more(pairs, tolerance, level, look))


def quantiles_of(
    first: Design,
    second: Design,
    *,
    tolerance: float,
    level: float,
    look: int = 1,
    scored: bool = False,
    shares: tuple[float, float] | None = None,
) -> tuple[float, float]:
    """Return the normal quantiles of the lower and of the upper bound of a loss.

    Args:
        first: Trials of each task of the baseline.
        second: The same now.
        tolerance: The loss that is accepted.
        level: How often, at most, a verdict may be wrong.
        look: Which look it is.
        scored: Whether values lie between 0 and 1. With few tasks each is rounded to 0 or 1 with its chance; what holds
            for at least half of the roundings is wrong at most twice as often as what holds for one.
        shares: Of both sides, as they were seen. With many tasks only rates near them are taken into account.
    """
    part, many = spent(level, look), len(first) >= MANY_TASKS
    allowed = part * _SLACK if many else part / 2 if scored else part
    first, second, z = tuple(sorted(first)), tuple(sorted(second)), NormalDist().inv_cdf(1 - part)
    near = [(0.0, 1.0), (0.0, 1.0)]
    if many and shares is not None:
        near = [_near(share, side) for share, side in zip(shares, (first, second), strict=True)]
    low = calibrated(first, second, tolerance=tolerance, allowed=allowed, z=z, near=near[0])
    high = calibrated(second, first, tolerance=-tolerance, allowed=allowed, z=z, near=near[1])
    return low, high


def _near(share: float, design: Design) -> tuple[float, float]:
    """Where the mean rate is, but for a chance of 0.3 %, in steps that many shares have in common."""
    bounds = wilson(share * pooled(design), pooled(design), z=3.0)
    return math.floor(bounds.low * _STEPS) / _STEPS, math.ceil(bounds.high * _STEPS) / _STEPS


def designed(side: Sequence[Sequence[float]]) -> Design:
    """How many trials each task has."""
    return tuple(len(trials) for trials in side)


def _kind(low: float, high: float, tolerance: float) -> Kind:
    return "regressed" if low > tolerance else "ok" if high <= tolerance else "inconclusive"


def _mean(sides: Sequence[Sequence[float]]) -> float:
    return math.fsum(sum(side) / len(side) for side in sides) / len(sides)


def _effective(side: Sequence[Sequence[float]]) -> float:
    """As many trials as a single share of the same variance would have had."""
    alike = pooled(designed(side))
    share = _mean(side)
    if len(side) < MANY_TASKS or not 0 < share < 1 or any(len(trials) == 1 for trials in side):
        return alike
    within = math.fsum(variance_of(sum(trials), len(trials)) for trials in side) / len(side) ** 2
    return max(alike, share * (1 - share) / within)


def variance_of(passed: float, trials: int) -> float:
    """Of a task's share of passes; on average not under the true one, whatever that is."""
    return (passed + 0.5) * (trials - passed + 0.5) / (trials + 1) ** 2 / (trials - 1)


def _bounds(shares: Sequence[float], counts: Sequence[float], quantiles: tuple[float, float]) -> tuple[float, float]:
    """Bounds of a difference from Wilson's bounds of both shares (Newcombe 1998, Stat. Med. 17:873, method 10)."""
    lower, upper = quantiles
    loss = shares[0] - shares[1]
    low, high = -1.0, 1.0
    if math.isfinite(lower):
        first, second = _wilson(shares, counts, lower)
        low = max(low, loss - math.hypot(shares[0] - first.low, second.high - shares[1]))
    if math.isfinite(upper):
        first, second = _wilson(shares, counts, upper)
        high = min(high, loss + math.hypot(first.high - shares[0], shares[1] - second.low))
    return low, high


def _wilson(shares: Sequence[float], counts: Sequence[float], z: float) -> tuple[Interval, Interval]:
    first, second = (wilson(min(share * count, count), count, z=z) for share, count in zip(shares, counts, strict=True))
    return first, second


def _more(pairs: Sequence[Pair], tolerance: float, level: float, look: int) -> int | None:
    """Further trials of each task after which equal shares would give a verdict at the next look."""
    sides = _sides(pairs)
    shares, counts = [_mean(side) for side in sides], [_effective(side) for side in sides]
    now = sum(len(pair.second) for pair in pairs) / len(pairs)
    z = NormalDist().inv_cdf(1 - spent(level, look + 1))

    def tells(times: int, quantiles: tuple[float, float]) -> bool:
        low, high = _bounds(shares, [count * times for count in counts], quantiles)
        return _kind(low, high, tolerance) != "inconclusive"

    for times in range(2, _MOST + 1):
        if not tells(times, (z, z)):  # calibrated bounds are not closer
            continue
        first, second = (tuple(len(trials) * times for trials in side) for side in sides)
        if sum(first) + sum(second) > SMALL or tells(
            times, quantiles_of(first, second, tolerance=tolerance, level=level, look=look + 1)
        ):
            return math.ceil(now * (times - 1))
    return None


def _sides(pairs: Sequence[Pair]) -> tuple[list[tuple[float, ...]], list[tuple[float, ...]]]:
    return [pair.first for pair in pairs], [pair.second for pair in pairs]
