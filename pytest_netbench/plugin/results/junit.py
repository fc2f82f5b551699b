"""The gate in pytest's JUnit file, once pytest has written it."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_netbench.plugin.items.node_ids import is_from_a_task
from pytest_netbench.plugin.results.controller import PROPERTIES_INI

if TYPE_CHECKING:
    from pytest_netbench.plugin.results.gate import Gate


class JUnit:
    """Adds the gate to the file of ``--junit-xml``.

    Args:
        config: Of the run.
        gate: What judges the run.
    """

    def __init__(self, config: pytest.Config, *, gate: Gate) -> None:
        self._config, self._gate = config, gate
        given = config.getoption("--junit-xml", None)
        self._path = Path(config.invocation_params.dir, given) if given else None

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Mark the test case of a trial."""
        if self._path is None or report.when != "teardown" or not is_from_a_task(report.nodeid):
            return
        status = self._gate.status_of(report.nodeid)
        if status is not None:
            from pytest_netbench.regression_gate.testcase import MARK  # imports pydantic

            report.user_properties.append((MARK, status))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self) -> Generator[None, object, object]:
        """Rewrite the file after all others have ended."""
        result = yield
        if self._path is None or not self._path.is_file():
            return result
        from xml.etree.ElementTree import ParseError

        from pytest_netbench.regression_gate.testcase import with_verdict  # imports pydantic

        properties = bool(self._config.getini(PROPERTIES_INI))
        try:
            text = with_verdict(
                self._path.read_text(encoding="utf-8"),
                self._gate.judgement,
                properties=properties,
                otherwise="; ".join(self._gate.lines),
            )
            self._path.write_text(text, encoding="utf-8")
        except (OSError, ParseError) as error:
            reporter: Any = self._config.pluginmanager.get_plugin("terminalreporter")
            if reporter is not None:
                reporter.write_line(f"netbench: {self._path}: the gate is not in it: {error}", red=True)
        return result
