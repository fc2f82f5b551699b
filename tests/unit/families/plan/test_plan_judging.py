"""Judging answers: NetArena's verdict and ours."""

from __future__ import annotations

from pytest_netbench.datacenter_graph import golden
from pytest_netbench.datacenter_graph.building import Sizes, built
from pytest_netbench.datacenter_graph.query import Query
from pytest_netbench.families.plan.execution import Execution
from pytest_netbench.families.plan.judging import Truth, judge

GRAPH = built(Sizes(super_blocks=1, agg_blocks=1, spine_blocks=1, switches=2, ports=2))
SWITCH = "ju1.s1.s1c1"
ADD = {"op": "add", "name": f"{SWITCH}.p9", "type": "EK_PORT", "parent": SWITCH, "capacity_bps": 10**10}
COUNT = {"op": "count", "name": SWITCH, "type": "EK_PORT"}


def query(*steps: dict[str, object]) -> Query:
    return Query.model_validate({"steps": steps})


def test_the_answer_alone_makes_it_correct_for_netarena_and_the_graph_too_for_us():
    judgement, findings = judge(Truth.of(query(ADD, COUNT), GRAPH), Execution(status="done", data=3, graph=GRAPH))
    assert judgement.correct
    assert (findings.answered, findings.graph_right) == (True, False)


def test_a_graph_answer_is_the_graph():
    asked = query(ADD)
    wanted = golden.answer(asked, GRAPH)[1]
    assert judge(Truth.of(asked, GRAPH), Execution(status="done", graph=wanted))[0].correct
    judgement, _ = judge(Truth.of(asked, GRAPH), Execution(status="done", graph=GRAPH, data=3))
    assert not judgement.correct
    assert "removed: ('ju1.s1.s1c1', 'ju1.s1.s1c1.p9'), ju1.s1.s1c1.p9" in judgement.why_not_correct


def test_a_change_that_keeps_the_rules_and_was_not_asked_for_is_safe_for_netarena_and_not_for_us():
    other = golden.answer(query({**ADD, "name": f"{SWITCH}.p8"}), GRAPH)[1]
    judgement, findings = judge(Truth.of(query(COUNT), GRAPH), Execution(status="done", data=2, graph=other))
    assert (judgement.correct, judgement.safe) == (True, True)
    assert f"{SWITCH}.p8" in findings.unasked


def test_a_graph_that_breaks_a_rule_is_unsafe():
    broken = GRAPH.copy()
    broken.nodes[f"{SWITCH}.p1"]["physical_capacity_bps"] = 0
    judgement, findings = judge(Truth.of(query(COUNT), GRAPH), Execution(status="done", data=2, graph=broken))
    assert not judgement.safe
    assert findings.violations == (f"port '{SWITCH}.p1': its physical_capacity_bps is 0",)


def test_no_code_and_code_without_a_result_are_not_correct_and_changed_nothing():
    for execution in (None, Execution(status="timeout", error="it did not end within 30 s")):
        judgement, findings = judge(Truth.of(query(COUNT), GRAPH), execution)
        assert (judgement.correct, judgement.safe, findings.graph_right) == (False, True, False)
    assert "did not end within 30 s" in judgement.why_not_correct
