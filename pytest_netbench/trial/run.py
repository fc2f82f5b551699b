"""A trial in one call."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pytest_netbench import parts
from pytest_netbench.agents.protocol import Agent, InformedAgent
from pytest_netbench.lab.protocols import Backend
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import TrialRecord
from pytest_netbench.trial.attempt import Trial
from pytest_netbench.trial.opening import open_ani
from pytest_netbench.trial.provenance import environment
from pytest_netbench.trial.terms import terms_for


def run_trial(
    task: Task,
    agent: Agent | InformedAgent,
    *,
    backend: str = "netns",
    time_scale: float | None = None,
    budget: Mapping[str, float | None] | None = None,
    number: int = 1,
    ssh: bool = False,
) -> TrialRecord:
    """Deploy the task's network, let ``agent`` work on it, evaluate, and destroy the network.

    Args:
        task: What is asked, e.g. from ``taskfile``.
        agent: Who is evaluated.
        backend: Name of what deploys the lab.
        time_scale: Lab seconds per wall second; ``None`` lets the backend choose.
        budget: Limits instead of the task's, by field name.
        number: 1 for the first attempt, 2 for the second …
        ssh: Let the devices answer with SSH; ``brief.ssh`` says how to log in.

    Raises:
        RequirementMissing: This machine lacks something the task needs.
        InfrastructureError: The lab or the model's provider broke.
    """
    deployer: Backend = parts.load("backends", backend)()
    lab = deployer.deploy(task, time_scale=time_scale)
    try:
        terms = terms_for(task, agent.info, budget=budget, ssh=ssh)
        where = environment(lab, backend=backend, platforms=platforms_of(task), where=Path.cwd())
        ani = open_ani(lab, terms)
        try:
            return Trial(task=task, lab=lab, ani=ani, agent=agent, terms=terms, environment=where, number=number).run()
        finally:
            ani.close()
    finally:
        lab.destroy()


def platforms_of(task: Task) -> frozenset[str]:
    """Names of the platforms of the task's nodes."""
    return frozenset(task.network.platform_of(node.name) for node in task.network.topology.nodes)
