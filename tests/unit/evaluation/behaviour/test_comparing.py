from __future__ import annotations

import pytest

from pytest_netbench.evaluation.behaviour.compare import (
    flow_differences,
    route_differences,
    spread,
    unequal,
    unjudged_routes,
)
from pytest_netbench.evaluation.reference import changes_at
from pytest_netbench.families.configure.assembly import Look, assembled
from pytest_netbench.model.behaviour import ANY, Outcome
from tests.support.behaviours import ALLOWED, ARRIVES, DENIED, behaviour, flow, reference

CONNECTED = ("connected", "eth0")
STATIC = ("static", "10.0.0.1")
TABLES = (
    {"R1": {"10.1.0.0/16": STATIC, "10.2.0.0/16": ("ospf", "10.0.0.2")}, "web1": {"0.0.0.0/0": STATIC}},
    {"R1": {"10.1.0.0/16": STATIC, "10.2.0.0/16": ("ospf", "10.0.0.3"), "10.3.0.0/16": STATIC}, "web1": {}},
)


def differing(found, *, asked=lambda _node, _prefix: False):
    held = behaviour({}, routes=TABLES).tables_at()
    differences = route_differences(held, found, managed=frozenset({"R1"}), asked=asked)
    return [(one.node, one.prefix) for one in differences]


AS_RECORDED = {"R1": TABLES[1]["R1"], "web1": {}}


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (AS_RECORDED, []),
        ({"R1": {"10.2.0.0/16": STATIC}}, [("R1", "10.1.0.0/16")]),
        ({"R1": {"10.1.0.0/16": ("static", "10.9.9.9"), "10.2.0.0/16": STATIC}}, [("R1", "10.1.0.0/16")]),
        ({"R1": {"10.1.0.0/16": ("ospf", "10.0.0.1"), "10.2.0.0/16": STATIC}}, []),
        ({"R1": {**TABLES[0]["R1"], "172.16.0.0/12": STATIC}}, []),
        ({"web1": {"172.16.0.0/12": STATIC}}, [("web1", "172.16.0.0/12")]),
        ({"web1": {"0.0.0.0/0": STATIC}}, []),
    ],
    ids=[
        "as after the ground truth",
        "a route that was there is lost",
        "its next hop is another",
        "it is learned from another protocol",
        "a managed node has a further route",
        "a route leaks to a node that is not managed",
        "a route that the ground truth removes may stay",
    ],
)
def test_routes_are_judged_where_they_must_stay_and_where_they_leak(found, expected):
    assert differing(found) == expected


def test_a_next_hop_that_is_listed_twice_is_one_next_hop():
    one, twice = {"10.1.0.0/16": ("ospf", "10.0.0.2")}, {"10.1.0.0/16": ("ospf", "10.0.0.2", "10.0.0.2")}
    held = list(behaviour({}, routes=({"R1": twice}, {"R1": twice})).tables_at())
    assert route_differences(held, {"R1": one}, managed=frozenset({"R1"}), asked=lambda *_: False) == []
    other = {"10.1.0.0/16": ("ospf", "10.0.0.2", "10.0.0.3")}
    assert len(route_differences(held, {"R1": other}, managed=frozenset({"R1"}), asked=lambda *_: False)) == 1


def test_a_route_that_an_intent_asks_for_must_be_as_after_the_ground_truth():
    assert differing({"R1": TABLES[0]["R1"]}, asked=lambda _, prefix: prefix == "10.3.0.0/16") == [
        ("R1", "10.3.0.0/16")
    ]


def test_routes_that_only_the_ground_truth_has_are_evidence_and_no_verdict():
    held = list(behaviour({}, routes=TABLES).tables_at())
    assert differing(TABLES[0] | {"web1": {}}) == []
    found = unjudged_routes(held, TABLES[0], [])
    assert [(one.node, one.prefix, one.expected, one.found) for one in found] == [
        ("R1", "10.2.0.0/16", ("ospf", "10.0.0.3"), ("ospf", "10.0.0.2")),
        ("R1", "10.3.0.0/16", STATIC, None),
    ]
    assert unjudged_routes(held, TABLES[1], []) == []
    assert unjudged_routes(held, TABLES[0], found) == []


def test_a_route_that_varied_while_it_was_recorded_is_not_judged():
    varying = behaviour({}, routes=({"web1": {"10.5.0.0/16": (ANY,)}}, {"web1": {}}))
    found = {"web1": {"10.5.0.0/16": STATIC}}
    nobody = frozenset[str]()
    assert route_differences(varying.tables_at(), found, managed=nobody, asked=lambda *_: False) == []


def test_only_another_outcome_than_after_the_ground_truth_differs():
    recorded = behaviour({flow(port=1): (ALLOWED, DENIED), flow(port=2): (ALLOWED, ALLOWED)})
    (difference,) = flow_differences(recorded.held(), [ALLOWED, ALLOWED])
    assert (difference.held.flow.port, difference.found) == (1, ALLOWED)


def test_a_source_address_from_a_pool_is_not_compared():
    pool = Outcome(reach="allowed", seen=ANY)
    recorded = behaviour({flow(): (pool, pool)})
    assert flow_differences(recorded.held(), [Outcome(reach="allowed", seen="203.0.113.9")]) == []


def test_packets_that_a_managed_node_denies_by_itself_may_come_to_it_or_not():
    held = reference(behaviour({flow(target="R1"): (ARRIVES, DENIED), flow(target="db"): (ARRIVES, DENIED)}))
    assert [one.differs for one in held.held()] == [False, True]
    assert held.judged(flow(target="R1"), ARRIVES) == DENIED


def test_changes_belong_to_what_is_free_then_to_an_intent_else_to_nothing():
    recorded = behaviour({flow(port=port): (ALLOWED, DENIED) for port in (80, 443, 22)})
    held = reference(
        recorded,
        changes=[{"intent": 2, "to": "db", "protocol": "tcp", "ports": "80-443"}],
        free=[{"to": "10.1.30.0/24", "protocol": "tcp", "ports": 443, "reason": "nobody cares"}],
    )
    changes = changes_at(held)
    assert [[one.flow.port for one in flows] for _, flows in (*changes.by_change, *changes.by_free)] == [[80], [443]]
    assert [one.flow.port for one in changes.unexplained] == [22]
    assert [one.flow.port for one in held.compared()] == [80, 22]


def test_each_event_has_outcomes_of_its_own():
    recorded = behaviour({flow(): (ALLOWED, ALLOWED)}, events={"exit-lost": [(DENIED, ALLOWED)]})
    held = reference(recorded, changes=[{"intent": 1, "under": "exit-lost"}])
    assert [len(changes_at(held, under).by_change[0][1]) for under in recorded.moments] == [0, 1]


def test_what_is_spread_keeps_its_order_and_its_ends_apart():
    assert spread(list(range(10)), 3) == [0, 3, 6]  # type: ignore[arg-type]
    assert spread([1, 2], 3) == [1, 2]  # type: ignore[arg-type]


def test_two_records_are_compared_flow_by_flow():
    first = behaviour({flow(port=1): (ALLOWED, DENIED), flow(port=2): (ALLOWED, ALLOWED)})
    second = behaviour({flow(port=1): (ALLOWED, ALLOWED), flow(port=3): (DENIED, DENIED)})
    assert unequal(first, second) == ["web1 -> 10.1.30.10 (db) tcp/1: allowed, denied; now allowed, allowed"]


def test_answers_to_a_spoofed_packet_do_not_count():
    tables = ({"web1": {"10.1.20.0/24": CONNECTED}},) * 2
    spoofed, neighbor = flow(source_address="192.0.2.1"), flow(source_address="10.1.20.99")
    recorded = behaviour({spoofed: (ALLOWED, ALLOWED), neighbor: (ALLOWED, ALLOWED)}, routes=tables)
    held = reference(recorded, spoofed=True)
    assert [one.after for one in held.held()] == [ARRIVES, ALLOWED]
    assert held.judged(spoofed, ALLOWED) == held.judged(spoofed, ARRIVES) == ARRIVES


def test_spoofed_packets_are_held_only_where_the_task_says_so():
    tables = ({"web1": {"10.1.20.0/24": CONNECTED}},) * 2
    spoofed, neighbor = flow(source_address="192.0.2.1"), flow(source_address="10.1.20.99")
    recorded = behaviour({spoofed: (ALLOWED, DENIED), neighbor: (ALLOWED, ALLOWED)}, routes=tables)
    assert [one.flow for one in reference(recorded).held()] == [neighbor]
    assert [one.flow for one in reference(recorded, spoofed=True).held()] == [spoofed, neighbor]


def test_a_sender_whose_line_is_cut_gets_no_answers_at_that_moment_only():
    attached = ({"web1": {"10.1.20.0/24": CONNECTED}},) * 2
    cut = ({"web1": {}},) * 2
    own = flow(source_address="10.1.20.7")
    moments = [
        [[Look(outcomes={own.key: ALLOWED}, routes=tables[when])] for tables in (attached, cut)] for when in (0, 1)
    ]
    recorded = assembled(digest="", events=("cut",), flows=[own], addresses={}, before=moments[0], after=moments[1])
    held = reference(recorded)
    assert [next(held.held(under)).after for under in recorded.moments] == [ALLOWED, ARRIVES]
    assert held.judged(own, ALLOWED, "cut") == ARRIVES
