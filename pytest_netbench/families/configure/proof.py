"""How ``configure`` proves a task: what omitting one ground-truth line changes.

On fresh labs it checks that the oracle passes every testcase, that no testcase of the intent passes before the work is
done, and that omitting any one ground-truth line fails at least one testcase. All is repeated and must give equal
results.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from pytest_netbench.ani.interface import LabAni
from pytest_netbench.ani.policy import Policy
from pytest_netbench.errors import AgentError
from pytest_netbench.evaluation.interface import TaskEvaluation
from pytest_netbench.families.configure.solution import Line, apply_truth
from pytest_netbench.families.proof import Proof, TruthConfigs
from pytest_netbench.families.protocol import Stages
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.configure import configuration_of
from pytest_netbench.model.task import UNLIMITED, Task
from pytest_netbench.model.trial import TestcaseResult

SURVIVORS = "lines that no testcase misses"


@dataclass(frozen=True, kw_only=True)
class Survivor:
    """A ground-truth line whose omission fails no testcase. ``reason`` is the task file's, or ``None``."""

    node: str
    line: str
    reason: str | None

    def __str__(self) -> str:
        return f"{self.node}: {self.line!r}: {self.reason or 'not explained'}"


@dataclass
class _Measured:
    """The results of the repeats so far."""

    nop: list[tuple[TestcaseResult, ...]] = field(default_factory=list)
    oracle: list[tuple[TestcaseResult, ...]] = field(default_factory=list)
    truths: list[TruthConfigs] = field(default_factory=list)
    noticed: Counter[Line] = field(default_factory=Counter)
    witnesses: dict[Line, str] = field(default_factory=dict)


class Omissions:
    """Measures a task on stages of its own.

    Args:
        task: The task.
        stages: Opens a fresh stage of it.
    """

    def __init__(self, task: Task, stages: Stages) -> None:
        self._task, self._stages = task, stages
        self._payload = configuration_of(task)
        self._lines: list[Line] = [
            (node, i) for node, lines in self._payload.ground_truth_configs.items() for i in range(len(lines))
        ]

    def prove(self, repeats: int) -> Proof:
        """Measure everything ``repeats`` times and return the results."""
        measured = _Measured()
        refusal: str | None = None
        try:
            for _ in range(repeats):
                self._repeat(measured)
        except AgentError as error:
            refusal = str(error)
        problems = list(self._problems(measured, repeats)) if refusal is None else [refusal]
        survivors = self._survivors(measured) if refusal is None else ()
        return Proof(
            problems=tuple(problems),
            shown=self._shown(measured, survivors, repeats),
            listed={SURVIVORS: tuple(map(str, survivors))},
            truth=measured.truths[-1] if measured.truths else None,
        )

    def _repeat(self, measured: _Measured) -> None:
        with self._lab() as lab:
            evaluation = TaskEvaluation(lab, events=self._payload.events)
            measured.nop.append(tuple(evaluation.run_testcases(self._payload.testcases)))
        with self._lab() as lab:
            evaluation = TaskEvaluation(lab, events=self._payload.events)
            initial = evaluation.final_configs()
            self._apply(lab)
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
            self._apply(lab, leave_out=line)
            evaluation = TaskEvaluation(lab, events=self._payload.events)
            for testcases in (first, self._payload.testcases):
                results = evaluation.run_testcases(testcases, stop_at_first_failure=True)
                failed = [result.name for result in results if result.status == "fail"]
                if failed:
                    return failed[0]
        return None

    def _apply(self, lab: Lab, *, leave_out: Line | None = None) -> None:
        ani = LabAni(lab, policy=Policy(), budget=UNLIMITED)
        apply_truth(self._task, ani, leave_out=leave_out)
        ani.close()

    @contextmanager
    def _lab(self) -> Iterator[Lab]:
        with self._stages() as scene:
            assert scene.lab is not None, "a stage of configure has a lab"
            yield scene.lab

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
                yield (
                    f"{node}: leaving out {text!r} was noticed in {times} of {repeats} repeats: make it always or"
                    " never so"
                )
        for survivor in self._survivors(measured):
            if survivor.reason is None:
                yield (
                    f"{survivor.node}: leaving out {survivor.line!r} fails no testcase: add a testcase that misses it,"
                    " drop the line, or explain it under accepted_survivors"
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
                    yield (
                        f"accepted_survivors: leaving out {text.strip()!r} on {node} is noticed; it needs no"
                        " explanation"
                    )

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
        yield (
            f"testcase {one.name!r} passes before anything is done: make it miss the intent, or give it role:"
            " regression"
        )


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
