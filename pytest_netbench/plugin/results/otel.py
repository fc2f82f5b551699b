"""The spans of a run for OpenTelemetry, made from its transcripts when it has ended."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from pytest_netbench.errors import NetbenchError
from pytest_netbench.plugin.items.failures import printable
from pytest_netbench.plugin.settings.run_options import run_of


class Spans:
    """Exports them in the reporting process. What a collector does never changes the outcome of the run.

    Args:
        config: Of the run.

    Raises:
        pytest.UsageError: They cannot be exported; known before the run.
    """

    def __init__(self, config: pytest.Config) -> None:
        from pytest_netbench.exports.otlp import check  # imports pydantic

        self._config = config
        self._target: str = config.option.netbench_otel
        self._folder = Path(config.invocation_params.dir)
        self._line = ""
        self._failed = False
        if config.option.netbench_selftest:
            raise pytest.UsageError("a self-test has no trials: leave --netbench-otel out")
        try:
            check(self._target, folder=self._folder)
        except NetbenchError as error:
            raise pytest.UsageError(f"--netbench-otel: {error}") from error

    @pytest.hookimpl(wrapper=True)
    def pytest_sessionfinish(self) -> Generator[None]:
        """Export when results are merged."""
        yield
        if self._config.option.collectonly:
            return
        try:
            self._line = self._export()
        except NetbenchError as error:
            self._line, self._failed = f"warning: {error}", True

    def _export(self) -> str:
        from pytest_netbench.exports.otlp import export  # imports pydantic
        from pytest_netbench.results.store import ResultsDir

        folder = run_of(self._config).results
        results = ResultsDir(folder).results() if folder.is_dir() else ()
        if not results:
            return "no trial was run: no spans"
        content = self._config.option.netbench_otel_content
        record_of = ResultsDir(folder).record_of
        return export(results, record_of, self._target, folder=self._folder, content=content)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say what was exported, or why not."""
        if self._line:
            terminalreporter.write_line(printable(self._line), yellow=self._failed)
