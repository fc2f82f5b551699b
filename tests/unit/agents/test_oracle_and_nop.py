"""The bounds: oracle applies the truth, nop nothing."""

from __future__ import annotations

import pytest

from pytest_netbench.agents.nop import Nop
from pytest_netbench.agents.oracle import Oracle
from pytest_netbench.errors import AgentError, BudgetExhausted
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
    words = (
        r"R1 refused ground-truth command 'invalid x': % Unknown command \(1 more of its commands were refused\)\. Task"
        r" t is broken"
    )
    with pytest.raises(AgentError, match=words):
        Oracle().run_informed(task(R1=["a", "invalid x", "invalid y"]), ani)


def test_the_oracle_has_a_budget_like_anyone():
    ani = MemoryAni({"R1": []}, budget=Budget(commands=1))
    with pytest.raises(BudgetExhausted):
        Oracle().run_informed(task(R1=["a", "b"]), ani)


def test_nop_does_and_says_nothing(ani):
    submission = Nop().run(brief_of(ani), ani)
    assert ani.steps == []
    assert submission.reasoning is None
    assert (Nop().info.id, Oracle().info.id) == ("nop", "oracle")
