"""What the terminal shows of a trial that did not pass: few lines, unless ``-v`` or ``--tb`` asks for more.

JUnit, CTRF and other plugins are given the whole report before it is condensed.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any, Final

import pytest

from pytest_netbench.plugin.items.failures import printable
from pytest_netbench.plugin.items.node_ids import is_from_a_task
from pytest_netbench.plugin.settings.run_options import run_of

if TYPE_CHECKING:
    from pytest_netbench.model.trial import TrialResult

_NARROWEST, _WIDEST = 40, 120
_PRINTED: Final = 5
"""The most lines of what was printed, with their heading."""
_MESSAGE: Final = 18
"""The most lines of an infrastructure error."""
_DETAILED: Final = frozenset({"long", "native"})


class Shown:
    """A failure as pytest shows it: its lines, and the crash that the short summary quotes."""

    def __init__(self, lines: Sequence[str], crash: Any) -> None:
        self._lines = lines
        self.reprcrash = crash

    def __str__(self) -> str:
        return "\n".join(self._lines)

    def toterminal(self, tw: Any) -> None:
        """Write the lines."""
        for line in self._lines:
            tw.line(line)


class Condensed:
    """Condenses reports of trials in the process that reports the run.

    Args:
        config: Of the run.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._run = run_of(config)
        self._failed: set[str] = set()
        self._told: TrialResult | None = None

    def pytest_netbench_result(self, result: TrialResult) -> None:
        """Keep a result for the report that comes next, which is of the same item."""
        self._told = result

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Condense the report of a trial that did not pass, once all others have read it."""
        option = self._config.option
        result, self._told = self._told, None
        if option.tbstyle in _DETAILED or option.fulltrace:
            return
        if report.when == "teardown" and report.nodeid in self._failed and report.passed:
            report.sections = []
        if not report.failed or not is_from_a_task(report.nodeid):
            return
        crash = getattr(report.longrepr, "reprcrash", None)
        if result is None or crash is None:
            return
        if option.tbstyle == "line":
            report.sections, report.longrepr = [], Shown([], crash)  # type: ignore[assignment]
            return
        if self._config.get_verbosity() > 0:
            self._head(report, result, crash)
            return
        self._failed.add(report.nodeid)
        report.sections = printed(report.sections, showing=option.showcapture)
        room = sum(1 + len(text.splitlines()) for _, text in report.sections)
        if result.status == "failed":
            lines = self._of_failure(result, str(crash.message), taken=room)
        elif (text := report.longreprtext.splitlines()) and text[0] == crash.message:  # else it is a traceback
            lines = [
                *text[:_MESSAGE],
                *([f"… and {more} lines more, -v shows all"] if (more := len(text) - _MESSAGE) > 0 else []),
            ]
        else:
            return
        report.longrepr = Shown([printable(line) for line in lines], crash)  # type: ignore[assignment]

    def _head(self, report: pytest.TestReport, result: TrialResult, crash: Any) -> None:
        """Put how the agent ended and what it did above the whole failure."""
        from pytest_netbench.reporting.failure import head_lines  # imports pydantic

        if result.status == "failed":
            head = [printable(line) for line in head_lines(result, width=_width())]
            report.longrepr = Shown([*head, *report.longreprtext.splitlines()], crash)  # type: ignore[assignment]

    def _of_failure(self, result: TrialResult, reason: str, *, taken: int) -> list[str]:
        from pytest_netbench.reporting.failure import LINES, failure_lines  # imports pydantic

        return failure_lines(result, reason=reason, width=_width(), room=LINES - taken, rest=self._rest(result))

    def _rest(self, result: TrialResult) -> list[tuple[str, str]]:
        folder = self._run.shown_results(self._config.rootpath)
        if result.sealed is not None:
            return [("sealed", f"{folder}/{result.sealed}")]
        if result.transcript is None:
            return []
        name = shlex.quote(result.node_id.rpartition("::")[2])
        option = self._config.option
        is_elsewhere = option.netbench_results is not None or option.netbench_resume is not None
        where = f" {shlex.quote(folder)}" if is_elsewhere else ""
        return [("transcript", f"{folder}/{result.transcript}"), ("show all", f"netbench show {name}{where}")]


def _width() -> int:
    return min(max(get_terminal_size().columns - 1, _NARROWEST), _WIDEST)


def printed(sections: Sequence[tuple[str, str]], *, showing: str) -> list[tuple[str, str]]:
    """What was printed and logged while the trial ran: all of it if it is short, else its end.

    Args:
        sections: Of a report.
        showing: As ``--show-capture``.
    """
    captured = [
        (title, text.rstrip("\n"))
        for title, text in sections
        if title.startswith("Captured ") and showing != "no" and (showing == "all" or showing in title)
    ]
    lines = [line for _, text in captured for line in text.splitlines()]
    if len(captured) + len(lines) <= _PRINTED:
        return captured
    titles = ", ".join(title.removeprefix("Captured ") for title, _ in captured)
    shown = lines[1 - _PRINTED :]
    return [(f"Captured {titles}: last {len(shown)} of {len(lines)} lines (-v: all)", "\n".join(shown))]
