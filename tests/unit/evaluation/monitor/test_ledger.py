"""The ledger: states, steps and outages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_netbench.evaluation.monitor.ledger import Ledger
from pytest_netbench.model.watch import WatchedFlow

COUNT = 6
FLOWS = [WatchedFlow(source="h1", target=f"h{n}", address=f"10.0.0.{n}", allowed=n != COUNT - 1) for n in range(COUNT)]
WRONG = st.frozensets(st.integers(0, COUNT - 1))


def ledger(**options) -> Ledger:
    return Ledger(FLOWS, time_scale=10.0, **options)


@given(before=WRONG, after=st.lists(WRONG))
def test_the_states_come_out_of_the_steps_as_they_were_seen(before, after):
    kept = ledger()
    kept.begin(before, at=0.0)
    for number, wrong in enumerate(after, start=1):
        kept.step(wrong, number=number, at_s=float(number))
    watch = kept.watch(changes=len(after), at=9.0)
    seen = [before, *after]
    distinct = [state for index, state in enumerate(seen) if index == 0 or state != seen[index - 1]]
    assert list(watch.states()) == distinct
    assert set(watch.wrong_after) == seen[-1]
    assert all(not set(step.broke) & set(step.mended) for step in watch.steps)


def test_an_outage_lasts_from_the_first_lost_probe_to_the_next_that_arrives_in_lab_seconds():
    kept = ledger()
    kept.begin((), at=0.0)
    kept.look({0: True, 1: False}, at=1.0)
    kept.look({0: True, 1: False}, at=1.5)
    kept.look({0: False, 1: False}, at=1.75)
    (outage,) = kept.watch(changes=1, at=9.0).outages
    assert (outage.flow, outage.lab_s, outage.lasts) == (0, 7.5, False)


def test_the_longest_of_several_outages_counts_and_one_that_has_not_ended_lasts():
    kept = ledger()
    kept.begin((), at=0.0)
    for at, is_wrong in ((1.0, True), (3.0, False), (4.0, True), (4.5, False), (8.0, True)):
        kept.look({0: is_wrong}, at=at)
    (outage,) = kept.watch(changes=1, at=9.0).outages
    assert (outage.lab_s, outage.lasts) == (20.0, True)


def test_a_flow_that_never_worked_has_no_outage_but_one_that_was_mended_may():
    kept = ledger()
    kept.begin({0, 1}, at=0.0)
    kept.look({0: True, 1: False}, at=1.0)
    kept.look({0: True, 1: True}, at=2.0)
    assert [outage.flow for outage in kept.watch(changes=1, at=3.0).outages] == [1]


def test_a_flow_that_must_not_get_through_has_no_outage():
    kept = ledger()
    kept.begin((), at=0.0)
    kept.look({COUNT - 1: True}, at=1.0)
    assert kept.watch(changes=1, at=2.0).outages == ()


def test_a_record_is_bounded_but_has_room_for_everything_that_only_mends():
    kept = ledger(most_numbers=1)
    kept.begin(range(COUNT), at=0.0)
    for number in range(COUNT):
        kept.step(range(number + 1, COUNT), number=number + 1, at_s=0.0)
    assert kept.watch(changes=COUNT, at=1.0).steps_left_out == 0
    kept.step({0}, number=COUNT + 1, at_s=0.0)
    watch = kept.watch(changes=COUNT + 1, at=1.0)
    assert (watch.steps_left_out, len(watch.steps), watch.wrong_after) == (1, COUNT, (0,))


@pytest.mark.parametrize("wall_s", [0.25, 0.5])
def test_the_precision_is_the_longest_time_between_two_looks(wall_s):
    kept = ledger()
    kept.looked_again_after(0.1)
    kept.looked_again_after(wall_s)
    assert kept.watch(changes=0, at=0.0).precision_s == 10 * wall_s
