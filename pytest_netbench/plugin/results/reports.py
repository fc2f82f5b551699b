"""From an item's outcome to a report and to the results directory, in the process that ran it."""

from __future__ import annotations

import contextlib
import json
import platform
import time
from collections.abc import Generator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from pytest_netbench.plugin.items.failures import clean_sections
from pytest_netbench.plugin.items.item import DrawnItem, TaskItem
from pytest_netbench.plugin.settings.run_options import run_of
from pytest_netbench.text import plain_json

if TYPE_CHECKING:
    from pytest_netbench.model.trial import TrialRecord, TrialResult


class Reports:
    """Puts results on reports as plain JSON values, and appends them to the results directory as they happen."""

    def __init__(self, config: pytest.Config) -> None:
        self._run = run_of(config)
        self._arguments = [str(argument) for argument in config.invocation_params.args]
        self._store: Any = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Discard the previous attempt if the item runs again."""
        if isinstance(item, TaskItem):
            item.stage = item.terms = None
            item.outcome = None
            item.result = None
            item.selftest_report = None
            item.skipped = ""
            if item.far is None:  # what runs elsewhere has begun when it was sent
                self.begin(item)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Set ``report.netbench``."""
        report = yield
        if not isinstance(item, TaskItem):
            return report
        clean_sections(report)
        if item.sealed is not None:
            report.sections.clear()  # what an agent prints in this process may quote the task
        if report.skipped and isinstance(report.longrepr, tuple):
            item.skipped = report.longrepr[2].removeprefix("Skipped: ")
        payload = self._payload(item, call, report)
        if payload is not None:
            report.netbench = payload  # type: ignore[attr-defined]
        return report

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Generator[None]:
        """Append the result once the lab is gone; if that fails the item is an error and the run goes on."""
        try:
            yield
        finally:
            if isinstance(item, TaskItem) and item.result is not None:
                record = None if item.outcome is None else item.outcome.record
                self._append(item, item.result, record)
            elif isinstance(item, TaskItem):
                self.begin(item, closed=True)

    def _payload(self, item: TaskItem, call: pytest.CallInfo[None], report: pytest.TestReport) -> dict[str, Any] | None:
        if item.selftest_report is not None and call.when == "call":
            return {"selftest": item.selftest_report.plain()}
        if item.outcome is not None and call.when == "call":
            record = item.outcome.record  # none of a trial that ended its worker
            item.result = _completed(item, item.outcome, transcript=record is not None)
            plain = None if record is None else _plain(_without_trace(record))
            return {"result": _public(item, item.result), "record": plain}
        if call.when == "setup" and report.failed and item.agent_choice is not None:
            assert call.excinfo is not None
            result = _broken(
                item, call.excinfo.value, started_at=max(call.start, item.began_at), duration_s=_seconds_of(item, call)
            )
            item.result = _completed(item, result, transcript=False)
            return {"result": _public(item, item.result), "record": None}
        return None

    def begin(self, item: TaskItem, *, closed: bool = False) -> None:
        """Keep that the trial of an item begins, or was not run after all; without a result it stays open.

        If that cannot be written, neither can its result, which is an error then.
        """
        if item.task is None or item.agent_choice is None:
            return
        from pytest_netbench.errors import ResultsError, UsageError
        from pytest_netbench.results.opened import OpenTrial  # imports pydantic

        began = item.began_at = time.time()
        digest = item.task.digest if item.sealed is None else item.sealed.digest_of(item.task)
        opened = OpenTrial(
            node_id=item.nodeid,
            trial=item.number,
            agent=item.agent_choice.id,
            task_digest=digest,
            started_at=datetime.fromtimestamp(began, UTC).isoformat(timespec="milliseconds"),
            closed=closed,
            reason=item.skipped if closed else "",
        )
        with contextlib.suppress(ResultsError, UsageError):
            self._open().begin(opened, worker=self._run.worker)

    def _open(self) -> Any:
        from pytest_netbench.results.store import ResultsDir  # imports pydantic

        if self._store is None:
            self._store = ResultsDir.create(self._run.results)
            versions = {"pytest": pytest.__version__, "python": platform.python_version()}
            self._store.describe(argv=self._arguments, versions=versions)
        return self._store

    def _append(self, item: TaskItem, result: TrialResult, record: TrialRecord | None) -> None:
        store = self._open()
        if item.sealed is None:
            store.append(result, record, worker=self._run.worker)
        else:
            details = item.sealed.details(result, record)
            store.append_sealed(item.sealed.public(result), details, worker=self._run.worker)


def _broken(item: TaskItem, error: BaseException, *, started_at: float, duration_s: float) -> TrialResult:
    """The result of a trial whose item ended with an error before its agent could be judged."""
    from pytest_netbench.model.trial import AgentInfo  # imports pydantic
    from pytest_netbench.trial.scoring import error_result, words_of

    assert item.task is not None
    assert item.agent_choice is not None
    return error_result(
        item.task,
        AgentInfo(id=item.agent_choice.id, strategy=""),
        words_of(error),
        node_id=item.nodeid,
        number=item.number,
        started_at=started_at,
        duration_s=duration_s,
        replayed=None if item.tape is None else item.tape.replayed,
    )


def _plain(model: Any) -> dict[str, Any]:
    """JSON types only: anything else on a report would end a distributed run."""
    plain: dict[str, Any] = json.loads(plain_json(model.model_dump(mode="json")))
    return plain


def _public(item: TaskItem, result: TrialResult) -> dict[str, Any]:
    """``result`` as it may be told."""
    return _plain(result if item.sealed is None else item.sealed.public(result))


def _completed(item: TaskItem, result: TrialResult, *, transcript: bool) -> TrialResult:
    """``result`` with the path of its transcript, and with why a search chose the task."""
    from pytest_netbench.results.store import sealed_path, transcript_path  # imports pydantic

    if item.sealed is not None:
        return result.model_copy(update={"sealed": sealed_path(result.node_id, result.trial)})
    path = transcript_path(result.node_id, result.trial) if transcript else None
    sought = item.sought if isinstance(item, DrawnItem) else None
    return result.model_copy(update={"transcript": path, "sought": sought})


def _without_trace(record: TrialRecord) -> TrialRecord:
    return record.model_copy(update={"trace": ()})


def _seconds_of(item: TaskItem, call: pytest.CallInfo[None]) -> float:
    return call.duration if item.far is None else item.far.seconds
