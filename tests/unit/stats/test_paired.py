"""Paired comparisons."""

from __future__ import annotations

import random

import pytest

from pytest_netbench.stats.paired import Pair, compare, holm


def single(counts: dict[tuple[int, int], int]) -> list[Pair]:
    """Pairs of one trial each, given by how often each pair of values occurs."""
    return [Pair(first=(float(a),), second=(float(b),)) for (a, b), count in counts.items() for _ in range(count)]


def test_the_exact_test_of_mcnemar_has_published_values() -> None:
    # Agresti, Categorical Data Analysis (2nd ed., table 10.1): approval ratings of 1,600 people; 86 against 150
    found = compare(single({(1, 1): 794, (1, 0): 150, (0, 1): 86, (0, 0): 570}))
    assert found.method == "McNemar"
    assert found.p == pytest.approx(3.716e-05, rel=1e-3)  # R: exact2x2::mcnemar.exact
    assert found.difference == pytest.approx(-0.04)
    # R: mcnemar.exact of 2 against 10
    assert compare(single({(1, 0): 2, (0, 1): 10, (1, 1): 5})).p == pytest.approx(0.03857, abs=1e-4)


def test_without_a_difference_p_is_1() -> None:
    found = compare(single({(1, 1): 3, (0, 0): 2}))
    assert (found.p, found.difference) == (1.0, 0.0)


def test_trials_are_permuted_within_tasks() -> None:
    # 5 of 5 against 0 of 5 in one task: of 252 divisions of ten trials two differ as much
    found = compare([Pair(first=(1.0,) * 5, second=(0.0,) * 5), Pair(first=(1.0,) * 5, second=(1.0,) * 5)])
    assert found.method == "permutation"
    assert found.p == pytest.approx(2 / 252, abs=0.002)
    assert found.difference == -0.5


def test_agents_that_are_alike_are_told_apart_no_more_often_than_said() -> None:
    source = random.Random(3)
    false = 0
    for _ in range(200):
        rates = [source.random() for _ in range(12)]
        pairs = [
            Pair(
                first=tuple(float(source.random() < rate) for _ in range(3)),
                second=tuple(float(source.random() < rate) for _ in range(3)),
            )
            for rate in rates
        ]
        false += compare(pairs).p < 0.05
    assert false <= 19  # 5 % of 200 is 10; 19 is the upper 0.5 % point


def test_the_interval_holds_the_difference_of_the_tasks() -> None:
    found = compare(single({(1, 0): 4, (1, 1): 30, (0, 0): 6}))
    assert found.interval is not None
    assert -0.2 - 1e-9 <= found.interval.low < -0.1 < found.interval.high <= 0.0


def test_tasks_that_all_differ_alike_have_the_interval_of_both_sides() -> None:
    # Wilson's interval of 3 of 3 begins at 0.4385, that of 0 of 3 ends at 0.5615: 1 - 0.5615 * sqrt(2) = 0.206
    found = compare(single({(1, 0): 3}))
    assert found.interval is not None
    assert found.difference == -1.0
    assert (found.interval.low, found.interval.high) == pytest.approx((-1.0, -0.206), abs=2e-3)
    alike = compare(single({(1, 1): 3})).interval
    assert alike is not None
    assert alike.low == -alike.high == pytest.approx(-0.561, abs=2e-3)


def test_values_that_are_no_shares_have_no_such_interval() -> None:
    assert compare([Pair(first=(5.0,), second=(3.0,))]).interval is None


def test_holms_adjustment_has_published_values() -> None:
    # the example of R's p.adjust page and of Wikipedia's article on the method
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == pytest.approx([1.0, 1.0])
    assert holm([]) == []


def test_nothing_cannot_be_compared() -> None:
    with pytest.raises(ValueError, match="nothing to compare"):
        compare([])
