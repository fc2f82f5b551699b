"""The worked examples that ship: drawn tasks with right solutions, none of them in a default series."""

from __future__ import annotations

from pathlib import Path

import networkx as nx
import pytest

from pytest_netbench.datacenter_graph import golden
from pytest_netbench.datacenter_graph.comparison import matches
from pytest_netbench.families.plan.payload import plan_of
from pytest_netbench.generators.plan import PlanGenerator
from pytest_netbench.generators.repair_routing import RepairRouting, RepairRoutingParameters
from pytest_netbench.model.repair import repair_of
from tests.support.few_shot import FOLDER, plan_examples, repair_examples, texts


@pytest.mark.parametrize("name", ["repair.md", "plan.md"])
def test_the_files_have_what_is_drawn(name: str) -> None:
    written = (FOLDER / name).read_text(encoding="utf-8")
    assert written == texts()[name], "write them again: python -m tests.support.few_shot"


def test_each_program_of_an_example_answers_its_question() -> None:
    for task, code in plan_examples():
        plan = plan_of(task)
        graph = plan.graph.graph()
        working = nx.DiGraph()
        working.add_nodes_from((name, dict(attributes)) for name, attributes in graph.nodes.items())
        working.add_edges_from((*ends, {"type": kind}) for ends, kind in graph.edges.items())
        names: dict = {}
        exec(code, names)
        left = names["process_graph"](working)
        answer, after = golden.answer(plan.query, graph)
        assert matches(plan.query.answer_type, answer, left["data"])
        assert dict(left["graph"].nodes.items()) == after.nodes


def test_no_example_is_in_a_default_series() -> None:
    stars = {RepairRouting().draw(RepairRoutingParameters(), seed=1, index=index).task_name for index in range(100)}
    assert not stars & {task.task_name for task in repair_examples()}
    graphs = {plan_of(PlanGenerator().draw(PlanGenerator.parameters(), seed=1, index=index)).graph for index in (0, 1)}
    assert not graphs & {plan_of(task).graph for task, _ in plan_examples()}


def test_the_examples_show_different_faults() -> None:
    faults = [fault.fault for task in repair_examples() for fault in repair_of(task).faults]
    assert len(faults) == len(set(faults)) == 4
    assert Path(FOLDER, "repair.md").is_file()
