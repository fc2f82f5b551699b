"""What an agent is told of a task of family ``plan``, and what is not."""

from __future__ import annotations

from pytest_netbench.families.plan import PlanFamily
from pytest_netbench.families.plan.payload import plan_of
from tests.support.plans import drawn


def test_the_brief_has_the_question_the_conventions_and_how_to_answer():
    task = drawn(1)[0]
    brief = PlanFamily().brief(task)
    assert brief.intents == (plan_of(task).question,)
    assert any("process_graph" in rule for rule in brief.rules)
    assert any("RK_CONTROL edges do not count" in rule for rule in brief.rules)
    assert [method.name for method in brief.methods] == ["run-code"]


def test_the_brief_does_not_contain_the_query():
    for task in drawn(20):
        told = PlanFamily().brief(task).model_dump_json()
        for word in ('"op"', "at_least", "capacity_bps\\", "remove_node", "rank_children"):
            assert word not in told


def test_the_brief_explains_every_type_and_offers_no_method_of_a_network():
    told = " ".join(PlanFamily().brief(drawn(1)[0]).rules)
    for kind in ("EK_JUPITER", "EK_SUPER_BLOCK", "EK_SPINE_BLOCK", "EK_AGG_BLOCK", "EK_PACKET_SWITCH", "EK_PORT"):
        assert kind in told
    assert PlanFamily().methods == ("run-code",)


def test_the_oracle_answers_with_the_golden_code():
    task = drawn(1)[0]
    answer = PlanFamily().solve(task, None).answer  # type: ignore[arg-type]
    assert answer is not None
    assert "def process_graph(graph_data):" in answer["code"]
    PlanFamily.answer.model_validate(answer)
