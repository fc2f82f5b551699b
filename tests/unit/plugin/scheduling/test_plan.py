from __future__ import annotations

import pytest

from pytest_netbench.plugin.scheduling.estimates import Estimate
from pytest_netbench.plugin.scheduling.scheduler import plan


def of(*seconds: float) -> list[Estimate]:
    return [Estimate(seconds=one, memory_mb=100) for one in seconds]


def test_the_longest_goes_to_whoever_is_free_first():
    estimates = of(9, 5, 5)
    assert plan({"a": 0.0, "b": 0.0}, [0, 1, 2], estimates) == {"a": [0], "b": [1, 2]}


def test_who_has_much_to_do_already_gets_nothing_more():
    assert plan({"a": 20.0, "b": 1.0}, [0, 1], of(5, 5)) == {"a": [], "b": [0, 1]}


@pytest.mark.parametrize(
    ("seconds", "workers", "longest"), [((5, 5, 1, 1, 1), 2, 7), ((4, 3, 3, 2, 2), 2, 8), ((1,) * 8, 4, 2)]
)
def test_the_last_worker_is_done_early(seconds, workers, longest):
    estimates = of(*seconds)
    plans = plan(dict.fromkeys(range(workers), 0.0), range(len(seconds)), estimates)
    assert max(sum(estimates[one].seconds for one in mine) for mine in plans.values()) == longest
