"""The HTML page of a run, written when it has ended."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from pytest_netbench.errors import NetbenchError
from pytest_netbench.plugin.items.failures import printable
from pytest_netbench.plugin.settings.run_options import run_of

if TYPE_CHECKING:
    from pytest_netbench.plugin.results.gate import Gate

INTERRUPTED: Final = "The run was interrupted: trials that had not ended by then are missing."


class Page:
    """Writes the page in the reporting process, whatever came of the run.

    Args:
        config: Of the run.
        gate: What compares the run with a baseline, if something does.

    Raises:
        pytest.UsageError: The page cannot be made.
    """

    def __init__(self, config: pytest.Config, *, gate: Gate | None = None) -> None:
        from pytest_netbench.reporting.page.writing import check  # imports pydantic

        self._config, self._gate = config, gate
        self._line = ""
        if config.option.netbench_selftest:
            raise pytest.UsageError("a self-test has no trials to show: leave --netbench-html out")
        try:
            check(self._path)
        except NetbenchError as error:
            raise pytest.UsageError(f"--netbench-html: {error}") from error

    @property
    def _path(self) -> Path:
        return Path(self._config.invocation_params.dir, self._config.option.netbench_html)

    @pytest.hookimpl(wrapper=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Generator[None]:
        """Write the page when results are merged and judged."""
        yield
        if self._config.option.collectonly:
            return
        try:
            self._line = self._write(cut_off=session.exitstatus == pytest.ExitCode.INTERRUPTED)
        except NetbenchError as error:
            self._line = f"no page: {error}"
            if session.exitstatus == pytest.ExitCode.OK:
                session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _write(self, *, cut_off: bool) -> str:
        from pytest_netbench.reporting.page.writing import write_page  # imports pydantic
        from pytest_netbench.results.store import ResultsDir

        folder = run_of(self._config).results
        results = ResultsDir(folder).results() if folder.is_dir() else ()
        if not results:
            return "no trial was run: no page"
        comparison = self._gate.comparison if self._gate else None
        write_page(
            self._path,
            results,
            ResultsDir(folder).record_of,
            comparison=comparison,
            note=INTERRUPTED if cut_off else "",
        )
        return f"page: {self._config.option.netbench_html}"

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say where the page is."""
        if self._line:
            terminalreporter.write_line(printable(self._line))
