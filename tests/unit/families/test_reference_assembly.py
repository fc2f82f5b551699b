from __future__ import annotations

from pytest_netbench.families.configure.assembly import Look, assembled
from pytest_netbench.model.behaviour import ANY, UNSTABLE_ROUTE, Outcome, fields_of, flow_of
from tests.support.behaviours import ALLOWED, DENIED, flow

STATIC = ("static", "10.0.0.1")


def assemble(before, after, *, tables=({}, {})):
    looks = [[Look(outcomes={flow().key: one}, routes=tables[0]) for one in before]]
    later = [[Look(outcomes={flow().key: one}, routes=tables[1]) for one in after]]
    return assembled(digest="0" * 16, events=(), flows=[flow()], addresses={}, before=looks, after=later)


def test_what_is_the_same_in_all_looks_is_held():
    (held,) = assemble([ALLOWED, ALLOWED], [DENIED, DENIED]).held()
    assert (held.flow, held.before, held.after, held.differs) == (flow(), ALLOWED, DENIED, True)


def test_what_varies_is_not_held_and_listed_with_what_was_seen():
    recorded = assemble([ALLOWED, DENIED, ALLOWED], [DENIED, DENIED])
    assert list(recorded.held()) == []
    (one,) = recorded.unstable
    assert (one.what, one.why) == ("web1 -> 10.1.30.10 (db) tcp/443", "before: allowed 2, denied 1")


def test_a_translated_source_that_varies_is_held_as_any_address():
    seen = [Outcome(reach="allowed", seen=f"203.0.113.{number}") for number in (1, 2)]
    (held,) = assemble([ALLOWED, ALLOWED], seen).held()
    assert held.after == Outcome(reach="allowed", seen=ANY)
    assert all(held.after.fits(one) for one in seen)


def test_a_route_that_comes_and_goes_is_marked():
    looks = [[Look(outcomes={flow().key: ALLOWED}, routes={"R1": table}) for table in ({"10.0.0.0/8": STATIC}, {})]]
    recorded = assembled(digest="", events=(), flows=[flow()], addresses={}, before=looks, after=looks)
    (tables,) = recorded.tables_at()
    assert tables.before["10.0.0.0/8"] == UNSTABLE_ROUTE
    assert {one.what for one in recorded.unstable} == {"R1: route 10.0.0.0/8"}


def test_outcomes_and_flows_survive_their_short_forms():
    for outcome in (ALLOWED, DENIED, Outcome(reach="arrives", dscp=46, seen="2001:db8::1")):
        assert Outcome.parse(str(outcome)) == outcome
    assert flow_of(fields_of(flow(dscp=3))) == flow(dscp=3)
