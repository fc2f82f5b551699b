"""The verdict whether an agent has become worse."""

from __future__ import annotations

import math
import random

import pytest

from pytest_netbench.stats.paired import Pair
from pytest_netbench.stats.regression import Verdict, judge, spent, variance_of


def pairs(first: list[int], second: list[int], trials: int) -> list[Pair]:
    """Tasks by how many of so many trials passed."""
    return [
        Pair(first=(1.0,) * one + (0.0,) * (trials - one), second=(1.0,) * other + (0.0,) * (trials - other))
        for one, other in zip(first, second, strict=True)
    ]


def test_two_of_forty_tasks_that_always_fail_now_are_a_regression_with_five_trials() -> None:
    found = judge(pairs([5] * 40, [5] * 38 + [0] * 2, 5), tolerance=0.0)
    assert found.kind == "regressed"
    assert found.loss == pytest.approx(0.05)
    assert 0 < found.low < 0.05 < found.high


def test_with_a_single_trial_they_are_not_sure_and_it_is_said_how_many_would_do() -> None:
    one = judge(pairs([1] * 40, [1] * 38 + [0] * 2, 1), tolerance=0.0)
    assert one.kind == "inconclusive"
    assert one.more is not None
    assert judge(pairs([1] * 40, [1] * 20 + [0] * 20, 1), tolerance=0.0).kind == "regressed"


def test_an_agent_that_is_as_before_is_ok_within_a_tolerance() -> None:
    assert judge(pairs([5] * 40, [5] * 40, 5), tolerance=0.02).kind == "ok"
    assert judge(pairs([5] * 40, [5] * 40, 5), tolerance=0.0) == Verdict(
        kind="inconclusive", loss=0.0, low=pytest.approx(-0.017, abs=0.003), high=pytest.approx(0.017, abs=0.003)
    ), "no number of trials excludes every loss"


def test_tasks_that_always_fail_say_nothing_against_an_agent_that_fails_them_again() -> None:
    mixed = pairs([5] * 20 + [0] * 20, [5] * 20 + [0] * 20, 5)
    alike = pairs([2, 3] * 20, [2, 3] * 20, 5)
    assert judge(mixed, tolerance=0.05).high < 0.75 * judge(alike, tolerance=0.05).high


def test_the_estimate_of_a_tasks_variance_is_never_too_small_on_average() -> None:
    for trials in (2, 3, 5, 10):
        for rate in (0.0, 0.05, 0.3, 0.5, 0.9, 1.0):
            chances = [math.comb(trials, n) * rate**n * (1 - rate) ** (trials - n) for n in range(trials + 1)]
            expected = math.fsum(chance * variance_of(n, trials) for n, chance in enumerate(chances))
            assert expected >= rate * (1 - rate) / trials


def test_a_better_agent_is_ok() -> None:
    assert judge(pairs([2] * 40, [5] * 40, 5), tolerance=0.0).kind == "ok"


def test_all_looks_together_spend_no_more_than_the_level() -> None:
    assert math.fsum(spent(0.05, look) for look in range(1, 100_000)) == pytest.approx(0.05, abs=1e-6)
    assert spent(0.05, 1) > spent(0.05, 2)
    with pytest.raises(ValueError, match="counted from 1"):
        spent(0.05, 0)


@pytest.mark.parametrize("trials", [1, 3])
@pytest.mark.parametrize("loss", [0.0, 0.1])
def test_a_verdict_is_wrong_no_more_often_than_said(trials: int, loss: float) -> None:
    source = random.Random(17)
    wrong = 0
    for _ in range(400):
        rates = [source.uniform(0.2, 0.95) for _ in range(40)]
        drawn = [
            tuple(sum(source.random() < rate - less for _ in range(trials)) for less in (0.0, loss)) for rate in rates
        ]
        found = judge(pairs([a for a, _ in drawn], [b for _, b in drawn], trials), tolerance=loss)
        wrong += found.kind == "regressed"
    assert wrong <= 30  # 3 % of 400 may be spent at the first look: 12; 30 is far above


def test_values_that_are_no_shares_are_refused() -> None:
    with pytest.raises(ValueError, match="from 0 to 1"):
        judge([Pair(first=(1.5,), second=(1.0,))], tolerance=0.0)
    with pytest.raises(ValueError, match="both sides"):
        judge([], tolerance=0.0)


def test_a_single_failure_after_three_passes_is_no_regression() -> None:
    for passed in (3, 4, 5):
        assert judge(pairs_of([(passed, passed, 0, 1)]), tolerance=0.0).kind == "inconclusive"
    assert judge(pairs_of([(3, 3, 0, 3)]), tolerance=0.0).kind == "regressed"
    assert judge(pairs_of([(0, 3, 3, 3)]), tolerance=0.0).kind == "ok"


def pairs_of(tasks: list[tuple[int, int, int, int]]) -> list[Pair]:
    """Tasks by passes and trials before, and passes and trials now."""
    return [Pair(first=(1.0,) * x + (0.0,) * (m - x), second=(1.0,) * y + (0.0,) * (n - y)) for x, m, y, n in tasks]


def divided(total: int, trials: int, tasks: int) -> list[int]:
    """A total of passes over tasks."""
    return [min(trials, max(0, total - trials * at)) for at in range(tasks)]


def chances(trials: int, rate: float) -> list[float]:
    return [math.comb(trials, n) * rate**n * (1 - rate) ** (trials - n) for n in range(trials + 1)]


@pytest.mark.parametrize("tolerance", [0.0, 0.02, 0.1])
@pytest.mark.parametrize(
    ("tasks", "first", "second"),
    [(1, 3, 1), (1, 4, 1), (1, 1, 5), (1, 2, 2), (1, 5, 5), (2, 1, 1), (2, 5, 1), (3, 3, 3), (6, 1, 2), (12, 1, 1)],
)
def test_no_verdict_of_few_trials_is_wrong_more_often_than_said(
    tasks: int, first: int, second: int, tolerance: float
) -> None:
    sides = tasks * first, tasks * second
    for look in (1, 2, 5):
        kinds = [
            [
                judge(
                    pairs_of(
                        [
                            (x, first, y, second)
                            for x, y in zip(divided(before, first, tasks), divided(now, second, tasks), strict=True)
                        ]
                    ),
                    tolerance=tolerance,
                    look=look,
                    ahead=False,
                ).kind
                for now in range(sides[1] + 1)
            ]
            for before in range(sides[0] + 1)
        ]
        for step in range(round(tolerance * 100), 101):
            rate = step / 100
            both = chances(sides[0], rate), chances(sides[1], max(0.0, rate - tolerance))
            for wrong in ("regressed", "ok"):
                often = math.fsum(
                    a * b
                    for a, row in zip(both[0], kinds, strict=True)
                    for b, kind in zip(both[1], row, strict=True)
                    if kind == wrong
                )
                assert often <= spent(0.05, look), (wrong, look, rate)


def test_tasks_with_unequal_trials_may_have_unequal_rates() -> None:
    # all that varies is the task of one trial; it counts as much as the one of five
    wrong = {
        (x, y): judge(pairs_of([(5, 5, 5, 5), (x, 1, y, 1)]), tolerance=0.0, ahead=False).kind == "regressed"
        for x in (0, 1)
        for y in (0, 1)
    }
    assert not wrong[1, 0], "it would be said in a quarter of comparisons at a rate of 0.5"


def test_scores_are_bound_as_passes_are() -> None:
    # two tasks, scores of 0 and almost 1: the rounding of shares to whole passes does not help
    source = random.Random(11)
    for top in (0.34, 0.67, 0.9, 0.999):
        for tolerance in (0.0, 0.1):
            wrong = {"regressed": 0, "ok": 0, "inconclusive": 0}
            for _ in range(400):
                sides = [
                    [top * (source.random() < (rate / top)) for _ in range(3)] for rate in (0.33, 0.33 - tolerance)
                ]
                pair = Pair(first=tuple(map(float, sides[0])), second=tuple(map(float, sides[1])))
                wrong[judge([pair], tolerance=tolerance, ahead=False).kind] += 1
            assert wrong["regressed"] <= 24, top  # 3 % is 12; 24 is above the upper 0.1 % point
            assert wrong["ok"] <= 24, top


def test_bounds_and_verdict_agree() -> None:
    for x, y in ((5, 0), (5, 1), (5, 2), (4, 0), (0, 5), (3, 3)):
        for values in ((1.0, 0.0), (0.9, 0.1)):
            sides = [(values[0],) * n + (values[1],) * (5 - n) for n in (x, y)]
            found = judge([Pair(first=sides[0], second=sides[1])], tolerance=0.05, ahead=False)
            assert (found.low > 0.05) == (found.kind == "regressed")
            assert (found.high <= 0.05) == (found.kind == "ok")
