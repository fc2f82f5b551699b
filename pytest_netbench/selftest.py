"""Proof that a task is solvable and not vacuous, usable without pytest.

On fresh labs: the oracle passes every testcase, nothing passes an intent's testcase before the work is done, and leaving out
any one ground-truth line fails at least one testcase; all of it several times with equal results.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any

from pytest_netbench.agents.oracle import Oracle
from pytest_netbench.ani.interface import LabAni
from pytest_netbench.ani.policy import Policy
from pytest_netbench.errors import AgentError
from pytest_netbench.evaluation.interface import TaskEvaluation
from pytest_netbench.lab.protocols import Backend, Lab
from pytest_netbench.model.configure import configuration_of
from pytest_netbench.model.task import Budget, Task
from pytest_netbench.model.trial import TestcaseResult
from pytest_netbench.trial import check_health

UNLIMITED = Budget(calls=None, commands=None, wall_s=None, tokens=None)

Line = tuple[str, int]


@dataclass(frozen=True, kw_only=True)
class TruthConfigs:
    """Running configs before and after the oracle, by node."""

    initial: dict[str, str]
    final: dict[str, str]


@dataclass(frozen=True, kw_only=True)
class Survivor:
    """A ground-truth line that no testcase missed. ``reason`` is the task file's; ``None`` if it gives none."""

    node: str
    line: str
    reason: str | None


@dataclass(frozen=True, kw_only=True)
class SelftestReport:
    """What was shown of a task. ``problems`` is empty for a task that may be used.

    ``shown`` maps what was to be shown to what came out, for people.
    """

    slug: str
    problems: tuple[str, ...]
    shown: dict[str, str]
    survivors: tuple[Survivor, ...] = ()
    truth: TruthConfigs | None = None
    labs: int = 0
    seconds: float = 0.0

    def plain(self) -> dict[str, Any]:
        """JSON values of all but the configs."""
        plain = {name: value for name, value in asdict(self).items() if name != "truth"}
        return {**plain, "verdict": self.verdict}

    def text(self) -> str:
        """The problems, one a line, under a headline."""
        return "\n".join([f"{self.slug}: {self.verdict} in the self-test", *(f"  - {one}" for one in self.problems)])

    @property
    def verdict(self) -> str:
        """``ok``, or how many problems there are."""
        count = len(self.problems)
        return f"{count} problem{'s' * (count > 1)}" if count else "ok"


def selftest(
    task: Task, *, backend: Backend, time_scale: float | None = None, workers: int = 1, repeats: int = 3
) -> SelftestReport:
    """Test ``task``.

    Args:
        task: What is tested.
        backend: What deploys the labs.
        time_scale: Lab seconds per wall second; ``None`` lets the backend choose.
        workers: Labs that are expected to run side by side on this machine.
        repeats: How often everything is measured.

    Raises:
        RequirementMissing: This machine lacks something the task needs.
        InfrastructureError: A lab broke, or its health checks failed.
    """
    return _Selftest(task, backend, time_scale, workers).run(repeats)


@dataclass
class _Measured:
    """What the repeats showed so far."""

    nop: list[tuple[TestcaseResult, ...]] = field(default_factory=list)
    oracle: list[tuple[TestcaseResult, ...]] = field(default_factory=list)
    truths: list[TruthConfigs] = field(default_factory=list)
    noticed: Counter[Line] = field(default_factory=Counter)
    witnesses: dict[Line, str] = field(default_factory=dict)


class _Selftest:
    def __init__(self, task: Task, backend: Backend, time_scale: float | None, workers: int) -> None:
        self._task, self._backend, self._time_scale, self._workers = task, backend, time_scale, workers
        self._payload = configuration_of(task)
        self._labs = 0
        self._lines: list[Line] = [
            (node, i) for node, lines in self._payload.ground_truth_configs.items() for i in range(len(lines))
        ]

    def run(self, repeats: int) -> SelftestReport:
        began = time.monotonic()
        measured = _Measured()
        refusal: str | None = None
        try:
            for _ in range(repeats):
                self._repeat(measured)
        except AgentError as error:
            refusal = str(error)
        problems = list(self._problems(measured, repeats)) if refusal is None else [refusal]
        survivors = self._survivors(measured) if refusal is None else ()
        return SelftestReport(
            slug=self._task.slug,
            problems=tuple(problems),
            shown=self._shown(measured, survivors, repeats),
            survivors=survivors,
            truth=measured.truths[-1] if measured.truths else None,
            labs=self._labs,
            seconds=time.monotonic() - began,
        )

    def _repeat(self, measured: _Measured) -> None:
        with self._lab() as lab:
            evaluation = TaskEvaluation(lab)
            measured.nop.append(tuple(evaluation.run_testcases(self._payload.testcases)))
        with self._lab() as lab:
            evaluation = TaskEvaluation(lab)
            initial = evaluation.final_configs()
            self._apply(lab, Oracle())
            measured.oracle.append(tuple(evaluation.run_testcases(self._payload.testcases)))
            measured.truths.append(TruthConfigs(initial=initial, final=evaluation.final_configs()))
        for line in self._lines:
            witness = self._who_misses(line, measured.witnesses.get(line))
            if witness is not None:
                measured.noticed[line] += 1
                measured.witnesses[line] = witness

    def _who_misses(self, line: Line, suspect: str | None) -> str | None:
        """A testcase that fails without ``line``; ``suspect``, which did so before, is asked first."""
        first = [testcase for testcase in self._payload.testcases if testcase.name == suspect]
        with self._lab() as lab:
            self._apply(lab, Oracle(leave_out=line))
            evaluation = TaskEvaluation(lab)
            for testcases in (first, self._payload.testcases):
                results = evaluation.run_testcases(testcases, stop_at_first_failure=True)
                failed = [result.name for result in results if result.status == "fail"]
                if failed:
                    return failed[0]
        return None

    def _apply(self, lab: Lab, oracle: Oracle) -> None:
        ani = LabAni(lab, policy=Policy(), budget=UNLIMITED)
        oracle.run_informed(self._task, ani)
        ani.close()

    @contextmanager
    def _lab(self) -> Iterator[Lab]:
        lab = self._backend.deploy(self._task, time_scale=self._time_scale, workers=self._workers)
        self._labs += 1
        try:
            check_health(self._task, TaskEvaluation(lab))
            yield lab
        finally:
            lab.destroy()

    # what the measurements say

    def _problems(self, measured: _Measured, repeats: int) -> Iterator[str]:
        if not self._payload.testcases:
            yield "there are no testcases"
        yield from _oracle_problems(measured.oracle)
        yield from _nop_problems(measured.nop)
        yield from _unequal(measured)
        for line in self._lines:
            times = measured.noticed[line]
            node, text = self._words(line)
            if 0 < times < repeats:
                yield f"{node}: leaving out {text!r} was noticed in {times} of {repeats} repeats: make it always or never so"
        for survivor in self._survivors(measured):
            if survivor.reason is None:
                yield (
                    f"{survivor.node}: leaving out {survivor.line!r} fails no testcase: add a testcase that misses it, drop the "
                    "line, or explain it under accepted_survivors"
                )
        yield from self._idle_acceptances(measured)

    def _idle_acceptances(self, measured: _Measured) -> Iterator[str]:
        survived = {(one.node, one.line) for one in self._survivors(measured)}
        known = {self._words(line) for line in self._lines}
        for node, lines in self._payload.accepted_survivors.items():
            for text in lines:
                if (node, text.strip()) not in known:
                    yield f"accepted_survivors: {node} has no ground-truth line {text.strip()!r}"
                elif (node, text.strip()) not in survived:
                    yield f"accepted_survivors: leaving out {text.strip()!r} on {node} is noticed; it needs no explanation"

    def _survivors(self, measured: _Measured) -> tuple[Survivor, ...]:
        survivors = []
        for line in self._lines:
            if measured.noticed[line]:
                continue
            node, text = self._words(line)
            reasons = {one.strip(): reason for one, reason in self._payload.accepted_survivors.get(node, {}).items()}
            survivors.append(Survivor(node=node, line=text, reason=reasons.get(text)))
        return tuple(survivors)

    def _words(self, line: Line) -> tuple[str, str]:
        node, index = line
        return node, self._payload.ground_truth_configs[node][index].strip()

    def _shown(self, measured: _Measured, survivors: tuple[Survivor, ...], repeats: int) -> dict[str, str]:
        shown = {}
        if measured.oracle:
            passed = [sum(one.status == "pass" for one in results) for results in measured.oracle]
            shown["oracle passes"] = f"{min(passed)} of {len(self._payload.testcases)}"
        if measured.nop:
            intents = sum(one.role == "intent" for one in self._payload.testcases)
            passed = [sum(one.status == "pass" and one.role == "intent" for one in one_run) for one_run in measured.nop]
            shown["nop passes"] = f"{max(passed)} of {intents}"
        noticed = sum(count == repeats for count in measured.noticed.values())
        shown["lines missed when left out"] = f"{noticed} of {len(self._lines)}"
        shown["survivors explained"] = f"{sum(one.reason is not None for one in survivors)} of {len(survivors)}"
        shown["repeats"] = str(len(measured.oracle))
        return shown


def _oracle_problems(runs: list[tuple[TestcaseResult, ...]]) -> Iterator[str]:
    for one in _distinct(result for results in runs for result in results if result.status == "fail"):
        yield f"the oracle fails testcase {one.name!r}: expected {one.expected}, saw {one.actual}"


def _nop_problems(runs: list[tuple[TestcaseResult, ...]]) -> Iterator[str]:
    passed = (result for results in runs for result in results if result.role == "intent" and result.status == "pass")
    for one in _distinct(passed):
        yield f"testcase {one.name!r} passes before anything is done: make it miss the intent, or give it role: regression"


def _distinct(results: Iterator[TestcaseResult]) -> list[TestcaseResult]:
    return list({result.name: result for result in results}.values())


def _unequal(measured: _Measured) -> Iterator[str]:
    for who, runs in (("oracle", measured.oracle), ("nop", measured.nop)):
        for results in zip(*runs, strict=True):
            if len({result.status for result in results}) > 1:
                yield f"testcase {results[0].name!r} comes out differently from repeat to repeat with the {who}"
    for when in ("initial", "final"):
        first, *others = (getattr(truth, when) for truth in measured.truths)
        for node in first:
            if any(other[node] != first[node] for other in others):
                yield f"{node}: its {when} running config differs from repeat to repeat"
