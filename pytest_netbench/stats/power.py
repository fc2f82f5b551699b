"""How many trials a verdict needs, and which loss so many trials show. Trials independent, tasks equal.

Computed exactly with the calibrated bounds where designs are small, by a normal approximation where they are large.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist
from typing import Final

from pytest_netbench.stats.calibration import MOST_TRIALS, binomial, lower_bounds
from pytest_netbench.stats.regression import quantiles_of, spent

POWER: Final = 0.8
_STEPS: Final = 40
_MOST: Final = 1_000


def power(
    share: float,
    loss: float,
    *,
    tasks: int,
    trials: int,
    tolerance: float,
    level: float = 0.05,
    look: int = 1,
    before: int | None = None,
) -> float:
    """The chance of the verdict ``regressed``.

    Args:
        share: How often the baseline passes.
        loss: How much less often the agent passes now, at most ``share``.
        tasks: How many tasks there are.
        trials: Of each task, now.
        tolerance: The loss that is accepted.
        level: How often, at most, a verdict may be wrong.
        look: How many times the comparison is made, this time included.
        before: Trials of each task in the baseline, by default as many as now.

    Raises:
        ValueError: A share is not between 0 and 1, or there is no trial.
    """
    counts = tasks * (trials if before is None else before), tasks * trials
    if not (0 <= share <= 1 and 0 <= share - loss <= 1 and min(counts) >= 1):
        raise ValueError("shares must be from 0 to 1, and there must be tasks and trials")
    return _power_of(counts, tasks, tolerance, level, look)(share, loss)


def _power_of(
    counts: tuple[int, int], tasks: int, tolerance: float, level: float, look: int
) -> Callable[[float, float], float]:
    """The chance of ``regressed`` by share of the baseline and loss."""
    if max(counts) > MOST_TRIALS:
        return lambda share, loss: _approximate(share, loss, counts, tolerance, spent(level, look))
    import numpy as np  # slow to import

    first, second = ((count // tasks,) * tasks for count in counts)
    z, _ = quantiles_of(first, second, tolerance=tolerance, level=level, look=look)
    if math.isinf(z):
        return lambda _share, _loss: 0.0
    shares = [np.arange(count + 1) / count for count in counts]
    found = lower_bounds(shares[0], shares[1], (float(counts[0]), float(counts[1])), z) > tolerance

    def chance(share: float, loss: float) -> float:
        before = binomial(counts[0], np.array([share]))[0]
        now = binomial(counts[1], np.array([max(0.0, share - loss)]))[0]
        return float(before @ found @ now)

    return chance


def _approximate(share: float, loss: float, counts: tuple[int, int], tolerance: float, part: float) -> float:
    now = share - loss
    z = NormalDist().inv_cdf(1 - part)
    deviation = math.sqrt(share * (1 - share) / counts[0] + now * (1 - now) / counts[1])
    # Wilson's bounds are wider than Wald's where a share is near 0 or 1: as if z² trials were half passes
    width = math.sqrt(_shrunk(share, counts[0], z) / counts[0] + _shrunk(now, counts[1], z) / counts[1])
    if deviation == 0:
        return float(loss > tolerance + z * width)
    return NormalDist().cdf((loss - tolerance - z * width) / deviation)


def trials_needed(share: float, loss: float, *, tasks: int, tolerance: float, level: float = 0.05) -> int | None:
    """Trials of each task, on each side, that find a loss with a chance of ``POWER``; ``None`` above 1,000."""
    for trials in range(1, _MOST + 1):
        if power(share, loss, tasks=tasks, trials=trials, tolerance=tolerance, level=level) >= POWER:
            return trials
    return None


def design_needed(
    share: float, *, tasks: int, before: int, trials: int, tolerance: float, level: float = 0.05
) -> tuple[int | None, int | None]:
    """The fewest tasks with so many trials, and the fewest trials of so many tasks, that can show any loss.

    That is: if all trials fail now, the verdict is ``regressed``. ``None`` above 400 trials on a side.

    Args:
        share: Of the baseline.
        tasks: How many tasks there are.
        before: Trials of each task in the baseline.
        trials: Trials of each task now. Needed trials are counted on both sides.
        tolerance: The loss that is accepted.
        level: How often, at most, a verdict may be wrong.
    """

    def shows(tasks: int, before: int, trials: int) -> bool:
        return can_show(share, tasks=tasks, before=before, trials=trials, tolerance=tolerance, level=level)

    if share <= tolerance:
        return None, None
    more_tasks = range(1, MOST_TRIALS // max(before, trials) + 1)
    more_trials = range(1, MOST_TRIALS // tasks + 1)
    return (
        next((n for n in more_tasks if shows(n, before, trials)), None),
        next((n for n in more_trials if shows(tasks, n, n)), None),
    )


def can_show(share: float, *, tasks: int, before: int, trials: int, tolerance: float, level: float = 0.05) -> bool:
    """Whether it is a regression if all trials fail now."""
    import numpy as np  # slow to import

    z, _ = quantiles_of((before,) * tasks, (trials,) * tasks, tolerance=tolerance, level=level)
    if math.isinf(z):
        return False
    low = lower_bounds(np.array([share]), np.zeros(1), (float(before * tasks), float(trials * tasks)), z)
    return bool(low[0, 0] > tolerance)


def detectable_loss(
    share: float,
    *,
    tasks: int,
    trials: int,
    tolerance: float,
    level: float = 0.05,
    look: int = 1,
    before: int | None = None,
) -> float | None:
    """The smallest loss that is found with a chance of ``POWER``; ``None`` if even the loss of everything is not.

    Arguments are those of ``power``.
    """
    counts = tasks * (trials if before is None else before), tasks * trials
    chance = _power_of(counts, tasks, tolerance, level, look)
    low, high = 0.0, share
    if chance(share, high) < POWER:
        return None
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if chance(share, middle) >= POWER else (middle, high)
    return high


def _shrunk(share: float, count: int, z: float) -> float:
    centre = (share * count + z * z / 2) / (count + z * z)
    return centre * (1 - centre)
