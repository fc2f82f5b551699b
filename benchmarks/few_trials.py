"""Whether the gate is right for few trials: ``python benchmarks/few_trials.py [--designs N] [--steps N] [--most N]``.

For designs of up to 12 outcomes a side with 1 to 5 trials a task, computes exactly how often a verdict is wrong: at
common rates in steps of 0.01 with accepted losses, equal or of whole tasks, and at mixed rates by a search over
coordinates from 100 starts. Designs with equal trials are all tried, others are drawn. Ends with status 1 if a verdict
is wrong more often than its look may be.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from pytest_netbench.stats.paired import Pair
from pytest_netbench.stats.regression import judge, spent

LEVEL = 0.05
TOLERANCES = (0.0, 0.02, 0.05, 0.1)
LOOKS = 5
STARTS = 100
OUTCOMES = 12
MOVES = np.array([0.4, 0.15, 0.05, 0.02, 0.005])


class Design(NamedTuple):
    """Trials of each task, before and now."""

    first: tuple[int, ...]
    second: tuple[int, ...]

    @property
    def name(self) -> str:
        if len({*zip(self.first, self.second, strict=True)}) == 1:
            return f"{len(self.first)} x {self.first[0]}v{self.second[0]}"
        return " ".join(f"{one}v{other}" for one, other in zip(self.first, self.second, strict=True))


def regular() -> Iterator[Design]:
    """All designs with equal trials of each task on a side."""
    for one, other in itertools.product(range(1, 6), repeat=2):
        for tasks in range(1, OUTCOMES // max(one, other) + 1):
            yield Design((one,) * tasks, (other,) * tasks)


def unequal(source: np.random.Generator, count: int) -> Iterator[Design]:
    """Different designs with unequal trials."""
    seen: set[Design] = set()
    while len(seen) < count:
        tasks = int(source.integers(2, 8))
        first, second = (tuple(map(int, source.integers(1, 6, tasks))) for _ in range(2))
        both = Design(*map(tuple, zip(*sorted(zip(first, second, strict=True)), strict=True)))
        if max(sum(first), sum(second)) <= OUTCOMES and both not in seen and "x" not in both.name:
            seen.add(both)
            yield both


def outcomes(trials: tuple[int, ...]) -> dict[int, tuple[int, ...]]:
    """By share, in units of the common lattice: totals of tasks that give it."""
    unit, found = np.lcm.reduce(trials), {0: ()}
    for at, one in enumerate(trials):
        grown: dict[int, tuple[int, ...]] = {}
        for share, totals in found.items():
            for passed in range(one + 1):
                grown.setdefault(share + passed * int(unit) // one, (*totals[:at], passed))
        found = grown
    return found


def verdicts(design: Design, tolerance: float) -> tuple[np.ndarray, list[int], list[int]]:
    """Called regressed, called ok: by look, share before, and share now."""
    sides = outcomes(design.first), outcomes(design.second)
    shares = [sorted(side) for side in sides]
    called = np.zeros((2, LOOKS, len(shares[0]), len(shares[1])))
    for (row, before), (column, now) in itertools.product(enumerate(shares[0]), enumerate(shares[1])):
        tasks = zip(design.first, design.second, sides[0][before], sides[1][now], strict=True)
        pairs = [
            Pair(first=(1.0,) * x + (0.0,) * (one - x), second=(1.0,) * y + (0.0,) * (other - y))
            for one, other, x, y in tasks
        ]
        for look in range(1, LOOKS + 1):
            kind = judge(pairs, tolerance=tolerance, level=LEVEL, look=look, ahead=False).kind
            if kind != "inconclusive":
                called[int(kind == "ok"), look - 1, row, column] = 1
    return called, shares[0], shares[1]


def distribution(trials: tuple[int, ...], rates: np.ndarray, shares: list[int]) -> np.ndarray:
    """Chances of shares (columns), for rates of tasks (rows)."""
    unit = int(np.lcm.reduce(trials))
    chances = np.zeros((len(rates), unit * len(trials) + 1))
    chances[:, 0] = 1
    for at, one in enumerate(trials):
        step, rate = unit // one, rates[:, at, None]
        for _ in range(one):
            moved = np.zeros_like(chances)
            moved[:, step:] = chances[:, :-step]
            chances = chances * (1 - rate) + moved * rate
    return chances[:, shares]


def common(design: Design, called: np.ndarray, shares: tuple[list[int], list[int]], tolerance: float) -> np.ndarray:
    """The largest chance of each verdict and look where it is wrong: one rate, losses equal or of whole tasks."""
    tasks = len(design.first)
    before, now = [], []
    for rate in np.arange(101) / 100:
        for loss in {*np.round(np.arange(-0.3, tolerance, 0.1), 2), tolerance}:
            before.append(np.full(tasks, rate))
            now.append(np.full(tasks, rate - loss))
        for lost in range(tasks + 1):
            if rate * lost / tasks <= tolerance:
                before.append(np.full(tasks, rate))
                now.append(np.array([0.0] * lost + [rate] * (tasks - lost)))
    rates = np.array(before), np.array(now)
    possible = (rates[1].min(axis=1) >= -1e-9) & (rates[1].max(axis=1) <= 1 + 1e-9)
    first, second = (
        distribution(t, np.clip(r[possible], 0, 1), s) for t, r, s in zip(design, rates, shares, strict=True)
    )
    regressed = np.einsum("bi,lij,bj->lb", first, called[0], second, optimize=True).max(axis=1)
    # of ok: a loss just above the tolerance, and larger ones
    before, now = [], []
    for rate in np.arange(101) / 100:
        for loss in (tolerance, tolerance + 0.1, tolerance + 0.3):
            before.append(np.full(tasks, rate))
            now.append(np.full(tasks, rate - loss))
        for lost in range(tasks + 1):
            if rate * lost / tasks > tolerance:
                before.append(np.full(tasks, rate))
                now.append(np.array([0.0] * lost + [rate] * (tasks - lost)))
    rates = np.array(before), np.array(now)
    possible = (rates[1].min(axis=1) >= -1e-9) & (rates[1].max(axis=1) <= 1 + 1e-9)
    first, second = (
        distribution(t, np.clip(r[possible], 0, 1), s) for t, r, s in zip(design, rates, shares, strict=True)
    )
    return np.array([regressed, np.einsum("bi,lij,bj->lb", first, called[1], second, optimize=True).max(axis=1)])


def searched(
    source: np.random.Generator,
    design: Design,
    called: np.ndarray,
    shares: tuple[list[int], list[int]],
    tolerance: float,
    *,
    steps: int,
) -> np.ndarray:
    """The same at mixed rates with a mean loss of the tolerance, by moves of two rates that keep the loss."""
    verdicts_, looks = called.shape[:2]
    tasks, rows = len(design.first), verdicts_ * looks * STARTS
    tables = np.repeat(called.reshape(verdicts_ * looks, *called.shape[2:]), STARTS, axis=0)
    rates = started(source, tasks, rows, tolerance)

    def chance(these: np.ndarray) -> np.ndarray:
        first = distribution(design.first, these[:, :tasks], shares[0])
        second = distribution(design.second, these[:, tasks:], shares[1])
        return np.matmul(np.matmul(first[:, None, :], tables), second[:, :, None])[:, 0, 0]

    best, every = chance(rates), np.arange(rows)
    sign = np.array([1.0] * tasks + [-1.0] * tasks)
    for step in range(steps):
        one, other = source.integers(0, 2 * tasks, rows), source.integers(0, 2 * tasks, rows)
        size = source.choice([-1.0, 1.0], rows) * MOVES[min(len(MOVES) - 1, step * (len(MOVES) + 1) // steps)]
        size = size * np.where(source.random(rows) < 0.5, 1.0, source.random(rows))
        # at most as far as both rates stay between 0 and 1
        for at, way in ((one, sign[one]), (other, -sign[other])):
            value = rates[every, at]
            size = np.clip(size * way, -value, 1 - value) * way
        moved = rates.copy()
        moved[every, one] += size * sign[one]
        moved[every, other] -= size * sign[other]
        now = chance(moved)
        better = (now > best) & (one != other)
        rates[better], best[better] = moved[better], now[better]
    return best.reshape(verdicts_, looks, STARTS).max(axis=2)


def started(source: np.random.Generator, tasks: int, rows: int, tolerance: float) -> np.ndarray:
    """Rates of tasks on both sides with that mean loss: some alike, some drawn, some all at 0 and 1."""
    kinds = source.integers(0, 4, rows)
    before = source.random((rows, tasks))
    before[kinds == 1] = source.random((int((kinds == 1).sum()), 1))
    before[kinds == 2] = np.round(before[kinds == 2])
    before[kinds == 3] = before[kinds == 3] ** 0.2
    now = before.copy()
    for row in range(rows):
        need = before[row].mean() - tolerance - now[row].mean()
        if before[row].mean() < tolerance:
            before[row] = np.clip(before[row] + tolerance, 0, 1)
        for _ in range(50):  # down to the wanted mean
            need = before[row].mean() - tolerance - now[row].mean()
            if abs(need) < 1e-12:
                break
            now[row] = np.clip(now[row] + need, 0, 1)
    off = np.abs(before.mean(axis=1) - now.mean(axis=1) - tolerance) > 1e-9
    before[off], now[off] = 0.5 + tolerance, 0.5
    return np.hstack([before, now])


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--designs", type=int, default=30, help="designs with unequal trials")
    options.add_argument("--steps", type=int, default=120, help="moves of each start")
    options.add_argument("--most", type=int, default=None, help="only so many regular designs")
    chosen = options.parse_args()
    source, began = np.random.default_rng(20_261_126), time.monotonic()
    every = [*list(regular())[: chosen.most], *unequal(source, chosen.designs)]
    part = np.array([spent(LEVEL, look) for look in range(1, LOOKS + 1)])
    worst: list[tuple[float, str]] = []
    print("the largest chance of a wrong verdict over what its look may spend (1: all of it), and of any of five looks")
    for tolerance in TOLERANCES:
        shown: dict[str, list[tuple[float, str, float]]] = {"common": [], "mixed": []}
        for design in every:
            called, *shares = verdicts(design, tolerance)
            both = shares[0], shares[1]
            kinds = {"common": common(design, called, both, tolerance)}
            kinds["mixed"] = searched(source, design, called, both, tolerance, steps=chosen.steps)
            for kind, found in kinds.items():
                shown[kind].append((float((found / part).max()), design.name, float(found.sum(axis=1).max())))
        for kind, found_ in shown.items():
            top = max(found_)
            worst.append(top[:2])
            five = max(one[2] for one in found_)
            print(
                f"tolerance {tolerance:4}, {kind:6} rates: {top[0]:.3f} ({top[1]}); five looks at most {five:.4f}",
                flush=True,
            )
    print(f"{len(every)} designs, {time.monotonic() - began:.0f} s")
    good = max(worst)[0] <= 1 + 1e-9
    print(f"no verdict is wrong more often than it may be: {'yes' if good else 'NO, ' + max(worst)[1]}")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
