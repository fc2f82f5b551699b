"""Looks in the background: during a change, and for a while afterwards."""

from __future__ import annotations

import threading
import time

import pytest

from pytest_netbench.evaluation.monitor import background
from pytest_netbench.evaluation.monitor.background import FIRST_S, Background


class Looks:
    def __init__(self, *, linger_s: float = 0.0, fails: bool = False) -> None:
        self.count = 0
        self.between: list[float] = []
        self.fails = fails
        self.background = Background(self.look, self.between.append, linger_s=linger_s)

    def look(self) -> None:
        self.count += 1
        if self.fails:
            raise ValueError("cannot look")

    def wait_for(self, count: int) -> None:
        ends_at = time.monotonic() + 5
        while self.count < count and time.monotonic() < ends_at:
            time.sleep(0.005)
        assert self.count >= count


def monitors() -> int:
    return sum(thread.name == "netbench-monitor" for thread in threading.enumerate())


def test_a_short_change_is_not_looked_at_and_its_whole_time_is_the_precision(monkeypatch):
    monkeypatch.setattr(background, "FIRST_S", 60.0)
    looks = Looks()
    looks.background.enter()
    looks.background.leave()
    looks.background.stop()
    assert looks.count == 0
    assert len(looks.between) == 1
    assert 0 < looks.between[0] < 60


def test_a_long_change_is_looked_at_until_the_last_of_several_is_complete():
    looks = Looks()
    looks.background.enter()
    looks.background.enter()
    looks.wait_for(1)
    looks.background.leave()
    looks.wait_for(3)
    looks.background.leave()
    looks.background.stop()
    count = looks.count
    time.sleep(3 * FIRST_S)
    assert looks.count == count


def test_looks_go_on_for_a_while_after_a_change_and_then_the_thread_ends():
    looks = Looks(linger_s=0.3)
    looks.background.enter()
    looks.background.leave()
    looks.wait_for(2)
    ends_at = time.monotonic() + 5
    while monitors() and time.monotonic() < ends_at:
        time.sleep(0.01)
    assert monitors() == 0
    looks.background.enter()
    looks.wait_for(looks.count + 1)
    looks.background.stop()


def test_an_error_is_raised_by_the_thread_that_makes_the_change():
    looks = Looks(fails=True)
    looks.background.enter()
    looks.wait_for(1)
    time.sleep(0.02)
    with pytest.raises(ValueError, match="cannot look"):
        looks.background.leave()
    looks.background.stop()


def test_nothing_runs_after_the_end():
    looks = Looks(linger_s=5.0)
    looks.background.enter()
    looks.background.leave()
    looks.background.stop()
    assert monitors() == 0
    looks.background.enter()
    looks.background.leave()
    assert monitors() == 0
