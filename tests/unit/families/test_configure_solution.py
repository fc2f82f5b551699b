"""Applying the ground truth, all of it or all but one line."""

from __future__ import annotations

import pytest

from pytest_netbench.errors import UsageError
from pytest_netbench.families.configure.solution import apply_truth, truth_without
from pytest_netbench.model.task import Task
from tests.support.memory_ani import MemoryAni


def task(**truth: list[str]) -> Task:
    return Task.model_validate(
        {
            "task_name": "T",
            "slug": "t",
            "intents": [{"text": "x"}],
            "topology": {"nodes": [{"name": "R1"}, {"name": "R2"}]},
            "ground_truth_configs": truth,
            "ground_truth_reasoning": "Because.",
        }
    )


@pytest.fixture
def ani() -> MemoryAni:
    return MemoryAni({"R1": ["old"], "R2": []})


@pytest.mark.parametrize(("index", "left"), [(0, ["b"]), (1, ["a"])])
def test_one_command_can_be_left_out(index, left):
    assert truth_without(task(R2=["a", "b"], R1=["c"]), ("R2", index)) == {"R2": left, "R1": ["c"]}


def test_a_node_without_commands_is_not_touched(ani):
    apply_truth(task(R2=[], R1=["c"]), ani)
    assert [step.data["params"]["device"] for step in ani.steps] == ["R1"]


@pytest.mark.parametrize("leave_out", [("R1", 1), ("R1", -1), ("R2", 0)])
def test_a_command_that_is_not_there_cannot_be_left_out(leave_out):
    with pytest.raises(UsageError, match=r"t has no such command \(commands per node: \{'R1': 1\}\)"):
        truth_without(task(R1=["a"]), leave_out)
