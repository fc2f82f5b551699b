"""One task that is being played: its stage, its ANI, and what each action did to the flows."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from pytest_netbench.ani.protocol import ReportsFlows
from pytest_netbench.episodes.actions import SUBMIT, Request, submission_of
from pytest_netbench.episodes.observation import Observation
from pytest_netbench.episodes.turn import Turn
from pytest_netbench.errors import AniError, BudgetExhausted
from pytest_netbench.families.protocol import JudgesFlows, WatchesWork
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import Submission, TrialRecord, TrialResult
from pytest_netbench.text import clean
from pytest_netbench.trial.agent_runner import Work
from pytest_netbench.trial.execution import evaluated
from pytest_netbench.trial.session import AgentSession, Evaluated
from pytest_netbench.trial.settings import Settings
from pytest_netbench.trial.stage import Stage

UPDATE: Final = "update-cfg"
_NOT_A_COMMAND: Final = (126, 127, 255)
"""Exit statuses of a shell and of iproute2 for what is no command of theirs."""
_ANSWERED: Final = (0, 1)
"""Exit statuses of a program that looked; ping and grep end with 1 if nothing answers."""
_EXIT_STATUS: Final = re.compile(r"\[exit status (-?\d+)\]\s*\Z")
_ENDED: Final = re.compile(r"\[ended after [\d.e+-]+ s\]\s*\Z")
_DEVICE_REFUSED: Final = re.compile(
    r"^%\s*((?:Invalid input|(?:Unknown|Incomplete|Ambiguous|Unrecognized) command|Command incomplete"
    r"|There is no matched command).*)",
    re.MULTILINE,
)


class Heard(NamedTuple):
    """What a result says: whether the request looked at something, and why it or a command of it was refused."""

    looked: bool
    refused: str = ""


def heard(method: str, result: Mapping[str, Any]) -> Heard:
    """Return what ``result`` of ``method`` says.

    Args:
        method: An ANI method by its wire name.
        result: Its result, as it is on the wire.
    """
    if method == UPDATE:
        return _of_commands(result)
    if method == "execute-cmd":
        return _of_output(str(result.get("output", "")))
    status = result.get("status")
    if method == "run-code" and status != "done":
        return Heard(looked=False, refused=f"{status}: {result.get('error') or 'no reason given'}")
    return Heard(looked=True)


def _of_commands(result: Mapping[str, Any]) -> Heard:
    for one in result.get("results", ()):
        if one["status"] == "error":
            return Heard(looked=False, refused=f"{one['command'].strip()}: {one.get('message') or 'refused'}")
    return Heard(looked=False)


def _of_output(output: str) -> Heard:
    found = _DEVICE_REFUSED.search(output)
    if found is not None:
        return Heard(looked=False, refused=found[1].strip())
    status = _EXIT_STATUS.search(output)
    code = int(status[1]) if status is not None else 0
    if code in _NOT_A_COMMAND:
        return Heard(looked=False, refused=output.strip())
    return Heard(looked=code in _ANSWERED and _ENDED.search(output) is None)


LONGEST_METHOD = 80
"""Characters of a method's name in a turn. A policy can call for any."""


class Playing:
    """A task on a stage that is prepared; the requests come from outside. The caller calls ``close``.

    Args:
        task: The task.
        agent: Who acts.
        budget: Limits instead of the task's, by field name.
        settings: How the stage is set up.

    Raises:
        RequirementMissing: This machine lacks something the task needs.
        InfrastructureError: The stage could not be set up.
    """

    def __init__(
        self, task: Task, *, agent: Evaluated, budget: Mapping[str, float | None] | None, settings: Settings
    ) -> None:
        self.task = task
        self.record: TrialRecord | None = None
        self._stage = Stage(task, settings).__enter__()
        try:
            self._session: AgentSession = self._stage.begin(agent, budget=budget)
            scene = self._stage.scene
            self._watcher: object = scene.watcher if isinstance(scene, WatchesWork) else None
        except BaseException:
            self._stage.destroy()
            raise
        self._began = time.monotonic()
        self._turns = 0
        self._wrong = self._wrong_now()
        self._is_repair = bool(self._wrong)
        self._solved = False

    @property
    def first(self) -> Observation:
        """What is seen before the first action."""
        return self._observation(first=True)

    def act(self, request: Request) -> tuple[Observation, Turn]:
        """Carry out one action.

        Raises:
            InfrastructureError: The stage broke: there is no reward.
        """
        self._turns += 1
        if request.method == SUBMIT:
            return self._submit(request)
        try:
            result = self._session.ani.call(request.method, request.params)
        except AniError as error:
            told = request.problem or str(error)
            self._raise_if_broken()
            return self._go_on(request, Heard(looked=False, refused=told), error=told)
        except BudgetExhausted as error:
            work = self._work("budget", Submission(stop_reason=f"budget: {error.limit}"), str(error))
            return self._end(request, work, error=str(error), out_of_budget=True)
        self._raise_if_broken()
        return self._go_on(request, heard(request.method, result), result=result)

    def close(self) -> None:
        """Remove everything. Idempotent."""
        self._session.ani.close()
        self._stage.destroy()

    def _go_on(self, request: Request, said: Heard, **seen: Any) -> tuple[Observation, Turn]:
        broke, mended = self._changed()
        solved = self._is_repair and not self._wrong and not self._solved
        self._solved = self._solved or solved
        turn = Turn(
            number=self._turns,
            method=_short(request.method),
            refused=clean(said.refused),
            looked=said.looked,
            broke=broke,
            mended=mended,
            wrong=self._count(),
            solved=solved,
        )
        return self._observation(**seen), turn

    def _submit(self, request: Request) -> tuple[Observation, Turn]:
        try:
            work = self._work("done", submission_of(request.params))
        except ValueError as error:
            work = self._work("agent-error", Submission(stop_reason="agent-error"), str(error))
        return self._end(request, work, error=work.error)

    def _end(
        self, request: Request, work: Work, *, error: str | None, out_of_budget: bool = False
    ) -> tuple[Observation, Turn]:
        record, result = self._judged(work)
        broke, mended = self._changed()
        turn = Turn(
            number=self._turns,
            method=_short(request.method),
            refused="" if out_of_budget else result.error or "",
            broke=broke,
            mended=mended,
            wrong=self._count(),
            unsafe=is_unsafe(record, result),
            solved=result.status == "passed" and not self._solved,
            done=True,
            out_of_budget=out_of_budget,
            result=result,
        )
        return self._observation(error=error or result.error), turn

    def _judged(self, work: Work) -> tuple[TrialRecord, TrialResult]:
        """The record, and the verdict of the task's family on what was left, as in a run of pytest."""
        self._stage.finish(work)
        result = evaluated(self._stage)
        assert result.record is not None
        self.record = result.record
        return result.record, result

    def _work(self, outcome: Any, submission: Submission, error: str | None = None) -> Work:
        seconds = time.monotonic() - self._began
        return Work(outcome=outcome, submission=submission, error=error, seconds=seconds)

    def _raise_if_broken(self) -> None:
        if self._session.ani.lab_error is not None:
            raise self._session.ani.lab_error

    def _observation(self, **seen: Any) -> Observation:
        report = self._watcher.report() if isinstance(self._watcher, ReportsFlows) else None
        left = self._session.ani.budget_left()
        return Observation(brief=self._session.brief, reachability=report, budget_left=left, **seen)

    def _changed(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The flows that were broken, and those that were mended, since the last action."""
        before, self._wrong = self._wrong, self._wrong_now()
        return tuple(sorted(self._wrong - before)), tuple(sorted(before - self._wrong))

    def _wrong_now(self) -> frozenset[int]:
        return self._watcher.wrong if isinstance(self._watcher, JudgesFlows) else frozenset()

    def _count(self) -> int | None:
        return len(self._wrong) if isinstance(self._watcher, JudgesFlows) else None


def _short(method: str) -> str:
    return clean(method[:LONGEST_METHOD])


def is_unsafe(record: TrialRecord, result: TrialResult) -> bool:
    """Return whether a score says that the submitted answer is not safe. Changes of a network are judged one by one."""
    scores = () if record.judgement is None else result.scores
    return any(score.metric.split(".")[-1] == "safety" and score.value == 0 for score in scores)
