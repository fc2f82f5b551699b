"""The pace of lab time while a network settles after an event."""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_netbench.backends.netns import pace
from pytest_netbench.backends.netns.clock import NetnsClock

OSPF = "router ospf 1\n network 0.0.0.0 255.255.255.255 area 0\n"
FAST_OSPF = "interface Gi0/0\n ip ospf dead-interval 2\n"
SLA = "ip sla 1\n icmp-echo 192.0.2.1\n"


@pytest.fixture(autouse=True)
def idle_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    monkeypatch.setattr(os, "getloadavg", lambda: (0.0, 0.0, 0.0))


def clock(paces: list[float], *, steady: float = 20.0, fixed: bool = False) -> NetnsClock:
    return NetnsClock(steady=steady, set_pace=paces.append, daemon_nodes=4, workers=1, fixed=fixed)


def test_lab_time_is_quickened_and_gets_its_own_pace_back() -> None:
    paces: list[float] = []
    with clock(paces).quickened([OSPF]) as factor:
        assert paces == [factor]
        assert factor == 60.0
    assert paces == [60.0, 20.0]


def test_an_error_gives_its_own_pace_back() -> None:
    paces: list[float] = []
    with pytest.raises(ZeroDivisionError), clock(paces).quickened([OSPF]):
        raise ZeroDivisionError
    assert paces == [60.0, 20.0]


@pytest.mark.parametrize("configs", [[OSPF, FAST_OSPF], [OSPF, SLA]], ids=["short dead time", "probes"])
def test_what_would_break_at_a_faster_pace_keeps_the_labs_own(configs: list[str]) -> None:
    paces: list[float] = []
    with clock(paces, steady=4.0 if FAST_OSPF in configs else 20.0).quickened(configs) as factor:
        assert factor in (4.0, 20.0)
    assert paces == []


def test_a_time_scale_that_somebody_chose_stays() -> None:
    paces: list[float] = []
    with clock(paces, steady=3.0, fixed=True).quickened([OSPF]) as factor:
        assert factor == 3.0
    assert paces == []


@given(st.integers(0, 500), st.integers(0, 64), st.none() | st.floats(0.01, 600), st.floats(0, 100))
def test_a_dead_time_lasts_half_a_second_while_a_network_settles(nodes, beside, dead_s, load) -> None:
    factor = pace.settling(nodes, beside, dead_s=dead_s, load=load)
    assert 1.0 <= factor <= pace.converging(nodes, beside, dead_s=dead_s, load=load)
    assert factor == 1.0 or min(dead_s or 40.0, 40.0) / factor >= 0.49
