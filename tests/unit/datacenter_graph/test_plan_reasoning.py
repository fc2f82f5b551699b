"""The reasoning of a plan names every operand of its query, and says which edges count."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_netbench.datacenter_graph.query import Query
from pytest_netbench.datacenter_graph.reasoning import reasoning
from tests.support.plans import drawn

ADD = {"op": "add", "name": "a.p9", "type": "EK_PORT", "parent": "a", "capacity_bps": 10}
COUNT = {"op": "count", "name": "y", "type": "EK_PORT"}
IF = {"op": "if", "measure": {"op": "capacity", "name": "x"}, "at_least": 7, "then": [ADD]}


def of(*steps: dict[str, Any]) -> str:
    return reasoning(Query.model_validate({"steps": list(steps)}))


def operands(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [word for key, one in value.items() if key != "op" for word in operands(one)]
    if isinstance(value, list):
        return [word for one in value for word in operands(one)]
    return [] if value in (None, 0) else [str(value)]


def test_the_reasoning_of_a_drawn_task_names_every_operand_of_its_query():
    for task in drawn(200):
        for word in operands(task.payload.query.model_dump(mode="json")["steps"]):
            assert word in task.ground_truth_reasoning


def test_different_queries_have_different_reasonings():
    known = {task.ground_truth_reasoning: task.payload.query for task in drawn(600)}
    assert all(known[task.ground_truth_reasoning] == task.payload.query for task in drawn(600))


@pytest.mark.parametrize("steps", [[COUNT], [{"op": "remove", "name": "x"}], [{"op": "list", "name": "x"}], [IF]])
def test_only_contains_edges_count(steps):
    assert "RK_CONTAINS" in of(*steps)


def test_a_question_after_a_change_is_about_the_changed_graph():
    assert "The answer is about the graph after this change" in of(ADD, COUNT)
    assert "after this change" not in of(COUNT)
    assert of(ADD).endswith("return the graph.")


def test_a_condition_is_measured_first_and_without_another_case_nothing_is_done():
    text = of(IF)
    assert text.index("First measure") < text.index("a.p9")
    assert "Otherwise do nothing." in text
    assert "Otherwise do this: Collect" in of({**IF, "otherwise": [{"op": "remove", "name": "z"}]})
