"""The agent's part of a trial. It runs in a separate thread, so that a hanging agent can be abandoned."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from threading import Thread
from typing import Any, Literal

from pytest_netbench.agents.protocol import Agent, InformedAgent
from pytest_netbench.ani.protocol import OpenAni
from pytest_netbench.errors import AgentError, BudgetExhausted, InfrastructureError, InputError, RequirementMissing
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

    Raises:
        InfrastructureError: The lab or the model's provider broke.
        InputError: The agent cannot be run as it is configured.
        RequirementMissing: It needs something this machine lacks.
    """
    errand = _Errand(agent, task, brief, ani)
    errand.prepare()
    began = clock()
    ani.start()
    errand.start()
    errand.join(_patience(brief.budget.wall_s, grace_s))
    seconds = clock() - began
    if errand.is_alive():
        late = f"wall_s: the agent was still busy in its own code {seconds:.1f} s after its start"
        return Work(outcome="budget", error=late, submission=_nothing(ani, "budget: wall_s"), seconds=seconds)
    return _judge(errand, ani, seconds)


def _patience(wall_s: float | None, grace_s: float | None) -> float | None:
    if wall_s is None:
        return None
    return wall_s + (min(LONGEST_GRACE_S, wall_s) if grace_s is None else grace_s)


def _judge(errand: _Errand, ani: OpenAni, seconds: float) -> Work:
    error = errand.error
    if error is None and isinstance(errand.answer, Submission):
        reason = errand.answer.stop_reason
        if reason.startswith("budget"):
            return Work(outcome="budget", submission=errand.answer, seconds=seconds)
        why = None if reason == "done" else f"the agent ended without being done: {reason}"
        return Work(outcome="done", error=why, submission=errand.answer, seconds=seconds)
    if isinstance(error, InfrastructureError | InputError | RequirementMissing):
        raise error
    if isinstance(error, BudgetExhausted):
        left = _left_by(error, ani, f"budget: {error.limit}")
        return Work(outcome="budget", error=str(error), submission=left, seconds=seconds)
    text = _words(error) if error is not None else f"run() returned {errand.answer!r:.80}, not a Submission"
    return Work(outcome="agent-error", error=text, submission=_left_by(error, ani, "agent-error"), seconds=seconds)


def _left_by(error: BaseException | None, ani: OpenAni, stop_reason: str) -> Submission:
    submission = getattr(error, "submission", None)
    return submission if isinstance(submission, Submission) else _nothing(ani, stop_reason)


def _nothing(ani: OpenAni, stop_reason: str) -> Submission:
    return Submission(stop_reason=stop_reason, usage=usage_of(ani.steps))


class _Errand(Thread):
    """A daemon thread: it does not keep the process from ending."""

    def __init__(self, agent: Agent | InformedAgent, task: Task, brief: Brief, ani: OpenAni) -> None:
        super().__init__(name=f"netbench agent {agent.info.id}", daemon=True)
        self._agent, self._task, self._brief, self._ani = agent, task, brief, ani
        self.answer: object = None
        self.error: BaseException | None = None

    def prepare(self) -> None:
        """Let the agent load what it needs; otherwise the first trial of a process would lose that time."""
        try:
            getattr(self._agent, "prepare", _nothing_to_load)()
        except Exception as error:  # noqa: BLE001  (whatever an agent raises is its result; the caller sorts it)
            self.error = error

    def run(self) -> None:
        if self.error is not None:
            return
        try:
            informed = getattr(self._agent, "run_informed", None)
            if informed is not None:
                self.answer = informed(self._task, self._ani)
            else:
                self.answer = self._agent.run(self._brief, self._ani)  # type: ignore[union-attr]
        except BaseException as error:  # noqa: BLE001  (whatever an agent raises is its result; the caller sorts it)
            self.error = error


def _nothing_to_load() -> None:
    """Most agents have no ``prepare``."""


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
    )


def _words(error: BaseException) -> str:
    if isinstance(error, AgentError):
        return str(error)
    where = traceback.extract_tb(error.__traceback__)[-1:]
    at = "".join(f" ({frame.filename}:{frame.lineno})" for frame in where)
    return f"{type(error).__name__}: {error}{at}"
