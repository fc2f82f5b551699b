"""Failures by region, and chances that are drawn from them."""

from __future__ import annotations

import random

import pytest

from pytest_netbench.stats.regions import Count, Tally


def test_trials_are_counted_once_for_each_region_of_the_task():
    tally = Tally([({"label": ("DR",), "place": ("a", "b", "a")}, True), ({"label": ("DR",)}, False)])
    assert tally.total == (1, 2)
    assert tally.axes == {"label": {"DR": (1, 2)}, "place": {"a": (1, 1), "b": (1, 1)}}
    assert tally.of("label", "WR") == tally.of("size", "9") == Count(0, 0)
    assert (tally.total.share, Count(0, 0).share) == (0.5, 0.0)


@pytest.mark.parametrize(("failed", "trials"), [(0, 8), (3, 9), (10, 10)])
def test_chances_have_the_mean_of_a_beta_distribution(failed, trials):
    seen = [({"label": ("X",)}, number < failed) for number in range(trials)]
    rest = [({"label": ("Y",)}, number % 2 == 0) for number in range(400)]
    tally, source = Tally([*seen, *rest]), random.Random(1)
    drawn = [tally.chance("label", "X", source) for _ in range(4000)]
    assert sum(drawn) / len(drawn) == pytest.approx((failed + 1) / (trials + 2), abs=0.01)


def test_an_unknown_region_is_like_the_others_but_can_surprise():
    rare = Tally([({"label": ("X",)}, number == 0) for number in range(100)])
    source = random.Random(1)
    drawn = [rare.chance("label", "new", source) for _ in range(4000)]
    assert sum(drawn) / len(drawn) == pytest.approx(0.2, abs=0.01)
    assert max(drawn) > 0.7


def test_chances_are_equal_on_every_machine():
    tally = Tally([({"label": ("X",)}, True), ({"label": ("X",)}, False)])
    assert tally.chance("label", "X", random.Random("pinned")).hex() == "0x1.2f4e9b7358bf6p-1"
