"""A trial in one call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from pytest_netbench.agents.protocol import Agent, InformedAgent
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import TrialRecord
from pytest_netbench.trial.settings import Settings
from pytest_netbench.trial.stage import Stage


def run_trial(
    task: Task,
    agent: Agent | InformedAgent,
    *,
    backend: str | None = None,
    time_scale: float | None = None,
    budget: Mapping[str, float | None] | None = None,
    number: int = 1,
    ssh: bool = False,
    settings: Settings | None = None,
) -> TrialRecord:
    """Prepare the task's stage, let ``agent`` work on it, evaluate, and remove the stage.

    Args:
        task: What is asked, e.g. from ``taskfile``.
        agent: The agent to evaluate.
        backend: Name of what deploys the lab, instead of the one in ``settings``.
        time_scale: Lab seconds per wall second, instead of the one in ``settings``.
        budget: Limits instead of the task's, by field name.
        number: 1 for the first attempt, 2 for the second …
        ssh: Let the devices answer with SSH; ``brief.ssh`` says how to log in.
        settings: How the stage is set up.

    Raises:
        RequirementMissing: This machine lacks something the task needs.
        InfrastructureError: The lab or the model's provider broke.
    """
    base = settings or Settings()
    chosen = replace(base, backend=backend or base.backend, time_scale=time_scale or base.time_scale)
    with Stage(task, chosen) as stage:
        stage.work(agent, budget=budget, ssh=ssh)
        return stage.evaluate(number=number)
