"""Means by group with intervals."""

from __future__ import annotations

import random

import pytest

from pytest_netbench.stats.groups import estimate


def test_the_interval_is_that_of_students_t() -> None:
    # Student's own data (1908, "The probable error of a mean", additional sleep by the first drug), scaled to 0..1
    hours = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
    found = estimate([(one + 5) / 10 for one in hours])
    assert found is not None
    assert found.interval is not None
    assert found.value * 10 - 5 == pytest.approx(0.75)
    # R: t.test(sleep$extra[1:10])
    assert found.interval.low * 10 - 5 == pytest.approx(-0.5297804, abs=1e-6)
    assert found.interval.high * 10 - 5 == pytest.approx(2.0297804, abs=1e-6)


@pytest.mark.parametrize("values", [[1.0], [0.5, 0.5, 0.5]])
def test_equal_values_have_no_interval(values: list[float]) -> None:
    found = estimate(values)
    assert found is not None
    assert (found.value, found.interval, found.count) == (values[0], None, len(values))


def test_nothing_has_no_estimate_and_bounds_stay_within_0_and_1() -> None:
    assert estimate([]) is None
    found = estimate([1.0, 1.0, 0.0])
    assert found is not None
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == (0.0, 1.0)


def test_the_interval_covers_the_mean_as_often_as_it_says() -> None:
    source = random.Random(7)
    covered = 0
    for _ in range(1000):
        found = estimate([source.random() for _ in range(20)])
        assert found is not None
        assert found.interval is not None
        covered += found.interval.low <= 0.5 <= found.interval.high
    assert 925 <= covered <= 972
