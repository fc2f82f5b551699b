"""One attempt of one agent at one task, on a stage that is prepared."""

from __future__ import annotations

import time
from collections.abc import Callable

from pytest_netbench.agents.protocol import Agent, InformedAgent
from pytest_netbench.ani.protocol import OpenAni
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import TrialRecord
from pytest_netbench.trial.stage import Stage
from pytest_netbench.trial.terms import Terms


class Trial:
    """One attempt of one agent at one task.

    Args:
        stage: A prepared stage of the task.
        ani: The agent's interface to the stage, opened under ``terms``.
        agent: The agent to evaluate.
        terms: Budget and policy.
        node_id: Name of the trial in results.
        number: 1 for the first attempt, 2 for the second …
        grace_s: As for ``Stage.work``.
        clock: Wall seconds, monotonic.
    """

    def __init__(
        self,
        *,
        stage: Stage,
        ani: OpenAni,
        agent: Agent | InformedAgent,
        terms: Terms,
        node_id: str = "",
        number: int = 1,
        grace_s: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.stage = stage
        self.ani = ani
        self.agent = agent
        self.terms = terms
        self.node_id = node_id or stage.task.slug
        self.number = number
        self._grace_s = grace_s
        self._clock = clock
        self.record: TrialRecord | None = None

    @property
    def task(self) -> Task:
        """The task."""
        return self.stage.task

    @property
    def lab(self) -> Lab | None:
        """The lab, if the task has a network."""
        return self.stage.lab

    def run(self) -> TrialRecord:
        """Let the agent work, then evaluate the state it left.

        Raises:
            InfrastructureError: The lab or the model's provider broke; there is nothing to score.
            InputError: The agent cannot be run as it is configured.
        """
        self.stage.work(self.agent, ani=self.ani, terms=self.terms, grace_s=self._grace_s, clock=self._clock)
        self.record = self.stage.evaluate(node_id=self.node_id, number=self.number)
        return self.record
