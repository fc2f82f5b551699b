"""From an item's outcome to a report and to the results directory, in the process that ran it."""

from __future__ import annotations

import json
from collections.abc import Generator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from pytest_netbench.plugin.item import TaskItem
from pytest_netbench.plugin.run import run_of

if TYPE_CHECKING:
    from pytest_netbench.model.trial import TrialRecord, TrialResult


class Reports:
    """Puts results on reports as plain JSON values, and appends them to the results directory as they happen."""

    def __init__(self, config: pytest.Config) -> None:
        self._run = run_of(config)
        self._store: Any = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Forget the attempt before, if the item is run again."""
        if isinstance(item, TaskItem):
            item.outcome = None
            item.result = None
            item.selftest_report = None

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Set ``report.netbench``."""
        report = yield
        if not isinstance(item, TaskItem):
            return report
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
                self._append(item.result, record)

    def _payload(self, item: TaskItem, call: pytest.CallInfo[None], report: pytest.TestReport) -> dict[str, Any] | None:
        if item.selftest_report is not None and call.when == "call":
            return {"selftest": item.selftest_report.plain()}
        if item.outcome is not None and call.when == "call":
            item.result = _with_transcript(item.outcome.result)
            return {"result": _plain(item.result), "record": _plain(_without_trace(item.outcome.record))}
        if call.when == "setup" and report.failed and item.agent_choice is not None:
            item.result = self._error(item, call)
            return {"result": _plain(item.result), "record": None}
        return None

    def _error(self, item: TaskItem, call: pytest.CallInfo[None]) -> TrialResult:
        from pytest_netbench.model.trial import AgentInfo, TrialResult  # noqa: PLC0415  (imports pydantic)

        assert item.task is not None
        assert item.agent_choice is not None
        assert call.excinfo is not None
        return TrialResult(
            node_id=item.nodeid,
            task_name=item.task.task_name,
            task_digest=item.task.digest,
            domain=item.task.domain,
            family=item.task.family,
            agent=AgentInfo(id=item.agent_choice.id, strategy=""),
            trial=item.number,
            status="error",
            error=f"{call.excinfo.typename}: {call.excinfo.value}",
            started_at=datetime.fromtimestamp(call.start, UTC).isoformat(timespec="milliseconds"),
            duration_s=call.duration,
        )

    def _append(self, result: TrialResult, record: TrialRecord | None) -> None:
        from pytest_netbench.results.store import ResultsDir  # noqa: PLC0415  (imports pydantic)

        if self._store is None:
            self._store = ResultsDir.create(self._run.results)
        self._store.append(result, record, worker=self._run.worker)


def _plain(model: Any) -> dict[str, Any]:
    """JSON types only: anything else on a report would end a distributed run."""
    plain: dict[str, Any] = json.loads(model.model_dump_json())
    return plain


def _with_transcript(result: TrialResult) -> TrialResult:
    from pytest_netbench.results.store import transcript_path  # noqa: PLC0415  (imports pydantic)

    return result.model_copy(update={"transcript": transcript_path(result.node_id, result.trial)})


def _without_trace(record: TrialRecord) -> TrialRecord:
    return record.model_copy(update={"trace": ()})
