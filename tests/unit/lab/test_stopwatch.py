"""The seconds in which verdicts wait: the wall's, and those of a clock that is moved by events."""

from __future__ import annotations

import time

import pytest

from pytest_netbench.lab.stopwatch import EventStopwatch, WallStopwatch, stopwatch_of
from pytest_netbench.platforms.capabilities import Passed


class Clock:
    """A clock of a lab that passes 20 times as fast as the wall, and can be moved."""

    def __init__(self) -> None:
        self.moved_s = 0.0

    def at(self, moment: float) -> float:
        return 20 * moment + self.moved_s

    def forward(self, lab_s: float) -> Passed:
        self.moved_s += lab_s
        return Passed(lab_s=lab_s, wall_s=0.0, held_s=0.0, moves=1, looks=1)


def test_a_second_is_as_many_lab_seconds_as_the_scale_says_and_takes_none_of_the_wall():
    clock = Clock()
    stopwatch = EventStopwatch(clock, 20.0)
    began, wall = stopwatch.now(), time.monotonic()
    stopwatch.sleep(30)
    assert time.monotonic() - wall < 5
    assert clock.moved_s == 600
    assert stopwatch.now() - began == pytest.approx(30, abs=5)


def test_while_something_is_measured_by_the_wall_seconds_pass_with_it():
    clock = Clock()
    stopwatch = EventStopwatch(clock, 20.0)
    wall = time.monotonic()
    with stopwatch.following_the_wall():
        with stopwatch.following_the_wall():
            stopwatch.sleep(0.05)
        stopwatch.sleep(0.05)
        assert time.monotonic() - wall >= 0.1
        assert clock.moved_s == 0
    stopwatch.sleep(1)
    assert clock.moved_s == 20


def test_no_time_moves_no_clock():
    clock = Clock()
    EventStopwatch(clock, 20.0).sleep(-1)
    assert clock.moved_s == 0


def test_a_lab_without_seconds_of_its_own_has_those_of_the_wall():
    stopwatch = stopwatch_of(object())
    assert isinstance(stopwatch, WallStopwatch)
    began, wall = stopwatch.now(), time.monotonic()
    stopwatch.sleep(0.05)
    assert time.monotonic() - wall >= 0.05
    assert stopwatch.now() - began >= 0.05
