"""Reasons and verdicts of records, and their reference page. Played trials are in tests/labs/test_reasons.py."""

from __future__ import annotations

import doctest
import json
import re
from pathlib import Path
from typing import Any

import pytest

from pytest_netbench.generators.diagnose import DiagnoseGenerator
from pytest_netbench.generators.diagnose_parameters import DiagnoseParameters
from pytest_netbench.model.causes import decoy_resources
from pytest_netbench.model.diagnosis import diagnose_of
from pytest_netbench.model.process import OTHER, REASONS, VERSION, Process
from pytest_netbench.model.trial import Submission, TrialResult
from pytest_netbench.model.watch import Watch, WatchedFlow, WatchedStep
from pytest_netbench.process import process_of
from pytest_netbench.process.reasons import RULES
from pytest_netbench.results.store import ResultsDir
from pytest_netbench.results.verdicts import with_verdicts
from tests.support.records import ran, record, result
from tests.unit.process.test_requests import execute, update

PAGE = Path(__file__).parents[3] / "docs/reference/process.md"
TEXT = PAGE.read_text(encoding="utf-8")
LOOK, CHANGE = execute("show clock"), update("R1", "priority 5")
REFUSED = update("R1", "priorty 5", refused=("priorty 5",))
FAIL, PASS, REGRESSED = ran("a", "fail"), ran("b"), ran("c", "fail", role="regression", intent=None)
FLOWS = tuple(WatchedFlow(source="R1", target="R2", address=f"10.0.0.{n}") for n in range(3))


def why(*steps: Any, tests: tuple[Any, ...] = (FAIL,), **changes: Any) -> str | None:
    return process_of(record(trace=steps, testcase_results=tests, **changes), passed=False).reason


def watched(before: tuple[int, ...], after: tuple[int, ...], *steps: WatchedStep) -> Watch:
    return Watch(flows=FLOWS, wrong_before=before, wrong_after=after, changes=1, steps=steps)


def plan(**found: Any) -> dict[str, Any]:
    usual = {"answer_type": "text", "status": "done", "answered": True, "graph_right": True}
    return {"tests": (), "other": {"plan": {**usual, **found}}}


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        (why(LOOK, outcome="agent-error"), "agent-error"),
        (why(LOOK, outcome="budget"), "out-of-budget-searching"),
        (why(LOOK, CHANGE, outcome="budget"), "out-of-budget-changing"),
        (why(**plan(status="nothing", answered=False)), "no-answer"),
        (why(**plan(status="timeout", answered=False)), "code-failed"),
        (why(**plan(answered=False)), "wrong-result"),
        (why(**plan(graph_right=False)), "wrong-result"),
        (why(**plan(violations=["a rule"])), "unsafe-result"),
        (why(LOOK), "changed-nothing"),
        (why(LOOK, REFUSED), "changes-refused"),
        (why(LOOK, CHANGE, tests=(FAIL, REGRESSED)), "broke-something"),
        (why(CHANGE, LOOK, watch=watched((0,), (0, 1))), "broke-something"),
        (
            why(
                CHANGE,
                LOOK,
                watch=watched(
                    (0,),
                    (0,),
                    WatchedStep(number=1, at_s=1, mended=(0,)),
                    WatchedStep(number=2, at_s=2, broke=(0,)),
                ),
            ),
            "lost-again",
        ),
        (why(CHANGE, REFUSED, LOOK), "refused-command-left"),
        (why(REFUSED, CHANGE, LOOK), "wrong-change"),
        (why(LOOK, CHANGE), "not-verified"),
        (why(CHANGE, LOOK, tests=(FAIL, PASS)), "partly-done"),
        (why(CHANGE, LOOK, watch=watched((0, 1), (1,))), "partly-done"),
        (why(CHANGE, LOOK, watch=watched((0, 1), (0, 1))), "wrong-change"),
        (why(CHANGE, LOOK, tests=(), other={"breached_demands": {"before": [], "after": [1]}}), "traffic-lost"),
        (why(CHANGE, LOOK, tests=(PASS,)), OTHER),
    ],
)
def test_a_failed_trial_has_the_first_reason_that_holds(found: str | None, reason: str) -> None:
    assert found == reason


@pytest.mark.parametrize("kind", ["change", "flap", "off"])
def test_an_answer_that_takes_a_decoy_for_the_cause_has_a_reason_of_its_own(kind: str) -> None:
    parameters = DiagnoseParameters.model_validate(
        {
            "shapes": ("ring",),
            "size": "2",
            "hosts": "2",
            "routings": ("ospf",),
            "decoys": "drawn",
            "healthy": 0.0,
            "faults": ("icmp-denied",),
            "level": "1",
        }
    )
    tasks = (DiagnoseGenerator().draw(parameters, seed=2, index=index) for index in range(40))
    task, decoy = next(
        (task, one)
        for task in tasks
        for one in diagnose_of(task).decoys
        if one.kind == kind and len(task.payload.faults) == 1
    )
    place = min(decoy_resources(decoy, task.payload.topology))
    (other, *_) = sorted(
        one
        for one in task.payload.resources
        if not any(one in decoy_resources(each, task.payload.topology) for each in task.payload.decoys)
        and one not in task.payload.causes[0].resources
    )

    def why_named(resource: str) -> str | None:
        answer = {"is_anomaly": True, "root_causes": [{"resource_id": resource, "fault_type": "link-flapping"}]}
        return process_of(record(task=task, submission=Submission(answer=answer)), passed=False).reason

    assert why_named(place) == "decoy-named"
    assert why_named(other) == "wrong-cause"


def test_a_trial_that_passed_has_none() -> None:
    assert process_of(record(trace=(CHANGE,)), passed=True).reason is None


def test_the_limit_that_ended_a_trial_is_named() -> None:
    def ended(error: str | None, **left: float | None) -> str | None:
        step = execute("show clock")
        step = step.model_copy(update={"data": {**step.data, "budget_left": left}})
        return process_of(record(trace=(step,), outcome="budget", error=error), passed=False).ended_by

    assert ended("budget exhausted: tokens (allowed 5)", calls=0) == "tokens"
    assert ended("the agent gave up", calls=3, wall_s=0.0) == "wall_s"
    assert ended(None, calls=3, tokens=None) is None


def test_a_stop_without_calls_left_is_not_early() -> None:
    def early(calls: int | None) -> bool:
        step = execute("show clock")
        step = step.model_copy(update={"data": {**step.data, "budget_left": {"calls": calls}}})
        return process_of(record(trace=(step,), testcase_results=(FAIL,)), passed=False).stopped_early

    assert [early(calls) for calls in (0, 1, None)] == [False, True, True]


def test_a_request_is_repeated_if_nothing_was_changed_since() -> None:
    def repeated(*steps: Any) -> int:
        return process_of(record(trace=steps), passed=True).repeated

    assert repeated(LOOK, LOOK, execute("show  clock"), execute("show clock", device="R2")) == 2
    assert repeated(LOOK, CHANGE, LOOK) == 0
    assert repeated(LOOK, REFUSED, LOOK) == 1


def test_the_rules_are_in_the_order_of_the_reasons() -> None:
    assert [*RULES, OTHER] == list(REASONS)


def test_every_reason_and_every_field_is_documented_and_no_other() -> None:
    rows = re.findall(
        r"^\| `([\w-]+)` \| (.*?) \|", TEXT.partition("## Reasons")[2].partition("\n## ")[0], re.MULTILINE
    )
    assert dict(rows) == REASONS
    assert [name for name, _ in rows] == list(REASONS)
    fields = re.findall(r"^\| `(\w+)` \|", TEXT.partition("## Verdicts")[2].partition("\n### ")[0], re.MULTILINE)
    assert fields == list(Process.model_fields)
    assert f"definitions, now {VERSION}." in TEXT


def test_the_examples_of_the_page_come_out_as_written() -> None:
    outcome = doctest.testfile(str(PAGE), module_relative=False)
    assert outcome.attempted > 3
    assert outcome.failed == 0


def test_a_result_of_before_there_were_verdicts_gets_them_from_its_transcript(tmp_path: Path) -> None:
    store = ResultsDir.create(tmp_path / "run")
    kept = store.append(result(status="failed"), record(trace=(LOOK,), testcase_results=(FAIL,)), worker="main")
    (line,) = (tmp_path / "run/results-main.jsonl").read_text().splitlines()
    fields = json.loads(line)
    del fields["process"]
    old = TrialResult.model_validate(fields)
    assert (kept.process, old.process) == (None, None)
    found = with_verdicts(store, old).process
    assert found is not None
    assert found.reason == "changed-nothing"
    (tmp_path / "run" / str(old.transcript)).unlink()
    assert with_verdicts(store, old) == old
