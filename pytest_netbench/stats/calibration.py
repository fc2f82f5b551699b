"""Quantiles for which the bounds of a loss hold with few trials. Pure.

The bounds of ``regression`` are asymptotic. For a design, that is how many trials each task has on both sides, this
module computes how often an accepted loss would be called a regression, and raises the quantile until that is at most
what is allowed. Trials are independent; tasks may have different rates.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

Design = tuple[int, ...]
"""How many trials each task has, on one side."""

MOST_TRIALS: Final = 400
"""With more on both sides nothing is computed: the asymptotic bounds are kept."""
_EXACT: Final = 1_200
"""Up to so many steps, shares are computed on their common lattice."""
_COLUMNS: Final = 400
"""Of others, and of large designs, so many steps are kept; shares are rounded to them."""
_MEANS: Final = (201, 51)
SMALL: Final = 110
"""Trials of both sides up to which means of rates are tried in fine steps."""
_SPARE: Final = (0.998, 0.96, 0.82)
"""The part of the allowed share that is used with one, two and more numbers of trials: the search is over a grid."""
_MOST_PATTERNS: Final = 120
_HIGHEST: Final = 16.0
_NEVER: Final = 1e-25
"""Lower chances are taken as 0: products of such numbers are slow."""


class _Side(NamedTuple):
    """Shares that a side can have, and their chances by mean (rows) and pattern (first axis)."""

    shares: Numbers
    chances: Numbers
    possible: Numbers


class _Part(NamedTuple):
    """Of a group of tasks: how many always pass, how many pass at a rate, and how far that is from the common rate.

    The rest never passes.
    """

    passing: int
    active: int
    offset: float


@cache
def calibrated(
    first: Design,
    second: Design,
    *,
    tolerance: float,
    allowed: float,
    z: float,
    near: tuple[float, float] = (0.0, 1.0),
) -> float:
    """Return the smallest quantile, at least ``z``, with which the lower bound of a loss holds often enough.

    Args:
        first: Trials of each task of the baseline, sorted.
        second: The same of the other side.
        tolerance: The loss that is accepted, -1 to 1. With sides exchanged and the negative tolerance it is the
            quantile of the upper bound.
        allowed: How often, at most, the bound may be above the tolerance while the loss is not.
        z: The quantile of the asymptotic bounds.
        near: Bounds between which the mean rate of the first side is looked for (Berger and Boos 1994, JASA 89:1012).

    Returns:
        ``math.inf`` if no quantile does: then a bound says nothing.
    """
    if min(sum(first), sum(second)) > MOST_TRIALS:
        return z
    low, high = max(0.0, tolerance), min(1.0, 1.0 + tolerance)
    low, high = min(high, max(low, near[0])), max(low, min(high, near[1]))
    numbers = max(len({*first}), len({*second}))
    small = sum(first) + sum(second) <= SMALL
    means = _grid(low, high, _MEANS[0 if small and numbers <= 2 else 1])
    sides = _side(first, means, small=small), _side(second, means - tolerance, small=small)
    counts = pooled(first), pooled(second)
    limit = allowed * _SPARE[min(2, numbers - 1)]

    def is_right(quantile: float) -> bool:
        return _worst(sides, _reach(sides, counts, tolerance, quantile)) <= limit

    if is_right(z):
        return z
    if not is_right(_HIGHEST):
        return math.inf
    wrong, right = z, _HIGHEST
    while right - wrong > (0.002 if numbers == 1 else 0.01):
        middle = (wrong + right) / 2
        wrong, right = (wrong, middle) if is_right(middle) else (middle, right)
    return right


def pooled(design: Design) -> float:
    """As many trials as a single share of the same variance would have had, if all tasks were equal."""
    return len(design) ** 2 / math.fsum(1 / trials for trials in design)


def lower_bounds(first: Numbers, second: Numbers, counts: tuple[float, float], z: float) -> Numbers:
    """Lower bounds of the loss, by share of the baseline (rows) and of the other side (columns)."""
    import numpy as np  # slow to import

    below = first - _wilson(first, counts[0], z)[0]
    above = _wilson(second, counts[1], z)[1] - second
    found: Numbers = first[:, None] - second[None, :] - np.hypot(below[:, None], above[None, :])
    return found


def _grid(low: float, high: float, points: int) -> Numbers:
    import numpy as np  # slow to import

    return np.linspace(low, high, points)


def _reach(sides: tuple[_Side, _Side], counts: tuple[float, float], tolerance: float, z: float) -> NDArray[np.int_]:
    """For each share of the first side: with how many shares of the second the lower bound reaches the tolerance.

    These are the lowest ones: the bound falls as the second share rises.
    """
    reached = lower_bounds(sides[0].shares, sides[1].shares, counts, z) >= tolerance - 1e-9
    number: NDArray[np.int_] = reached.sum(axis=1)
    return number


def _wilson(shares: Numbers, count: float, z: float) -> tuple[Numbers, Numbers]:
    import numpy as np  # slow to import

    scale = 1 + z * z / count
    centre = (shares + z * z / (2 * count)) / scale
    half = z / scale * np.sqrt(np.maximum(shares * (1 - shares), 0) / count + z * z / (4 * count * count))
    low, high = np.maximum(centre - half, 0), np.minimum(centre + half, 1)
    low[shares <= 0], high[shares >= 1] = 0, 1
    return low, high


def _worst(sides: tuple[_Side, _Side], reach: NDArray[np.int_]) -> float:
    """How often the tolerance is reached, at most, over means and patterns of both sides."""
    import numpy as np  # slow to import

    first, second = sides
    at_most = np.concatenate([np.zeros_like(second.chances[:, :, :1]), second.chances.cumsum(axis=2)], axis=2)
    hit = first.chances.transpose(1, 0, 2) @ at_most[:, :, reach].transpose(1, 2, 0)
    possible = first.possible.T[:, :, None] * second.possible.T[:, None, :]
    return float((hit * possible).max())


def _side(design: Design, means: Numbers, *, small: bool) -> _Side:
    """The chances of all shares of a side, for each mean and pattern of rates."""
    import numpy as np  # slow to import

    groups = sorted(Counter(design).items(), key=math.prod, reverse=True)  # the first part is added fast
    least = math.lcm(*(trials for trials, _ in groups)) * len(design)
    steps = least if least <= _EXACT else _COLUMNS
    patterns = _patterns(tuple(tasks for _, tasks in groups), small=small)
    chances, possible = np.zeros((len(patterns), len(means), steps + 1)), np.zeros((len(patterns), len(means)))
    for at, pattern in enumerate(patterns):
        given = sum(one.passing + one.active * one.offset for one in pattern)
        base = (means * len(design) - given) / sum(one.active for one in pattern)
        chances[at, :, 0], possible[at] = 1, 1
        for (trials, _), (passing, varying, offset) in zip(groups, pattern, strict=True):
            rates = base + offset
            possible[at] *= (rates > -1e-9) & (rates < 1 + 1e-9) if varying else 1
            rates = np.clip(rates, 0, 1)
            exact = (np.arange(trials * varying + 1) + trials * passing) * steps / (trials * len(design))
            places = np.rint(exact).astype(int)
            chances[at] = _added(chances[at], binomial(trials * varying, rates), places)
    return _narrowed(np.arange(steps + 1) / steps, chances, possible)


def _added(row: Numbers, chances: Numbers, places: NDArray[np.int_]) -> Numbers:
    """The chances of a sum of which one more part moves by ``places``, each with its ``chances``."""
    import numpy as np  # slow to import

    result, last = np.zeros_like(row), row.shape[1] - 1
    if row[:, 0].min() == 1:  # the first part
        np.add.at(result.T, places, chances.T)
        return result
    for place, chance in zip(places, chances.T, strict=True):
        result[:, place:] += row[:, : last + 1 - place] * chance[:, None]
        if place:
            result[:, last] += row[:, last + 1 - place :].sum(axis=1) * chance
    return result


def _narrowed(shares: Numbers, chances: Numbers, possible: Numbers) -> _Side:
    """Without shares that no outcome has; with about ``_COLUMNS`` of them at most."""
    import numpy as np  # slow to import

    chances[chances < _NEVER] = 0
    kept = chances.max(axis=(0, 1)) > 0
    shares, chances = shares[kept], chances[:, :, kept]
    if len(shares) <= _COLUMNS:
        return _Side(shares, chances, possible)
    values, starts = np.unique(np.rint(shares * _COLUMNS), return_index=True)
    return _Side(values / _COLUMNS, np.add.reduceat(chances, starts, axis=2), possible)


def binomial(trials: int, rates: Numbers) -> Numbers:
    """Chances of 0 to ``trials`` passes, a row for each rate."""
    import numpy as np  # slow to import

    passed = np.arange(trials + 1)
    factorials = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, trials + 1)))])
    ways = factorials[-1] - factorials - factorials[::-1]
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = ways + np.where(passed > 0, passed * np.log(rates)[:, None], 0)
        logs = logs + np.where(passed < trials, (trials - passed) * np.log1p(-rates)[:, None], 0)
    chances: Numbers = np.exp(logs)
    return chances


def _patterns(groups: tuple[int, ...], *, small: bool) -> list[tuple[_Part, ...]]:
    """Ways to divide a mean over groups of tasks with equal numbers of trials.

    The extreme chance of a sum of independent passes with a given mean has all rates of a group at 0, at 1, or at one
    value between (Hoeffding 1956, Ann. Math. Stat. 27:713). Values between differ from group to group.
    """
    alike = tuple(_Part(0, tasks, 0.0) for tasks in groups)
    every = [alike, *_uneven(groups)] if len(groups) > 1 else [alike]
    for at in range(len(groups)):
        for active in dict.fromkeys((groups[at], 1, (groups[at] + 1) // 2)):
            every.append(_others(groups, at, _Part(groups[at] - active, active, 0.0), passing=True))
            if small:
                every.append(_others(groups, at, _Part(0, active, 0.0), passing=False))
    if not small:
        return every[: 2 if len(groups) == 1 else 9]
    if len(groups) > 2:
        every += _extreme(groups)
    return list(dict.fromkeys(every))[:_MOST_PATTERNS]


def _extreme(groups: tuple[int, ...]) -> Iterator[tuple[_Part, ...]]:
    """Some groups at 0 or 1; the others alike, or two of them with different rates."""
    for states in itertools.product((0, 1, None), repeat=len(groups)):
        active = [at for at, state in enumerate(states) if state is None]
        fixed = [_Part(tasks * (state or 0), 0, 0.0) for tasks, state in zip(groups, states, strict=True)]
        for size in (0.0,) if len(active) != 2 else (0.0, 0.15, -0.15):
            parts = list(fixed)
            for sign, at in zip((1, -1, *[0] * len(groups)), active, strict=False):
                parts[at] = _Part(0, groups[at], sign * size)
            if active:
                yield tuple(parts)


def _others(groups: tuple[int, ...], at: int, part: _Part, *, passing: bool) -> tuple[_Part, ...]:
    """One group in which tasks may fail; the others always pass, or never."""
    return tuple(part if other == at else _Part(tasks * passing, 0, 0.0) for other, tasks in enumerate(groups))


def _uneven(groups: tuple[int, ...]) -> Iterator[tuple[_Part, ...]]:
    """All groups with rates between 0 and 1, one of them with another rate than the rest."""
    for at, size in itertools.product((0.2, -0.2, 0.1, -0.1, 0.3, -0.3, 0.45, -0.45), range(len(groups))):
        rest = sum(groups) - groups[size]
        scale = at / max(rest, groups[size])
        own, others = scale * rest, -scale * groups[size]
        yield tuple(_Part(0, tasks, own if other == size else others) for other, tasks in enumerate(groups))
