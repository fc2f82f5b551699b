"""The CTRF report of a run: collected from pytest's reports, written when the run has ended, however it has."""

from __future__ import annotations

import platform
import time
from collections.abc import Generator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

import pytest

from pytest_netbench.errors import ResultsError
from pytest_netbench.plugin.items.failures import printable
from pytest_netbench.plugin.settings.output_path import path_of
from pytest_netbench.plugin.settings.run_options import run_of
from pytest_netbench.text import clean_all

if TYPE_CHECKING:
    from pytest_netbench.model.trial import TrialResult
    from pytest_netbench.reporting.ctrf import Outcome, Reported

OPTION: Final = "--netbench-ctrf"
_RANK: Final = ("pending", "passed", "xpassed", "xfailed", "skipped", "error", "failed")
"""What counts if the phases of an item differ: the last of them."""


@dataclass(kw_only=True)
class _Seen:
    """What pytest has reported of an item so far."""

    outcome: Outcome = "pending"
    started_s: float = 0.0
    stopped_s: float = 0.0
    duration_s: float = 0.0
    message: str = ""
    trace: str = ""
    worker: str = ""
    retries: int = 0
    result: TrialResult | None = None


class CtrfFile:
    """Writes the report in the reporting process.

    Args:
        config: Of the run.

    Raises:
        pytest.UsageError: The file cannot be written.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._path = path_of(config, OPTION)
        self._seen: dict[str, _Seen] = {}
        self._began_s = time.time()
        self._interrupted = False
        self._line = ""

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add what a phase of an item says."""
        seen = self._seen.setdefault(report.nodeid, _Seen())
        if _is_repeated(report):
            self._seen[report.nodeid] = _Seen(retries=seen.retries + 1)
            return
        start, stop = getattr(report, "start", 0.0), getattr(report, "stop", 0.0)
        seen.started_s = min(seen.started_s or start, start)
        seen.stopped_s = max(seen.stopped_s, stop)
        seen.duration_s += report.duration
        seen.worker = getattr(report, "worker_id", "")
        outcome = _outcome(report)
        if _RANK.index(outcome) > _RANK.index(seen.outcome):
            seen.outcome, seen.message, seen.trace = outcome, _message(report), report.longreprtext

    def pytest_netbench_result(self, result: TrialResult) -> None:
        """Keep the result of an item, which is told before its report is."""
        self._seen.setdefault(result.node_id, _Seen()).result = result

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Add what could not be collected."""
        if report.failed:
            now = time.time()
            self._seen[report.nodeid or "collection"] = _Seen(
                outcome="error",
                started_s=now,
                stopped_s=now,
                message=_message(report),
                trace=report.longreprtext,
            )

    def pytest_keyboard_interrupt(self) -> None:
        """Note that the run was cut off."""
        self._interrupted = True

    @pytest.hookimpl(wrapper=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Generator[None]:
        """Write the report when results are merged and judged."""
        yield
        if self._config.option.collectonly:
            return
        try:
            self._write(session)
            self._line = f"CTRF report: {self._config.option.netbench_ctrf}"
        except ResultsError as error:
            self._line = f"no CTRF report: {error}"
            if session.exitstatus == pytest.ExitCode.OK:
                session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say where the report is."""
        if self._line:
            terminalreporter.write_line(printable(self._line))

    def _write(self, session: pytest.Session) -> None:
        from pytest_netbench import __version__
        from pytest_netbench.reporting.ctrf import About, ctrf  # imports pydantic
        from pytest_netbench.results.files import replace_file
        from pytest_netbench.text import plain_json

        ended = self._interrupted or session.shouldstop or session.shouldfail
        about = About(
            report_id=str(uuid4()),
            timestamp=datetime.now(UTC).isoformat(timespec="seconds"),
            started_s=self._began_s,
            stopped_s=time.time(),
            exit_status=int(session.exitstatus),
            complete=not ended,
            versions={"pytest": pytest.__version__, "netbench": __version__, "kernel": platform.release()},
            results=run_of(self._config).shown_results(self._config.rootpath),
        )
        report = ctrf([_reported(name, one) for name, one in self._seen.items()], about)
        replace_file(self._path, plain_json(clean_all(report), indent=1) + "\n")


def _reported(node_id: str, seen: _Seen) -> Reported:
    from pytest_netbench.reporting.ctrf import Reported  # imports pydantic

    return Reported(
        node_id=node_id,
        outcome=seen.outcome,
        started_s=seen.started_s,
        stopped_s=seen.stopped_s,
        duration_s=seen.duration_s,
        message=seen.message,
        trace=seen.trace,
        worker=seen.worker,
        retries=seen.retries,
        result=seen.result,
    )


def _is_repeated(report: Any) -> bool:
    """Whether pytest-rerunfailures runs the item again."""
    return bool(report.outcome == "rerun")


def _outcome(report: pytest.TestReport) -> Outcome:
    expected = hasattr(report, "wasxfail")
    if report.failed:
        return "failed" if report.when == "call" else "error"
    if report.skipped:
        return "xfailed" if expected else "skipped"
    if report.when != "call":
        return "pending"  # nothing is said yet: the run may be cut off in the call
    return "xpassed" if expected else "passed"


def _message(report: pytest.TestReport | pytest.CollectReport) -> str:
    """Why in one line: the reason of a skip, what was raised, or the last line of the text."""
    shown = report.longrepr
    if isinstance(expected := getattr(report, "wasxfail", None), str):
        return expected.removeprefix("reason: ")
    if isinstance(shown, tuple):
        return str(shown[2]).removeprefix("Skipped: ")
    crash = getattr(shown, "reprcrash", None)
    text = str(crash.message) if crash is not None else "\n".join(report.longreprtext.strip().splitlines()[-1:])
    return text.partition("\n")[0]
