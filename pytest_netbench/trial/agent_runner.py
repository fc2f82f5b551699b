"""The agent's part of a trial. It runs in a separate thread, so that a hanging agent can be abandoned."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextvars import copy_context
from dataclasses import dataclass
from threading import Thread
from typing import Any, Final, Literal, Protocol, runtime_checkable

from pytest_netbench.agents import ending
from pytest_netbench.agents.ending import EndedApart, Raised
from pytest_netbench.agents.protocol import Agent, InformedAgent
from pytest_netbench.ani.protocol import OpenAni
from pytest_netbench.catching import Caught
from pytest_netbench.errors import GroundTruthRejected, InfrastructureError, InputError, LabError, RequirementMissing
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import Brief, Step, Submission, Usage

GRACE_S: Final = 0.8
"""Wall seconds after the end of the time in which an agent may still hand in."""
LONGEST_GRACE_S: Final = 60.0


@dataclass(frozen=True, kw_only=True)
class Work:
    """How the agent's part of a trial ended.

    Attributes:
        outcome: As in a ``TrialRecord``, and so are ``error``, ``traceback`` and ``process_end``.
        submission: What it handed in.
        seconds: How long it took.
    """

    outcome: Literal["done", "budget", "agent-error"]
    submission: Submission
    error: str | None = None
    traceback: tuple[str, ...] = ()
    process_end: str | None = None
    seconds: float = 0.0


@runtime_checkable
class OfAProcess(Protocol):
    """An agent in a process of its own, which can be ended."""

    def end_process(self) -> tuple[str, ...]:
        """End it; return the frames of the agent's code that was still busy."""
        ...


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
        grace_s: Wall seconds in which the agent may still submit after the end of its time, or after the answer of the
            ANI that was under way then or said so; ``None`` is 0.8 s. An agent that still asks its model when its time
            is over has the budget's wall time, at most a minute.
        clock: Wall seconds, monotonic.

    An error of any class that the agent raises while it works is its failure: an agent must not be able to void its
    trial. The exceptions are errors of this package's own model client. ``ani.lab_error`` reports a broken lab. The
    process of an agent whose time is over is ended; an agent in this process is abandoned.

    Raises:
        InfrastructureError: The model's provider broke, or something broke in ``prepare``.
        InputError: The agent cannot be run as it is configured.
        RequirementMissing: It needs something this machine lacks.
    """
    thread = _AgentThread(agent, task, brief, ani)
    thread.prepare()
    if isinstance(thread.error, InfrastructureError | InputError | RequirementMissing):
        raise thread.error
    began = clock()
    ani.start()
    thread.start()
    _join(thread, ani, brief.budget.wall_s, lambda: _grace(agent, brief.budget.wall_s) if grace_s is None else grace_s)
    seconds = clock() - began
    if not thread.is_alive():
        return _judge(thread, ani, seconds)
    late = f"wall_s: the agent was still busy in its own code {seconds:.1f} s after its start"
    busy = agent.end_process() if isinstance(agent, OfAProcess) else ()
    return Work(
        outcome="budget", error=late, traceback=busy, submission=_nothing(ani, "budget: wall_s"), seconds=seconds
    )


def _grace(agent: Agent | InformedAgent, wall_s: float | None) -> float:
    """How long an agent may take to hand in, as far as is known now: ``react`` asks its model for it."""
    asks = getattr(agent, "asks_at_the_end", False) is True
    return min(LONGEST_GRACE_S, wall_s or 0.0) if asks else GRACE_S


def _join(thread: _AgentThread, ani: OpenAni, wall_s: float | None, grace: Callable[[], float]) -> None:
    """Wait until the errand ends or its time and grace are over. The time that it waits for the evaluation is not its.

    A request that was begun in time is answered, and the agent has the grace after the answer.
    """
    if wall_s is None:
        thread.join()
        return
    began = time.monotonic()
    while thread.is_alive():
        left = wall_s + grace() + ani.waited_s - (time.monotonic() - began)
        if left <= 0:
            quiet_s = ani.quiet_s
            left = 0.0 if quiet_s is None else grace() - quiet_s
        if left <= 0:
            return
        thread.join(left)


def _judge(thread: _AgentThread, ani: OpenAni, seconds: float) -> Work:
    raised, handed_in = thread.raised, thread.handed_in
    if raised is None:
        assert handed_in is not None
        reason = handed_in.stop_reason
        if reason.startswith("budget"):
            return Work(outcome="budget", submission=handed_in, seconds=seconds)
        why = None if reason == "done" else f"the agent ended without being done: {reason}"
        return Work(outcome="done", error=why, submission=handed_in, seconds=seconds)
    if raised.by_client and thread.error is not None:
        client = thread.error.client if isinstance(thread.error, EndedApart) else thread.error
        raise client or thread.error
    if isinstance(thread.error, GroundTruthRejected) and thread.error.is_fatal and thread.is_informed:
        raise LabError(str(thread.error)) from thread.error
    if raised.limit is not None:
        left = raised.handed_in or _nothing(ani, f"budget: {raised.limit}")
        return Work(outcome="budget", error=raised.text, submission=left, seconds=seconds)
    return Work(
        outcome="agent-error",
        error=raised.text,
        traceback=raised.traceback,
        process_end=raised.process,
        submission=raised.handed_in or _nothing(ani, "agent-error"),
        seconds=seconds,
    )


def _nothing(ani: OpenAni, stop_reason: str) -> Submission:
    return Submission(stop_reason=stop_reason, usage=usage_of(ani.steps))


class _AgentThread(Thread):
    """A daemon thread: it does not keep the process from ending."""

    def __init__(self, agent: Agent | InformedAgent, task: Task, brief: Brief, ani: OpenAni) -> None:
        super().__init__(name=f"netbench agent {agent.info.id}", daemon=True)
        self._agent, self._task, self._brief, self._ani = agent, task, brief, ani
        self._trial_context = copy_context()
        self.handed_in: Submission | None = None
        self.error: BaseException | None = None
        self.raised: Raised | None = None

    def prepare(self) -> None:
        """Let the agent load what it needs; otherwise the first trial of a process would lose that time."""
        with Caught(Exception) as caught:
            getattr(self._agent, "prepare", _nothing_to_load)()
        self.error = caught.error  # whatever an agent raises is its result; the caller sorts it

    def run(self) -> None:
        self._trial_context.run(self._run)  # what belongs to this trial goes on to do so

    def _run(self) -> None:
        if self.error is None:
            with Caught(BaseException) as caught:
                self._take(self._work())
            self.error = caught.error
        if self.error is not None:
            self.raised = ending.read(self.error, self._agent)

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
            self.handed_in = ending.checked(answer)
        else:
            self.raised = ending.no_submission(answer)


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
        waited_s=sum(float(one.get("waited_s") or 0.0) for one in totals),
    )
