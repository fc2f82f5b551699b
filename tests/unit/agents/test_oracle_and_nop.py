"""The bounds: oracle applies the truth, nop nothing."""

from __future__ import annotations

import pytest

from pytest_netbench.agents.nop import Nop
from pytest_netbench.agents.oracle import Oracle
from pytest_netbench.errors import AgentError, BudgetExhausted, UsageError
from pytest_netbench.model.task import Budget, Task
from tests.support.memory_ani import MemoryAni, brief_of


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


def test_the_oracle_applies_the_truth_in_the_tasks_order_and_gives_its_reasoning(ani):
    submission = Oracle().run_informed(task(R2=["a", "b"], R1=["no old", "c"]), ani)
    assert ani.configs == {"R1": ["c"], "R2": ["a", "b"]}
    assert [step.data["params"]["device"] for step in ani.steps] == ["R2", "R1"]
    assert (submission.reasoning, submission.stop_reason) == ("Because.", "done")


def test_a_truth_that_a_device_refuses_is_a_broken_task_and_says_which_line(ani):
    words = r"R1 refused ground-truth command 'invalid x': % Unknown command \(1 more of its commands were refused\)\. Task t is broken"
    with pytest.raises(AgentError, match=words):
        Oracle().run_informed(task(R1=["a", "invalid x", "invalid y"]), ani)


@pytest.mark.parametrize(("index", "left"), [(0, ["b"]), (1, ["a"])])
def test_one_command_can_be_left_out(ani, index, left):
    oracle = Oracle(leave_out=("R2", index))
    oracle.run_informed(task(R2=["a", "b"], R1=["c"]), ani)
    assert ani.configs == {"R1": ["old", "c"], "R2": left}
    assert oracle.info.settings == {"leave_out": ["R2", index]}


def test_a_node_whose_only_command_is_left_out_is_not_touched(ani):
    Oracle(leave_out=("R2", 0)).run_informed(task(R2=["a"], R1=["c"]), ani)
    assert [step.data["params"]["device"] for step in ani.steps] == ["R1"]


def test_what_a_device_refuses_because_a_command_was_left_out_is_no_error(ani):
    Oracle(leave_out=("R1", 0)).run_informed(task(R1=["add", "no add"]), ani)
    assert ani.configs["R1"] == ["old"]


@pytest.mark.parametrize("leave_out", [("R1", 1), ("R1", -1), ("R2", 0)])
def test_a_command_that_is_not_there_cannot_be_left_out(ani, leave_out):
    with pytest.raises(UsageError, match=r"t has no such command \(commands per node: \{'R1': 1\}\)"):
        Oracle(leave_out=leave_out).run_informed(task(R1=["a"]), ani)


def test_the_oracle_has_a_budget_like_anyone():
    ani = MemoryAni({"R1": []}, budget=Budget(commands=1))
    with pytest.raises(BudgetExhausted):
        Oracle().run_informed(task(R1=["a", "b"]), ani)


def test_nop_does_and_says_nothing(ani):
    submission = Nop().run(brief_of(ani), ani)
    assert ani.steps == []
    assert submission.reasoning is None
    assert (Nop().info.id, Oracle().info.id) == ("nop", "oracle")
