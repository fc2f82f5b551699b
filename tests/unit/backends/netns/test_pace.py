"""How fast lab time passes."""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_netbench.backends.netns.clock import pace

counts = st.integers(0, 500)
workers = st.integers(0, 64)


@given(counts, workers)
def test_a_pace_is_never_slower_than_the_wall_nor_faster_than_the_most(nodes: int, beside: int) -> None:
    assert 1.0 <= pace.steady(nodes, beside) <= pace.converging(nodes, beside)
    assert pace.steady(nodes, beside) <= 20.0
    assert pace.converging(nodes, beside) <= 60.0


@given(counts, workers)
def test_more_routers_or_labs_beside_never_quicken_it(nodes: int, beside: int) -> None:
    assert pace.steady(nodes + 1, beside) <= pace.steady(nodes, beside)
    assert pace.converging(nodes, beside + 1) <= pace.converging(nodes, beside)


def test_the_cores_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    two = pace.steady(40, 1)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)))
    assert pace.steady(40, 1) > two
    assert pace.steady(4, 1) == 20.0


dead_times = st.none() | st.floats(0.01, 600)
loads = st.floats(0, 100)


@given(counts, workers, dead_times, loads)
def test_the_shortest_dead_time_lasts_half_a_second_or_lab_time_is_wall_time(nodes, beside, dead_s, load) -> None:
    factor = pace.steady(nodes, beside, dead_s=dead_s, load=load)
    assert 1.0 <= factor <= pace.converging(nodes, beside, dead_s=dead_s, load=load)
    if dead_s is not None:
        assert factor == 1.0 or dead_s / factor >= 0.49


@given(counts, workers, dead_times, loads)
def test_load_never_quickens_it(nodes, beside, dead_s, load) -> None:
    assert pace.steady(nodes, beside, dead_s=dead_s, load=load + 1) <= pace.steady(
        nodes, beside, dead_s=dead_s, load=load
    )


def test_a_crowded_machine_gives_short_dead_times_four_times_as_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    assert pace.steady(2, 1, dead_s=10) == 20.0
    assert pace.steady(2, 1, dead_s=10, load=4) == 10.0
    assert pace.steady(2, 1, dead_s=10, load=50) == 5.0
    assert pace.converging(2, 1, dead_s=10) == 40.0
    assert pace.steady(2, 1, load=50) == 20.0  # no timers that could expire


@given(counts, workers, dead_times, loads)
def test_a_network_converges_at_first_no_slower_than_later(nodes, beside, dead_s, load) -> None:
    at_first = pace.eager(nodes, beside, dead_s=dead_s, load=load)
    assert pace.converging(nodes, beside, dead_s=dead_s, load=load) <= at_first <= 160.0


def test_a_crowded_machine_and_short_dead_times_slow_the_first_seconds_down(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    assert pace.eager(4, 1) == 160.0
    assert pace.eager(4, 1, load=4) == 80.0
    assert pace.eager(4, 1, dead_s=10) == 40.0
    assert pace.eager(4, 1, dead_s=180) == 160.0
    assert pace.eager(100, 1) == 20.0
    assert pace.eager(20, 1, links=190) == pace.converging(20, 1)


def test_a_network_that_is_not_ready_soon_gets_half_the_pace_again_and_again() -> None:
    assert pace.slower(160.0, 60.0, 20.0) == [(2.0, 60.0), (6.0, 30.0), (10.0, 20.0)]
    assert pace.slower(48.0, 48.0, 16.0) == [(2.0, 24.0), (6.0, 16.0)]
    assert pace.slower(5.0, 5.0, 5.0) == []


@given(counts, workers, dead_times, loads)
def test_paces_of_a_slow_network_only_fall(nodes, beside, dead_s, load) -> None:
    steady, converging, at_first = (
        choose(nodes, beside, dead_s=dead_s, load=load) for choose in (pace.steady, pace.converging, pace.eager)
    )
    paces = [at_first, *(one for _, one in pace.slower(at_first, converging, steady))]
    assert paces == sorted(set(paces), reverse=True)
    assert paces[-1] == steady
