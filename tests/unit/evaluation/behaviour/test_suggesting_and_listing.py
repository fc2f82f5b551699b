from __future__ import annotations

from pathlib import Path

import yaml

from pytest_netbench.evaluation.behaviour.listing import explained, headline, tally
from pytest_netbench.evaluation.behaviour.problems import problems_of
from pytest_netbench.evaluation.behaviour.suggesting import suggested, suggestions
from pytest_netbench.model.behaviour import Unstable
from pytest_netbench.model.objects import POD
from pytest_netbench.model.reference import ReferenceFlow
from tests.support.behaviours import ADDRESSES, ALLOWED, DENIED, behaviour, flow, reference
from tests.support.records import task

PATH = Path("tasks/x.task.yaml")
TASK = {
    "topology": {"nodes": [{"name": "R1"}, {"name": "R2"}]},
    "testcases": [{"name": "the rest", "kind": "reference", "role": "regression"}],
}


def test_one_selector_is_suggested_for_what_belongs_together():
    flows = {flow(port=port): (ALLOWED, DENIED) for port in (22, 80, 443)}
    flows |= {flow("db", "web1", port): (ALLOWED, ALLOWED) for port in (22, 80)}
    (one,) = suggestions(reference(behaviour(flows)))
    assert len(one.flows) == 3
    assert not any(one.selector.matches(other, ADDRESSES) for other in flows if other.source == "db")


def test_a_suggestion_can_be_pasted_and_leaves_nothing_unexplained():
    flows = {flow(port=port): (ALLOWED, DENIED) for port in (22, 80)} | {flow(port=443): (ALLOWED, ALLOWED)}
    found = suggestions(reference(behaviour(flows)))
    lines = suggested(task(**TASK), reference(behaviour(flows)), text="task_name: x\n")
    pasted = yaml.safe_load("\n".join(lines[1:]))["reference"]["changes"]
    assert suggestions(reference(behaviour(flows), changes=pasted)) == []
    changes = [{"intent": 1, **one.selector.model_dump(by_alias=True)} for one in found]
    assert suggestions(reference(behaviour(flows), changes=changes)) == []


def test_of_a_cluster_pods_are_suggested_by_name():
    flows = {
        ReferenceFlow(source=source, target=POD, target_node=target, protocol="tcp", port=6379): (
            (ALLOWED, DENIED) if target == "ledger" else (ALLOWED, ALLOWED)
        )
        for source, target in (("portal", "ledger"), ("mobile", "ledger"), ("ledger", "portal"), ("mobile", "portal"))
    }
    (one,) = suggestions(reference(behaviour(flows), managed=()))
    assert one.selector.model_dump(by_alias=True, exclude_defaults=True) == {"to": ("ledger",)}


def test_what_differs_only_under_an_event_is_suggested_for_it():
    recorded = behaviour({flow(): (ALLOWED, ALLOWED)}, events={"exit-lost": [(DENIED, ALLOWED)]})
    (one,) = suggestions(reference(recorded))
    assert one.selector.under == "exit-lost"


def test_the_listing_has_each_intent_what_is_free_and_what_varies():
    recorded = behaviour({flow(port=port): (ALLOWED, DENIED) for port in (22, 80)} | {flow(): (ALLOWED, ALLOWED)})
    recorded = recorded.model_copy(update={"unstable": (Unstable(what="a flow", why="now and then"),)})
    held = reference(
        recorded,
        changes=[{"intent": 1, "protocol": "tcp", "ports": 22}],
        free=[{"protocol": "tcp", "ports": 80, "reason": "nobody cares"}],
    )
    assert headline(held) == "3 flows, routes of 0 nodes; 1 is not held"
    assert tally(held) == ["in the undisturbed network: the ground truth changes 2 flows (intent 1 1, free 1)"]
    text = "\n".join(explained(held, ["Close the port."]))
    for words in ("1 flows stay as they are", "intent 1 asks", "Close the port.", "nobody cares", "now and then"):
        assert words in text


def test_a_change_of_no_intent_and_an_entry_without_effect_are_problems():
    recorded = behaviour({flow(): (ALLOWED, DENIED)})
    settings = {"reference": {"free": [{"protocol": "udp", "reason": "none"}]}}
    first, second = problems_of(task(**TASK, **settings), recorded, path=PATH)
    assert first.startswith("the ground truth changes 1 flows that belong to no intent in the undisturbed network")
    assert "10.1.20.7 (web1) -> 10.1.30.10 (db) tcp/443: allowed before; denied after" in first
    assert second == "reference.free: entry 1 (protocol udp) matches no flow that is held"


def test_an_event_that_no_testcase_of_the_kind_looks_at_is_a_problem():
    events = {"events": {"r2-fails": [{"fail": "R2"}]}}
    recorded = behaviour({flow(): (ALLOWED, ALLOWED)}, events={"r2-fails": [(ALLOWED, ALLOWED)]})
    (problem,) = problems_of(task(**TASK, **events), recorded, path=PATH)
    assert "under the event r2-fails" in problem
    assert "kind: reference, role: regression, under: r2-fails" in problem
