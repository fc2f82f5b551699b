"""The reports of a merged run, as pytest writes them of a run: JUnit, CTRF, the page, and the verdict of the gate."""

from __future__ import annotations

import platform
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Final
from uuid import uuid4

from pytest_netbench import __version__
from pytest_netbench.errors import ResultsError, UsageError
from pytest_netbench.model.trial import TrialResult
from pytest_netbench.regression_gate.testcase import MARK, with_verdict
from pytest_netbench.regression_gate.wording import HEADLINES, entries, markdown
from pytest_netbench.reporting.ctrf import About, Outcome, Reported, ctrf
from pytest_netbench.reporting.failure import sealed_failure
from pytest_netbench.reporting.junit import junit_properties
from pytest_netbench.reporting.junitfile import Case, Kind, junit_file
from pytest_netbench.reporting.page.writing import check, write_page
from pytest_netbench.results.files import replace_file
from pytest_netbench.results.merged import Lacking
from pytest_netbench.results.store import ResultsDir
from pytest_netbench.text import clean_all, plain_json
from pytest_netbench.trial import explain, family_of

if TYPE_CHECKING:
    from pytest_netbench.regression_gate.judging import Judgement
    from pytest_netbench.results.merging import Merge

JUNIT, CTRF, PAGE, VERDICT = "junit.xml", "ctrf.json", "report.html", "verdict.md"
PARTIAL: Final = "Items are missing: this is a partial merge."
_KINDS: Final[dict[str, Kind]] = {"passed": "passed", "failed": "failure", "error": "error"}
_OUTCOMES: Final[dict[Kind, Outcome]] = {
    "passed": "passed",
    "failure": "failed",
    "error": "error",
    "skipped": "skipped",
}
_STATUSES: Final = {"passed": 0, "failed": 10, "not judged": 11}


def write_reports(
    merged: Merge, folder: Path, *, judgement: Judgement | None, shown: str, properties: bool = True
) -> list[str]:
    """Write all reports; return what is to be said of them.

    Args:
        merged: What was merged.
        folder: The results directory, which has the results already.
        judgement: Of the gate, if it was asked.
        shown: The directory as reports call it.
        properties: Whether test cases in JUnit may have properties.

    Raises:
        ResultsError: A report cannot be written.
    """
    store = ResultsDir(folder)
    results = [one for _, one in merged.kept]
    cases = [_case(store, one, properties=properties, gated=judgement is not None) for one in results]
    cases += [_absent(one, "skipped") for one in merged.skipped] + [_absent(one, "error") for one in merged.missing]
    cases.sort(key=lambda one: one.node_id)
    began = min((one.started_at for one in results), default=datetime.now(UTC).isoformat())
    text = junit_file(cases, timestamp=began)
    if judgement is not None:
        text = with_verdict(text, judgement, properties=properties)
        replace_file(folder / VERDICT, markdown(judgement) + "\n")
    replace_file(folder / JUNIT, text)
    report = ctrf(list(_reported(cases, results, merged)), _about(results, merged, judgement, shown))
    replace_file(folder / CTRF, plain_json(clean_all(report), indent=1) + "\n")
    return _page(store, results, judgement, partial=bool(merged.missing))


def _page(
    store: ResultsDir, results: Sequence[TrialResult], judgement: Judgement | None, *, partial: bool
) -> list[str]:
    path = store.path / PAGE
    try:
        check(path)
    except UsageError as error:
        return [f"no {PAGE}: {error}"]
    comparison = None if judgement is None else (HEADLINES[judgement.outcome], tuple(entries(judgement)))
    write_page(path, results, store.record_of, comparison=comparison, note=PARTIAL if partial else "")
    return []


def _case(store: ResultsDir, result: TrialResult, *, properties: bool, gated: bool) -> Case:
    """The test case of a trial."""
    kind = _KINDS[result.status]
    text = _text(store, result)
    first = text.partition("\n")[0]
    listed = junit_properties(result) if properties else []
    if gated:
        listed.append((MARK, result.status))
    return Case(
        node_id=result.node_id,
        kind=kind,
        message=f'failed on setup with "{first}"' if kind == "error" else first,
        text=text,
        seconds=result.duration_s,
        properties=listed,
    )


def _text(store: ResultsDir, result: TrialResult) -> str:
    """Why a trial did not pass, as pytest was told."""
    if result.status == "passed":
        return ""
    if result.status == "error":
        return re.sub(r"\A\w+: ", "", result.error or "")
    if result.sealed is not None:
        return sealed_failure(result)
    try:
        record = store.record_of(result)
    except ResultsError as error:
        return str(error)
    assert record is not None, "a result without its record is missing"
    intents = [one.text for one in getattr(record.task.payload, "intents", ())]
    return explain(result, intents=intents, pass_marks=family_of(record.task).pass_marks)


def _absent(one: Lacking, kind: Kind) -> Case:
    """The test case of an item without a result."""
    if kind == "error":
        return Case(node_id=one.node_id, kind=kind, message=f"missing: {one.why}", text=f"missing: {one.why}")
    file = one.node_id.partition("::")[0]
    return Case(node_id=one.node_id, kind=kind, message=one.why, text=f"{file}:1: {one.why}")


def _reported(cases: Sequence[Case], results: Sequence[TrialResult], merged: Merge) -> Iterator[Reported]:
    of = {one.node_id: one for one in results}
    missing = {one.node_id for one in merged.missing}
    for case in cases:
        result = of.get(case.node_id)
        started_s = 0.0 if result is None else _seconds(result.started_at)
        yield Reported(
            node_id=case.node_id,
            outcome="pending" if case.node_id in missing else _OUTCOMES[case.kind],
            started_s=started_s,
            stopped_s=started_s + case.seconds,
            duration_s=case.seconds,
            message=case.text.partition("\n")[0] if case.kind == "error" else case.message,
            trace=case.text,
            result=result,
        )


def _about(results: Sequence[TrialResult], merged: Merge, judgement: Judgement | None, shown: str) -> About:
    starts = [_seconds(one.started_at) for one in results] or [0.0]
    kernels = sorted({one.environment.kernel for one in results if one.environment is not None})
    status = int(any(one.status != "passed" for one in results) or bool(merged.missing))
    return About(
        report_id=str(uuid4()),
        timestamp=datetime.now(UTC).isoformat(timespec="seconds"),
        started_s=min(starts),
        stopped_s=max([start + one.duration_s for start, one in zip(starts, results, strict=False)] or [0.0]),
        exit_status=status if judgement is None else _STATUSES[judgement.outcome],
        complete=not merged.missing,
        versions={
            "pytest": version("pytest"),
            "netbench": __version__,
            "kernel": ", ".join(kernels) or platform.release(),
        },
        results=shown,
    )


def _seconds(stamp: str) -> float:
    return datetime.fromisoformat(stamp).timestamp()
