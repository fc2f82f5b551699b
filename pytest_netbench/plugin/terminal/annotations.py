"""Annotations of items that did not pass, on GitHub Actions, and texts that are safe to print there."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from pytest_netbench import workflow
from pytest_netbench.plugin.items.node_ids import is_from_a_task
from pytest_netbench.text import clean

_PLACE: Final = re.compile(r"^(?P<path>[^\s:]+):(?P<line>\d+):(\d+:)? ")
"""How errors of task files begin."""


@dataclass(frozen=True, kw_only=True)
class _Noted:
    title: str
    message: str
    file: str
    line: int | None


class Annotations:
    """Prints them at the end, at most ``workflow.MOST``.

    Args:
        config: Of the run.
        level: ``warning`` if the run is judged by a gate: then failed trials do not fail it by themselves.
    """

    def __init__(self, config: pytest.Config, *, level: workflow.Level) -> None:
        self._level = level
        self._root = config.rootpath
        self._workspace = Path(os.environ.get("GITHUB_WORKSPACE") or config.invocation_params.dir)
        self._noted: list[_Noted] = []

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note a task's item that did not pass."""
        if not report.failed or not is_from_a_task(report.nodeid):
            return
        crash = getattr(report.longrepr, "reprcrash", None)
        message = str(crash.message) if crash is not None else report.longreprtext
        place = _PLACE.match(message)
        what = "failed" if report.when == "call" else "infrastructure error" if hasattr(report, "netbench") else "error"
        self._noted.append(
            _Noted(
                title=f"{report.nodeid.rpartition('::')[2]}: {what}",
                message=message,
                file=self._file(report),
                line=int(place["line"]) if place and report.nodeid.startswith(place["path"]) else None,
            )
        )

    def _file(self, report: pytest.TestReport) -> str:
        """The item's file as GitHub knows it; nothing for a drawn task, and for a file outside the repository."""
        path = Path(os.path.normpath(self._root / report.location[0]))  # links are not followed
        inside = "::" in report.nodeid and path.is_relative_to(self._workspace)
        return str(path.relative_to(self._workspace)) if inside else ""

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print them; each is one line."""
        for one in self._noted[: workflow.MOST]:
            line = one.line or (1 if one.file else None)
            terminalreporter.write_line(
                clean(workflow.annotation(self._level, one.message, title=one.title, file=one.file, line=line))
            )
        if (more := len(self._noted) - workflow.MOST) > 0:
            message = f"{more} more items did not pass"
            terminalreporter.write_line(workflow.annotation("notice", message, title="netbench"))
