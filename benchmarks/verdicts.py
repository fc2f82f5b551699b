"""Whether verdicts keep what they promise: ``python benchmarks/verdicts.py [--comparisons N] [--intervals N]``.

Agents with known success rates are simulated, so that it is known what is right: false alarms of the gate and of the
test of ``netbench compare`` for agents that are as before; looks at a growing run; how often a loss is found, and how
often the calculator says so; and how often intervals have the true rate in them.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from pytest_netbench.stats.clusters import clustered_mean, clustered_share
from pytest_netbench.stats.intervals import Interval, wilson
from pytest_netbench.stats.paired import Pair, compare
from pytest_netbench.stats.power import power
from pytest_netbench.stats.regression import judge

TASKS = 40
LEVEL = 0.05
COVERAGE = 0.95
WITHIN = 0.015
"""How far the coverage may be from that, averaged over rates."""
RATES = tuple(round(0.05 + 0.05 * step, 2) for step in range(19))
MIXES = {
    "equal tasks, 0.5": lambda _: np.full(TASKS, 0.5),
    "equal tasks, 0.9": lambda _: np.full(TASKS, 0.9),
    "all rates": lambda source: source.uniform(0, 1, TASKS),
    "most always or never": lambda source: source.choice([0.0, 0.02, 0.5, 0.98, 1.0], TASKS),
}


def drawn(source: np.random.Generator, rates: np.ndarray, trials: int) -> list[tuple[float, ...]]:
    """Trials of each task."""
    return [tuple(map(float, source.random(trials) < rate)) for rate in rates]


def pairs(source: np.random.Generator, before: np.ndarray, now: np.ndarray, trials: int) -> list[Pair]:
    """Trials of both sides."""
    sides = zip(drawn(source, before, trials), drawn(source, now, trials), strict=True)
    return [Pair(first=first, second=second) for first, second in sides]


def false_alarms(count: int, source: np.random.Generator) -> None:
    print(f"\nagents as before, {TASKS} tasks: share of {count} runs called regressed (level {LEVEL}, tolerance 0)")
    print(f"{'rates':22} {'trials':>6} {'regressed':>9} {'p < 0.05':>9}")
    for name, mix in MIXES.items():
        for trials in (1, 3, 5):
            wrong = significant = 0
            for number in range(count):
                rates = mix(source)
                both = pairs(source, rates, rates, trials)
                wrong += judge(both, tolerance=0.0, level=LEVEL).kind == "regressed"
                # permutations take most of the time
                significant += number < count // 10 and compare(both).p < 0.05
            print(f"{name:22} {trials:6} {wrong / count:9.3f} {significant / (count // 10):9.3f}")


def at_the_tolerance(count: int, source: np.random.Generator) -> None:
    print(f"\na loss of exactly the tolerance (0.05), {TASKS} tasks: share of {count} runs with a wrong verdict")
    print(f"{'rates':22} {'trials':>6} {'regressed':>9} {'ok':>9}")
    for name, rate in (("equal tasks, 0.5", 0.5), ("equal tasks, 0.9", 0.9), ("equal tasks, 0.98", 0.98)):
        for trials in (1, 5):
            before, now = np.full(TASKS, rate), np.full(TASKS, rate - 0.05)
            kinds = [judge(pairs(source, before, now, trials), tolerance=0.05, level=LEVEL).kind for _ in range(count)]
            shares = (kinds.count("regressed") / count, kinds.count("ok") / count)
            print(f"{name:22} {trials:6} {shares[0]:9.3f} {shares[1]:9.3f}")


def looks(count: int, source: np.random.Generator) -> None:
    wrong = 0
    for _ in range(count):
        rates = source.uniform(0.2, 0.95, TASKS)
        both = pairs(source, rates, rates, 5)
        wrong += any(
            judge(
                [Pair(first=one.first[:look], second=one.second[:look]) for one in both],
                tolerance=0.0,
                level=LEVEL,
                look=look,
            ).kind
            == "regressed"
            for look in range(1, 6)
        )
    print(f"\nfive looks at a growing run of an agent as before: {wrong / count:.3f} of {count} ever called regressed")


def growing(count: int, source: np.random.Generator) -> None:
    """Five looks of runs that grow, at the rates where a verdict is wrong most often."""
    print(
        f"\nfive looks, a loss of the tolerance: share of {count} runs ever called regressed or ok, with 95 % intervals"
    )
    cases = [  # tasks, trials before and now, how many more at each look, tolerance, rate before
        (20, (1, 1), (1, 1), 0.0, 0.5),
        (20, (1, 1), (1, 1), 0.05, 0.525),
        (20, (5, 1), (0, 1), 0.02, 0.98),
        (20, (5, 1), (1, 1), 0.1, 0.97),
        (40, (5, 1), (0, 1), 0.02, 1.0),
        (40, (5, 1), (1, 1), 0.05, 1.0),
        (40, (3, 3), (1, 1), 0.02, 0.5),
        (60, (5, 5), (5, 5), 0.0, 0.68),
    ]
    for tasks, trials, more, tolerance, rate in cases:
        kinds = [_ever(source, tasks, trials, more, tolerance=tolerance, rate=rate) for _ in range(count)]
        shares = [sum(kind in one for one in kinds) for kind in ("regressed", "ok")]
        shown = [f"{number / count:.3f} ({_interval(number, count)})" for number in shares]
        name = f"{tasks} tasks {trials[0]}v{trials[1]} + {more[0]}v{more[1]}, tolerance {tolerance}, rate {rate}"
        print(f"{name:55} regressed {shown[0]}, ok {shown[1]}", flush=True)


def _ever(
    source: np.random.Generator,
    tasks: int,
    trials: tuple[int, int],
    more: tuple[int, int],
    *,
    tolerance: float,
    rate: float,
) -> set[str]:
    most = [one + 4 * other for one, other in zip(trials, more, strict=True)]
    before, now = drawn(source, np.full(tasks, rate), most[0]), drawn(source, np.full(tasks, rate - tolerance), most[1])
    every = set()
    for look in range(1, 6):
        sizes = [one + (look - 1) * other for one, other in zip(trials, more, strict=True)]
        both = [Pair(first=x[: sizes[0]], second=y[: sizes[1]]) for x, y in zip(before, now, strict=True)]
        every.add(judge(both, tolerance=tolerance, level=LEVEL, look=look, ahead=False).kind)
    return every


def scores(count: int, source: np.random.Generator) -> None:
    """Scores that are 0 or just under 1, so that they lie between whole passes; spread scores vary less."""
    print(
        f"\nscores of 0 and T with a loss of the tolerance: largest share of {count} runs with a wrong verdict over T"
    )
    for tasks, trials, tolerance in ((1, 3, 0.0), (3, 3, 0.0), (6, 2, 0.1), (20, 1, 0.0), (40, 1, 0.02), (20, 5, 0.05)):
        worst = {"regressed": 0, "ok": 0}
        for top in (0.35, 0.7, 0.9, 0.97, 0.999):
            kinds = []
            for _ in range(count):
                rates = (0.6 * top, max(0.0, 0.6 * top - tolerance))
                sides = [top * (source.random((tasks, trials)) < rate / top) for rate in rates]
                pairs_ = [
                    Pair(first=tuple(x), second=tuple(y)) for x, y in zip(*(s.tolist() for s in sides), strict=True)
                ]
                kinds.append(judge(pairs_, tolerance=tolerance, level=LEVEL, ahead=False).kind)
            worst = {kind: max(most, kinds.count(kind)) for kind, most in worst.items()}
        shown = {kind: f"{number / count:.3f} ({_interval(number, count)})" for kind, number in worst.items()}
        print(
            f"{tasks} x {trials}, tolerance {tolerance}: regressed {shown['regressed']}, ok {shown['ok']}", flush=True
        )


def _interval(number: int, count: int) -> str:
    bounds = wilson(number, count)
    return f"{bounds.low:.3f} to {bounds.high:.3f}"


def found(count: int, source: np.random.Generator) -> None:
    print(
        f"\na loss, {TASKS} equal tasks, tolerance 0.02: share of {count} runs called regressed, and the calculator's"
    )
    print(f"{'baseline':>8} {'loss':>6} {'trials':>6} {'found':>7} {'promised':>8}")
    for share in (0.5, 0.8, 0.95):
        for loss in (0.1, 0.2):
            for trials in (1, 3, 5):
                before, now = np.full(TASKS, share), np.full(TASKS, share - loss)
                hits = sum(
                    judge(pairs(source, before, now, trials), tolerance=0.02, level=LEVEL).kind == "regressed"
                    for _ in range(count)
                )
                said = power(share, loss, tasks=TASKS, trials=trials, tolerance=0.02, level=LEVEL)
                print(f"{share:8} {loss:6} {trials:6} {hits / count:7.3f} {said:8.3f}")


def coverage(count: int, source: np.random.Generator) -> bool:
    """Whether all intervals that promise it hold the rate as often as they should."""
    print(f"\nintervals of 95 %, rates {RATES[0]} to {RATES[-1]}: mean share of {count} that hold the rate, and of")
    print(f"clustered ones of {count // 20} at each rate; {COVERAGE:.0%} ± {WITHIN:.1%} is asked for")
    kept: list[tuple[float, int]] = []
    for tasks in (40, 80):
        shares = []
        for rate in RATES:
            passed = source.binomial(tasks, rate, count)
            bounds = [wilson(int(one), tasks) for one in passed]
            shares.append(sum(one.low <= rate <= one.high for one in bounds) / count)
        kept.append((sum(shares) / len(shares), count * len(RATES)))
        print(f"Wilson, {tasks} tasks, one trial each: {kept[-1][0]:.3f}")
    for tasks, trials, alike in itertools.product((40, 80), (1, 5), (0.1, 0.5, 0.8)):
        held = plain = scored = 0
        for rate in RATES:
            for _ in range(few := count // 20):
                rates = source.beta(rate * (1 / alike - 1), (1 - rate) * (1 / alike - 1), tasks)
                clusters = drawn(source, rates, trials)
                one, other = clustered_share(clusters), wilson(sum(map(sum, clusters)), tasks * trials)
                held += one.low <= rate <= one.high
                plain += other.low <= rate <= other.high
                scores = clustered_mean([tuple(source.beta(4 * p + 0.01, 4 * (1 - p) + 0.01, trials)) for p in rates])
                scored += scores is not None and scores.interval is not None and _holds(scores.interval, rate, 4)
        of = few * len(RATES)
        kept.append((held / of, of))
        print(f"{tasks} tasks, {trials} trials each, correlated {alike}: clustered {held / of:.3f},", end=" ")
        print(f"Wilson over trials {plain / of:.3f}, clustered mean of a score {scored / of:.3f}")
    # two standard errors of a simulation
    good = all(abs(share - COVERAGE) <= WITHIN + 2 * (COVERAGE * (1 - COVERAGE) / of) ** 0.5 for share, of in kept)
    print(f"all of Wilson's and the clustered intervals are within it: {'yes' if good else 'NO'}")
    return good


def _holds(interval: Interval, rate: float, weight: float) -> bool:
    """Whether the mean score of all such trials is in it."""
    mean = (weight * rate + 0.01) / (weight + 0.02)
    return interval.low <= mean <= interval.high


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--comparisons", type=int, default=2_000)
    options.add_argument("--intervals", type=int, default=5_000)
    chosen = options.parse_args()
    source = np.random.default_rng(20_261_123)
    false_alarms(chosen.comparisons, source)
    at_the_tolerance(chosen.comparisons, source)
    looks(chosen.comparisons, source)
    growing(chosen.comparisons, source)
    scores(chosen.comparisons, source)
    found(chosen.comparisons, source)
    sys.exit(0 if coverage(chosen.intervals, source) else 1)


if __name__ == "__main__":
    main()
