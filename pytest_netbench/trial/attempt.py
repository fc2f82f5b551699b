"""One attempt of one agent at one task on one running lab: the order of things."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from pytest_netbench.agents.protocol import Agent, InformedAgent
from pytest_netbench.ani.interface import LabAni
from pytest_netbench.errors import NotReady
from pytest_netbench.evaluation.interface import TaskEvaluation
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.configure import configuration_of
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import Environment, TestcaseResult, TrialRecord
from pytest_netbench.trial.errand import Work, let_work
from pytest_netbench.trial.terms import Terms, brief_for

Configs = Mapping[str, str]

LONGEST_READING_S = 30.0
"""Wall seconds in which the configs of a network can be read; one that an agent flooded takes longer, and has failed."""
LONGEST_EVALUATION_S = 60.0
"""Wall seconds of looking at a network, beyond those that its testcases wait for."""


class Trial:
    """One attempt of one agent at one task on one running lab.

    Args:
        task: What is asked.
        lab: A fresh lab of the task's network.
        ani: What the agent is given of the lab, opened under ``terms``.
        agent: Who is evaluated.
        terms: Budget and policy.
        environment: Where it runs; see ``provenance.environment``.
        node_id: Name of the trial in results.
        number: 1 for the first attempt, 2 for the second …
        truth_initial_configs: Running configs before the oracle, as the self-test recorded them for this task.
        truth_configs: Running configs after the oracle.
        grace_s: Wall seconds beyond the budget in which the agent may still hand in; ``None`` takes the budget's wall time,
            at most a minute.
        clock: Wall seconds, monotonic.
    """

    def __init__(
        self,
        *,
        task: Task,
        lab: Lab,
        ani: LabAni,
        agent: Agent | InformedAgent,
        terms: Terms,
        environment: Environment,
        node_id: str = "",
        number: int = 1,
        truth_initial_configs: Configs | None = None,
        truth_configs: Configs | None = None,
        grace_s: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.task = task
        self.lab = lab
        self.ani = ani
        self.agent = agent
        self.terms = terms
        self.environment = environment
        self.node_id = node_id or task.slug
        self.number = number
        self._truth = (truth_initial_configs, truth_configs)
        self._grace_s = grace_s
        self._clock = clock
        self.record: TrialRecord | None = None

    def run(self) -> TrialRecord:
        """Check that the network is well, let the agent work, and see what it left.

        Raises:
            InfrastructureError: The lab or the model's provider broke; there is nothing to score.
            InputError: The agent cannot be run as it is configured.
        """
        started_at = datetime.now(UTC).isoformat(timespec="milliseconds")
        evaluation = TaskEvaluation(self.lab)
        check_health(self.task, evaluation)
        initial = evaluation.final_configs()
        try:
            work = self._let_work()
        finally:
            self.ani.close()
        if self.ani.lab_error is not None:
            raise self.ani.lab_error
        began = self._clock()
        final, unreadable = evaluation.configs_left(within_s=LONGEST_READING_S)
        if unreadable:
            work = replace(work, outcome="agent-error", error="; ".join([*filter(None, [work.error]), *unreadable]))
        results = evaluation.run_testcases(configuration_of(self.task).testcases, within_s=LONGEST_EVALUATION_S)
        self.record = self._record(
            work, started_at, configs=(initial, final), results=results, unenforced=evaluation.unenforced()
        )
        self.record = self.record.model_copy(update={"evaluate_s": self._clock() - began})
        return self.record

    def _record(
        self,
        work: Work,
        started_at: str,
        *,
        configs: tuple[Configs, Configs],
        results: Sequence[TestcaseResult],
        unenforced: dict[str, tuple[str, ...]],
    ) -> TrialRecord:
        initial, final = configs
        truth_initial, truth = self._truth
        return TrialRecord(
            task=self.task,
            task_digest=self.task.digest,
            node_id=self.node_id,
            agent=self.agent.info,
            trial=self.number,
            extras=self.terms.extras,
            outcome=work.outcome,
            error=work.error,
            submission=work.submission,
            trace=self.ani.steps,
            commands=self.ani.commands,
            budget_used=self.ani.budget_used,
            initial_configs=dict(initial),
            final_configs=dict(final),
            truth_initial_configs=None if truth_initial is None else dict(truth_initial),
            truth_configs=None if truth is None else dict(truth),
            testcase_results=tuple(results),
            unenforced=unenforced,
            refused_startup_lines=tuple(self.lab.refused_startup_lines),
            environment=self.environment,
            started_at=started_at,
            deploy_s=self.lab.deploy_s,
            agent_s=work.seconds,
        )

    def _let_work(self) -> Work:
        brief = brief_for(self.task, self.terms).model_copy(update={"ssh": self.ani.ssh})
        return let_work(self.agent, task=self.task, brief=brief, ani=self.ani, grace_s=self._grace_s, clock=self._clock)


def check_health(task: Task, evaluation: TaskEvaluation) -> None:
    """See that the task's health checks pass.

    Raises:
        NotReady: Some did not.
    """
    began = time.monotonic()
    failed = [
        result
        for result in evaluation.run_testcases(task.network.health_checks, look_again=False)
        if result.status == "fail"
    ]
    if failed:
        missing = (f"health check {one.name!r}: expected {one.expected}, saw {one.actual}" for one in failed)
        raise NotReady(missing, waited_s=time.monotonic() - began)
