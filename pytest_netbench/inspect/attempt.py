"""One trial whose requests come from Inspect. Everything here blocks, so the loop calls it in threads."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from pytest_netbench.ani.protocol import OpenAni
from pytest_netbench.ani.submission import SubmissionMethods
from pytest_netbench.errors import LabError
from pytest_netbench.inspect.opening import task_text
from pytest_netbench.model.trial import AgentInfo, Brief, Submission, TrialResult
from pytest_netbench.trial import Stage, TrialSpec, evaluated
from pytest_netbench.trial.agent_runner import Work, usage_of
from pytest_netbench.trial.scoring import EVERYWHERE

STRATEGY: Final = "inspect"


@dataclass(frozen=True, kw_only=True)
class Ending:
    """How the agent's work ended, as in a ``TrialRecord``.

    Attributes:
        outcome: ``budget`` also if a limit of Inspect was reached.
        stop_reason: Of the submission.
        error: What went wrong.
        said: What the model said, for an agent that hands in no reasoning.
    """

    outcome: Literal["done", "budget", "agent-error"] = "done"
    stop_reason: str = "done"
    error: str | None = None
    said: str | None = None


class Attempt:
    """A trial from the deployment of its lab to its result. ``end`` removes everything.

    Args:
        spec: The trial.
        agent: Who works: the model, and the agent of Inspect that uses it.
    """

    def __init__(self, spec: TrialSpec, *, agent: AgentInfo) -> None:
        self.task = spec.load_task()
        self._spec = spec
        self._agent = agent
        self._stage: Stage | None = None
        self._ani: OpenAni | None = None
        self._desk: SubmissionMethods | None = None
        self._brief: Brief | None = None
        self._began = 0.0
        self.result: TrialResult | None = None
        """What came of it, once it was judged."""

    @property
    def info(self) -> AgentInfo:
        """Who is evaluated."""
        return self._agent

    @property
    def brief(self) -> Brief:
        """What the agent is told."""
        assert self._brief is not None
        return self._brief

    @property
    def ani(self) -> OpenAni:
        """The agent's interface."""
        assert self._ani is not None
        return self._ani

    @property
    def is_open(self) -> bool:
        """Whether an agent can work."""
        return self._ani is not None

    @property
    def submission(self) -> Submission | None:
        """What was handed in last; ``None`` if nothing was."""
        return None if self._desk is None else self._desk.submission

    @property
    def lab_error(self) -> LabError | None:
        """The error by which the lab broke while the agent worked, if it did."""
        return None if self._ani is None else self._ani.lab_error

    def begin(self) -> None:
        """Prepare the stage, and let the agent's time begin.

        Raises:
            RequirementMissing: This machine lacks something.
            InfrastructureError: The stage could not be set up.
        """
        stage = Stage(self.task, self._spec.settings).__enter__()
        self._stage = stage
        session = stage.begin(self, budget=self._spec.budget)
        self._brief = session.brief
        self._desk = SubmissionMethods(session.brief, text=task_text(session.brief))
        self._began = time.monotonic()
        session.ani.start()
        self._ani = session.ani

    def hand_in(self, params: Mapping[str, Any]) -> None:
        """Take what the agent hands in. The last time counts.

        Raises:
            AniError: The task asks for an answer, and this is none.
        """
        assert self._desk is not None
        self._desk.task_done(params)

    def finish(self, ending: Ending) -> TrialResult:
        """End the agent's part, evaluate, score and judge.

        Raises:
            InfrastructureError: The lab broke: there is no score.
        """
        if self.result is not None:
            return self.result
        assert self._stage is not None
        given = self.submission or Submission()
        submission = given.model_copy(
            update={
                "reasoning": given.reasoning or ending.said,
                "stop_reason": ending.stop_reason,
                "usage": usage_of(self.ani.steps),
            }
        )
        seconds = time.monotonic() - self._began
        self._stage.finish(Work(outcome=ending.outcome, submission=submission, error=ending.error, seconds=seconds))
        spec = self._spec
        where = EVERYWHERE if spec.heavy else ("worker",)
        self.result = evaluated(self._stage, node_id=spec.node_id, number=spec.number, also=spec.scorers, where=where)
        return self.result

    def end(self) -> None:
        """Remove everything. Idempotent."""
        ani, self._ani = self._ani, None
        stage, self._stage = self._stage, None
        if ani is not None:
            ani.close()
        if stage is not None:
            stage.destroy()
