from __future__ import annotations

from pathlib import Path

import pytest

from pytest_netbench.evaluation.behaviour.compare import route_differences
from pytest_netbench.evaluation.behaviour.problems import problems_of
from pytest_netbench.families.configure.agreement import agreed
from pytest_netbench.families.configure.assembly import Look
from pytest_netbench.model.behaviour import UNSTABLE_ROUTE
from tests.support.behaviours import ALLOWED, DENIED, behaviour, flow, reference
from tests.support.records import task

WEB, SSH = flow(port=443), flow(port=22)
LOST = "exit-lost"
STATIC, OSPF = ("static", "10.0.0.1"), ("ospf", "10.0.0.5")


def look(routes, web, ssh):
    return Look(outcomes={WEB.key: web, SSH.key: ssh}, routes=routes)


def held(seen=ALLOWED, *, solutions=2, of=SSH, routes=None, **settings):
    """The flow ``of`` and its table under the event, when the last of so many right solutions shows ``seen``."""
    flows = {WEB: (ALLOWED, ALLOWED), SSH: (ALLOWED, ALLOWED)}
    under = [(ALLOWED, DENIED), (ALLOWED, ALLOWED)]
    known = {"R1": {"10.0.0.0/8": STATIC}}
    recorded = behaviour(flows, routes=(known, known), events={LOST: under})
    steady, same = look(known, ALLOWED, ALLOWED), look(known, DENIED, ALLOWED)
    other = look(known if routes is None else {"R1": routes}, DENIED, seen)
    reactions = {f"way {number}": [[steady], [same]] for number in range(1, solutions)}
    reactions |= {f"way {solutions}": [[steady], [same, other]]}
    found = reference(agreed(reference(recorded, **settings), reactions), **settings)
    (tables,) = found.behaviour.tables_at(LOST)
    return [one for one in found.compared(LOST) if one.flow == of], tables, found


def test_what_right_solutions_agree_on_is_held_under_an_event():
    flows, tables, found = held()
    assert len(flows) == 1
    assert tables.after == {"10.0.0.0/8": STATIC}
    assert found.behaviour.agreed == ("way 1", "way 2")


def test_what_one_of_them_does_otherwise_is_not_held_and_says_which():
    flows, _, found = held(DENIED)
    assert flows == []
    (one,) = found.behaviour.unstable
    assert (one.under, one.why) == (LOST, "the right solution 'way 2': denied instead of allowed")


def test_what_an_intent_names_is_held_whatever_a_solution_does():
    change = {"intent": 1, "from": "web1", "to": "db", "ports": 22}
    assert len(held(DENIED, changes=[change])[0]) == 1


def test_the_undisturbed_network_is_held_as_ever():
    assert len(held(DENIED)[2].compared()) == 2


@pytest.mark.parametrize(("solutions", "count"), [(1, 0), (2, 1)])
def test_three_must_agree_and_the_ground_truth_is_one_of_them(solutions, count):
    flows, _, found = held(solutions=solutions)
    assert len(flows) == count
    assert len(found.compared()) == 2
    assert found.is_compared_route("R1", "10.0.0.0/8", LOST) is bool(count)
    assert found.is_compared_route("R1", "10.0.0.0/8", None)


def test_a_route_that_one_of_them_has_otherwise_is_not_held():
    _, tables, found = held(routes={"10.0.0.0/8": OSPF})
    assert tables.after == {"10.0.0.0/8": UNSTABLE_ROUTE}
    assert [one.what for one in found.behaviour.unstable] == ["R1: route 10.0.0.0/8"]
    (steady,) = found.behaviour.tables_at()
    assert steady.after == {"10.0.0.0/8": STATIC}


def test_a_route_that_a_solution_gives_a_node_of_others_is_no_leak_under_the_event():
    _, tables, _ = held(routes={"10.0.0.0/8": STATIC, "10.9.0.0/16": OSPF}, managed=())
    leaked = {"R1": {"10.0.0.0/8": STATIC, "10.9.0.0/16": OSPF, "10.8.0.0/16": OSPF}}
    found = route_differences([tables], leaked, managed=frozenset(), asked=lambda *_: False)
    assert [one.prefix for one in found] == ["10.8.0.0/16"]


@pytest.mark.parametrize(("solutions", "count"), [(1, 1), (2, 0)])
def test_a_testcase_that_compares_nothing_under_an_event_is_a_problem(solutions, count):
    testcases = [{"name": "the rest", "kind": "reference"}, {"name": "later", "kind": "reference", "under": LOST}]
    events = {LOST: [{"cut": {"node": "R1", "interface": "eth0"}}]}
    topology = {"nodes": [{"name": "R1"}, {"name": "R2"}]}
    found = problems_of(
        task(topology=topology, testcases=testcases, events=events),
        held(solutions=solutions)[2].behaviour,
        path=Path("x.yaml"),
    )
    told = [one for one in found if "testcase 'later' compares nothing" in one]
    assert len(told) == count
    assert all(one.endswith("netbench record x.yaml") for one in told)


TUNNEL = flow(port=None, protocol="gre")
OPENED = flow(port=443, source_port=53)


def unusual(before, after, *ways, of=TUNNEL, **settings):
    """The flow ``of`` in the undisturbed network, if it is compared, and why it is not."""
    recorded = behaviour({of: (before, after)})
    reactions = {f"way {number}": [[Look(outcomes={of.key: seen}, routes={})]] for number, seen in enumerate(ways)}
    found = reference(agreed(reference(recorded, **settings), reactions), **settings)
    return len(found.compared()), [one.why for one in found.behaviour.unstable]


@pytest.mark.parametrize("of", [TUNNEL, OPENED])
@pytest.mark.parametrize("ways", [(), (ALLOWED,), (ALLOWED, ALLOWED)])
def test_an_unusual_packet_that_nothing_changes_is_held(of, ways):
    assert unusual(ALLOWED, ALLOWED, *ways, of=of) == (1, [])


def test_an_unusual_packet_is_not_held_if_a_right_solution_treats_it_otherwise():
    count, why = unusual(ALLOWED, ALLOWED, ALLOWED, DENIED)
    assert (count, why) == (0, ["the right solution 'way 1': denied instead of allowed"])


def test_an_unusual_packet_that_the_ground_truth_alone_changes_is_not_held():
    count, why = unusual(ALLOWED, DENIED, DENIED, DENIED)
    assert (count, why) == (0, ["the ground truth changes it, and no intent asks for it"])


@pytest.mark.parametrize(("ways", "count"), [((DENIED,), 0), ((DENIED, DENIED), 1), ((DENIED, ALLOWED), 0)])
def test_an_unusual_packet_of_an_intent_is_held_if_three_agree(ways, count):
    change = {"intent": 1, "from": "web1", "to": "db"}
    assert unusual(ALLOWED, DENIED, *ways, changes=[change])[0] == count


def test_an_ordinary_packet_is_held_whatever_a_right_solution_does():
    assert unusual(ALLOWED, ALLOWED, DENIED, DENIED, of=WEB) == (1, [])
