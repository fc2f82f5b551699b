"""What has arrived of a flow at a moment, also if what carries it was held up."""

from __future__ import annotations

import pytest

from pytest_netbench.probing.arrivals import Arrivals

INTERVAL_S = 0.005


def even(moments: list[float]) -> Arrivals:
    arrivals = Arrivals(INTERVAL_S / 2)
    for moment in moments:
        arrivals.add(moment, 1000)
    return arrivals


def held_up(*gaps: tuple[float, float]) -> list[float]:
    """Moments of packets that are due each 5 ms from 0 to 1 s, and come at the end of a gap if they are due in it."""
    due = [number * INTERVAL_S for number in range(1, 201)]
    return [next((end for begin, end in gaps if begin < at < end), at) for at in due]


def test_packets_that_come_evenly_are_counted_between_two_moments() -> None:
    assert even(held_up()).between(0.25, 0.75) == pytest.approx(100_000)


@pytest.mark.parametrize(
    "gap",
    [
        pytest.param((0.21, 0.26), id="over the beginning"),
        pytest.param((0.4, 0.5), id="within"),
        pytest.param((0.70, 0.80), id="over the end"),
        pytest.param((0.20, 0.25), id="its burst at the beginning"),
        pytest.param((0.70, 0.75), id="its burst at the end"),
    ],
)
def test_a_gap_with_a_burst_behind_it_changes_no_rate(gap: tuple[float, float]) -> None:
    assert even(held_up(gap)).between(0.2501, 0.7501) == pytest.approx(100_000, abs=2000)


def test_silence_is_no_gap() -> None:
    """What comes no more has not come; only one packet is spread over a silence."""
    arrivals = even([at for at in held_up() if at < 0.5 or at > 0.9])
    assert arrivals.between(0.25, 0.75) == pytest.approx(50_000, abs=2000)
    assert even([at for at in held_up() if at < 0.5]).between(0.25, 0.75) == pytest.approx(50_000, abs=1000)


def test_packets_much_faster_than_any_hold_up_are_no_single_burst() -> None:
    arrivals = Arrivals(0.0008)
    for number in range(1000):
        arrivals.add(number * 0.0001, 100)
    assert arrivals.between(0.025, 0.075) == pytest.approx(50_000, rel=0.01)


def test_nothing_has_arrived_before_the_first_packet() -> None:
    assert Arrivals(INTERVAL_S).between(0, 1) == 0
    assert even([0.5]).between(0, 0.4) == 0
    assert even([0.5]).between(0, 1) == 1000
