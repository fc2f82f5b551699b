"""Budgets: the request that would exceed a limit is refused, and so is every later one."""

import pytest

from pytest_netbench.ani.meter import Meter
from pytest_netbench.errors import AniError, BudgetExhausted
from pytest_netbench.model.task import Budget


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


def meter(**limits):
    clock = Clock()
    made = Meter(Budget(**limits), clock=clock)
    made.start()
    return made, clock


def test_the_call_beyond_the_last_exhausts_and_the_budget_stays_exhausted():
    made, _ = meter(calls=2)
    made.charge_call()
    made.charge_call()
    for _ in range(2):
        with pytest.raises(BudgetExhausted, match=r"budget exhausted: calls \(allowed 2\)"):
            made.charge_call()
    assert made.used().calls == 2
    assert made.left()["calls"] == 0


def test_more_commands_than_are_left_are_refused_whole_and_told_how_many_are_left():
    made, _ = meter(commands=5)
    made.charge_commands(3)
    with pytest.raises(AniError, match="3 commands are more than the 2 left of 5; nothing was applied, send at most 2"):
        made.charge_commands(3)
    made.charge_commands(2)
    with pytest.raises(BudgetExhausted, match="commands"):
        made.charge_commands(1)
    with pytest.raises(BudgetExhausted, match="commands"):
        made.charge_call()


def test_time_is_over_when_the_clock_says_so():
    made, clock = meter(wall_s=10)
    made.charge_call()
    assert made.left()["wall_s"] == 10
    clock.now += 10
    with pytest.raises(BudgetExhausted, match=r"wall_s \(allowed 10\)"):
        made.charge_call()


def test_tokens_are_counted_even_when_they_exceed_the_limit():
    made, _ = meter(tokens=100)
    made.charge_tokens(100)
    made.charge_call()
    with pytest.raises(BudgetExhausted, match=r"tokens \(allowed 100\)"):
        made.charge_tokens(1)
    assert made.used().tokens == 101
    assert made.left()["tokens"] == 0


def test_a_completion_of_no_tokens_is_not_refused_after_the_end():
    made, clock = meter(wall_s=1)
    clock.now += 2
    made.charge_tokens(0)


def test_no_limit_is_none_left():
    made, _ = meter(calls=None, commands=None, wall_s=None, tokens=None)
    made.charge_commands(10_000)
    assert made.left() == dict.fromkeys(("calls", "commands", "wall_s", "tokens", "lab_s"))


def test_the_clock_starts_once_and_stops_once():
    made, clock = meter()
    clock.now += 3
    made.start()
    made.stop()
    clock.now += 5
    made.stop()
    assert made.used().wall_s == 3


def test_the_clock_stands_still_in_pauses_that_may_overlap():
    clock = Clock()
    meter = Meter(Budget(wall_s=5), clock=clock)
    with meter.paused():
        clock.now += 1
    assert meter.elapsed_s == meter.waited_s == 0
    meter.start()
    clock.now += 2
    with meter.paused():
        clock.now += 3
        assert (meter.elapsed_s, meter.waited_s) == (2, 3)
        with meter.paused():
            clock.now += 4
        meter.check()
    clock.now += 1
    assert (meter.elapsed_s, meter.waited_s) == (3, 7)
    with meter.paused():
        clock.now += 1
        meter.stop()
        clock.now += 10
    assert (meter.elapsed_s, meter.waited_s) == (3, 8)
