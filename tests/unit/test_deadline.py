"""Polling ends when enough is seen or when its own time is over, and looks at least once."""

from __future__ import annotations

from operator import not_

import pytest

from pytest_netbench import deadline


class Clock:
    """Time that passes in pauses only, or when it is told to."""

    now = 1000.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(deadline, "time", clock)
    return clock


def test_polling_ends_with_the_first_look_that_is_enough(clock):
    looks = iter([3, 2, 0, 1])
    assert deadline.poll(lambda: next(looks), until=not_, within_s=60, pause_s=4) == 0
    assert next(looks) == 1
    assert clock.now == 1008, "nothing is waited for after it"


@pytest.mark.parametrize("within_s", [0, -1])
def test_polling_without_any_time_looks_once_and_returns_what_it_saw(clock, within_s):
    looks = iter([3, 2])
    assert deadline.poll(lambda: next(looks), until=not_, within_s=within_s, pause_s=4) == 3
    assert next(looks) == 2
    assert clock.now == 1000, "nothing is waited for without a look after it"


@pytest.mark.parametrize(("within_s", "last"), [(7, 1008), (8, 1008), (9, 1012)])
def test_polling_returns_what_it_saw_last_at_most_one_pause_after_its_time(clock, within_s, last):
    looks = []

    def look() -> float:
        looks.append(clock.now)
        return clock.now

    assert deadline.poll(look, until=lambda _: False, within_s=within_s, pause_s=4) == last
    assert looks == list(range(1000, last + 1, 4))
    assert clock.now == last


def test_the_time_that_looks_take_counts(clock):
    looks = []

    def look() -> int:
        clock.now += 6
        looks.append(clock.now)
        return len(looks)

    assert deadline.poll(look, until=lambda _: False, within_s=10, pause_s=1) == 2


def test_polling_goes_on_when_the_time_of_the_work_under_way_is_over(clock):
    looks = iter([3, 2, 0])
    with deadline.within(1, cancelled=lambda: True):
        assert deadline.poll(lambda: next(looks), until=not_, within_s=60, pause_s=4) == 0
