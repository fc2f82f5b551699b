"""Applying the ground truth, all of it or all but one line."""

from __future__ import annotations

import pytest

from pytest_netbench.errors import UsageError
from pytest_netbench.families.configure.solution import apply_truth
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
def test_one_command_can_be_left_out(ani, index, left):
    apply_truth(task(R2=["a", "b"], R1=["c"]), ani, leave_out=("R2", index))
    assert ani.configs == {"R1": ["old", "c"], "R2": left}


def test_a_node_whose_only_command_is_left_out_is_not_touched(ani):
    apply_truth(task(R2=["a"], R1=["c"]), ani, leave_out=("R2", 0))
    assert [step.data["params"]["device"] for step in ani.steps] == ["R1"]


def test_what_a_device_refuses_because_a_command_was_left_out_is_no_error(ani):
    apply_truth(task(R1=["add", "no add"]), ani, leave_out=("R1", 0))
    assert ani.configs["R1"] == ["old"]


@pytest.mark.parametrize("leave_out", [("R1", 1), ("R1", -1), ("R2", 0)])
def test_a_command_that_is_not_there_cannot_be_left_out(ani, leave_out):
    with pytest.raises(UsageError, match=r"t has no such command \(commands per node: \{'R1': 1\}\)"):
        apply_truth(task(R1=["a"]), ani, leave_out=leave_out)
