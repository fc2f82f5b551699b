"""The agent's part of a trial. It runs in a separate thread, so that a hanging agent can be abandoned."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable
from contextvars import copy_context
from dataclasses import dataclass
from threading import Thread
from typing import Any, Literal

from pytest_netbench.agents.llm import raised_by_client
from pytest_netbench.agents.protocol import Agent, InformedAgent
from pytest_netbench.ani.protocol import OpenAni
from pytest_netbench.errors import (
    AgentError,
    BudgetExhausted,
    GroundTruthRejected,
    InfrastructureError,
    InputError,
    LabError,
    RequirementMissing,
)
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import Brief, Step, Submission, Usage

LONGEST_GRACE_S = 60.0


@dataclass(frozen=True, kw_only=True)
class Work:
    """How the agent's part of a trial ended."""

    outcome: Literal["done", "budget", "agent-error"]
    submission: Submission
    error: str | None = None
    seconds: float = 0.0


def let_work(
    agent: Agent | InformedAgent,
    *,
    task: Task,
    brief: Brief,
    ani: OpenAni,
    grace_s: float | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Work:
    """Let ``agent`` work until it is done, fails, or its wall time is over.

    Args:
        agent: The agent; only an ``InformedAgent`` gets ``task``.
        task: The task.
        brief: What the agent is told, with the budget that applies.
        ani: Where requests and completions are counted.
        grace_s: Wall seconds after the budget in which the agent may still submit; ``None`` is the budget's wall time,
            at most a minute.
        clock: Wall seconds, monotonic.

    An error of any class that the agent raises while it works is its failure: an agent must not be able to void its
    trial. The exceptions are errors of this package's own model client. ``ani.lab_error`` reports a broken lab.

    Raises:
        InfrastructureError: The model's provider broke, or something broke in ``prepare``.
        InputError: The agent cannot be run as it is configured.
        RequirementMissing: It needs something this machine lacks.
    """
    errand = _Errand(agent, task, brief, ani)
    errand.prepare()
    if isinstance(errand.error, InfrastructureError | InputError | RequirementMissing):
        raise errand.error
    began = clock()
    ani.start()
    errand.start()
    _join(errand, ani, _patience(brief.budget.wall_s, grace_s))
    seconds = clock() - began
    if errand.is_alive():
        late = f"wall_s: the agent was still busy in its own code {seconds:.1f} s after its start"
        return Work(outcome="budget", error=late, submission=_nothing(ani, "budget: wall_s"), seconds=seconds)
    return _judge(errand, ani, seconds)


def _join(errand: _Errand, ani: OpenAni, patience_s: float | None) -> None:
    """Wait until the errand ends or its patience is over. The time that it waits for the evaluation does not count."""
    if patience_s is None:
        errand.join()
        return
    began = time.monotonic()
    while errand.is_alive() and (left := patience_s + ani.waited_s - (time.monotonic() - began)) > 0:
        errand.join(left)


def _patience(wall_s: float | None, grace_s: float | None) -> float | None:
    if wall_s is None:
        return None
    return wall_s + (min(LONGEST_GRACE_S, wall_s) if grace_s is None else grace_s)


def _judge(errand: _Errand, ani: OpenAni, seconds: float) -> Work:
    error, handed_in = errand.error, errand.handed_in
    if error is None and handed_in is not None:
        reason = handed_in.stop_reason
        if reason.startswith("budget"):
            return Work(outcome="budget", submission=handed_in, seconds=seconds)
        why = None if reason == "done" else f"the agent ended without being done: {reason}"
        return Work(outcome="done", error=why, submission=handed_in, seconds=seconds)
    if error is not None and raised_by_client(error):
        raise error
    if isinstance(error, GroundTruthRejected) and error.is_fatal and errand.is_informed:
        raise LabError(str(error)) from error
    if isinstance(error, BudgetExhausted):
        left = handed_in or _nothing(ani, f"budget: {errand.limit}")
        return Work(outcome="budget", error=errand.text, submission=left, seconds=seconds)
    left = handed_in or _nothing(ani, "agent-error")
    return Work(outcome="agent-error", error=errand.text, submission=left, seconds=seconds)


def _nothing(ani: OpenAni, stop_reason: str) -> Submission:
    return Submission(stop_reason=stop_reason, usage=usage_of(ani.steps))


class _Errand(Thread):
    """A daemon thread: it does not keep the process from ending."""

    def __init__(self, agent: Agent | InformedAgent, task: Task, brief: Brief, ani: OpenAni) -> None:
        super().__init__(name=f"netbench agent {agent.info.id}", daemon=True)
        self._agent, self._task, self._brief, self._ani = agent, task, brief, ani
        self._trial_context = copy_context()
        self.handed_in: Submission | None = None
        self.error: BaseException | None = None
        self.text: str | None = None
        self.limit = ""

    def prepare(self) -> None:
        """Let the agent load what it needs; otherwise the first trial of a process would lose that time."""
        try:
            getattr(self._agent, "prepare", _nothing_to_load)()
        except Exception as error:  # noqa: BLE001  (whatever an agent raises is its result; the caller sorts it)
            self.error = error

    def run(self) -> None:
        self._trial_context.run(self._run)  # what belongs to this trial goes on to do so

    def _run(self) -> None:
        if self.error is None:
            try:
                self._take(self._work())
            except BaseException as error:  # noqa: BLE001  (whatever an agent raises is its result; the caller sorts it)
                self.error = error
        if self.error is not None:
            self._read(self.error)

    @property
    def is_informed(self) -> bool:
        """Whether the agent knows the ground truth, as the oracle does."""
        return hasattr(self._agent, "run_informed")

    def _work(self) -> object:
        informed = getattr(self._agent, "run_informed", None)
        if informed is not None:
            return informed(self._task, self._ani)
        return self._agent.run(self._brief, self._ani)  # type: ignore[union-attr]

    def _take(self, answer: object) -> None:
        if isinstance(answer, Submission):
            self.handed_in = _checked(answer)
        else:
            self.text = f"run() returned {answer!r:.80}, not a Submission"

    def _read(self, error: BaseException) -> None:
        """Read what the error says, in this thread: its methods may be the agent's and may fail or not return."""
        self.text = type(error).__name__
        try:
            self.text = _words(error)
            self.limit = str(error.limit) if isinstance(error, BudgetExhausted) else ""
            submission = getattr(error, "submission", None)
            self.handed_in = _checked(submission) if isinstance(submission, Submission) else None
        except BaseException as further:  # noqa: BLE001  (as above)
            self.text += f" (reading it failed: {type(further).__name__})"


def _nothing_to_load() -> None:
    """Most agents have no ``prepare``."""


def _checked(submission: Submission) -> Submission:
    """Return a valid copy: an agent can make a ``Submission`` without validation, or a subclass."""
    return Submission.model_validate(submission.model_dump(warnings=False))


def usage_of(steps: tuple[Step, ...]) -> Usage:
    """Return the total usage of the completions in a trace."""
    used = [step.data.get("usage") for step in steps if step.kind == "completion"]
    totals: list[dict[str, Any]] = [one for one in used if isinstance(one, dict)]
    prices = [one["cost_usd"] for one in totals if one.get("cost_usd") is not None]
    return Usage(
        completions=len(used),
        prompt_tokens=sum(int(one.get("prompt_tokens") or 0) for one in totals),
        completion_tokens=sum(int(one.get("completion_tokens") or 0) for one in totals),
        cost_usd=sum(prices) if prices else None,
        waited_s=sum(float(one.get("waited_s") or 0.0) for one in totals),
    )


def _words(error: BaseException) -> str:
    if isinstance(error, AgentError):
        return str(error)
    where = traceback.extract_tb(error.__traceback__)[-1:]
    at = "".join(f" ({frame.filename}:{frame.lineno})" for frame in where)
    return f"{type(error).__name__}: {error}{at}"
