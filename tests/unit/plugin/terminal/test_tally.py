"""The line that says how a run is getting on."""

from __future__ import annotations

import pytest

from pytest_netbench.plugin.terminal.tally import Tally


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def tally(clock):
    made = Tally(clock=clock)
    made.plan(["a.task.yaml::a[x]", "b.task.yaml::b[x]", "c.task.yaml::c[x]"], workers=2)
    return made


def test_the_line_names_what_runs_and_for_how_long(tally, clock):
    tally.start("a.task.yaml::a[x]")
    clock.now += 5
    tally.start("b.task.yaml::b[x]")
    clock.now += 60
    assert tally.line(width=200) == "0 of 3 done · a[x] 1:05 · b[x] 1:00 · 1:05 so far"


def test_what_is_left_is_told_by_what_has_ended(tally, clock):
    tally.start("a.task.yaml::a[x]")
    clock.now += 10
    tally.finish("a.task.yaml::a[x]")
    tally.fail("a.task.yaml::a[x]")
    tally.start("b.task.yaml::b[x]")
    clock.now += 4
    # b has 6 seconds left and c 10, on two workers
    assert tally.left_s() == pytest.approx(8)
    assert tally.line(width=200) == "1 of 3 done · 1 failed · b[x] 0:04 · 0:14 so far · about 0:08 left"


def test_earlier_runs_tell_what_is_left_before_anything_has_ended(tally):
    assert tally.left_s() is None
    tally.know_durations({"a.task.yaml::a[x]": 30.0, "b.task.yaml::b[x]": 10.0})
    assert tally.left_s() == pytest.approx(30)  # 30, 10, and 20 for c on two workers


def test_an_item_that_takes_longer_than_thought_has_no_time_left_but_others_have(tally, clock):
    tally.know_durations({"a.task.yaml::a[x]": 3.0})
    tally.plan(["a.task.yaml::a[x]"], workers=1)
    tally.start("a.task.yaml::a[x]")
    clock.now += 10
    assert "left" not in tally.line(width=200)


def test_cost_is_shown_or_else_tokens(tally):
    tally.spend(cost_usd=None, tokens=1200)
    assert tally.line(width=200).endswith("1200 tokens")
    tally.spend(cost_usd=0.125, tokens=100)
    assert tally.line(width=200).endswith("0.12 USD")


@pytest.mark.parametrize("width", range(1, 120))
def test_the_line_is_never_wider_than_the_terminal(tally, clock, width):
    for one in "abc":
        tally.start(f"{one}.task.yaml::{one * 60}[x]")
    clock.now += 4000
    assert len(tally.line(width=width)) <= width


def test_items_for_which_there_is_no_room_are_counted(tally, clock):
    for one in "abc":
        tally.start(f"{one}.task.yaml::{one}[x]")
    assert tally.line(width=60) == "0 of 3 done · a[x] 0:00 · 2 more running · 0:00 so far"


def test_control_characters_of_an_id_do_not_reach_the_terminal(tally):
    tally.start("t.py::test[\x1b[2J\n]")
    line = tally.line(width=200)
    assert "\x1b" not in line
    assert "\n" not in line
