"""How fast lab time passes."""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_netbench.backends.netns import pace

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
