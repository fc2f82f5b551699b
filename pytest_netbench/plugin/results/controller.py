"""Results in the reporting process: heavy scores, report sections, JUnit properties, summary, merge.

Without xdist this is the only process; with xdist it is the controller.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

import pytest

from pytest_netbench.errors import ResultsError, UsageError
from pytest_netbench.plugin.items.failures import printable
from pytest_netbench.plugin.items.node_ids import is_from_a_task, name_in, source_of
from pytest_netbench.plugin.items.sealing import published
from pytest_netbench.plugin.results import refused
from pytest_netbench.plugin.settings import adversarial
from pytest_netbench.plugin.settings.run_options import label_of, run_of
from pytest_netbench.text import clean

if TYPE_CHECKING:
    from pytest_netbench.model.trial import TrialResult
    from pytest_netbench.plugin.selection.resume import Resumed
    from pytest_netbench.scorers.protocol import Scorer
    from pytest_netbench.trial import SelftestReport

WORKER = "controller"
PROPERTIES_INI = "netbench_junit_properties"


class Controller:
    """Processes every report before the terminal and JUnit do.

    Args:
        config: Of the run.
        scorer: Gives the scorer of a name, always the same one.
        resumed: The run that this one goes on with.
    """

    def __init__(
        self, config: pytest.Config, *, scorer: Callable[[str], Scorer], resumed: Resumed | None = None
    ) -> None:
        self._config = config
        self._run = run_of(config)
        self._resumed = resumed
        self._results: dict[str, TrialResult] = {one.node_id: one for one in resumed.kept()} if resumed else {}
        self._selftests: list[SelftestReport] = []
        self._trouble: list[str] = []
        self._store: Any = None
        self._scorer = scorer

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Complete the report of a trial."""
        payload = getattr(report, "netbench", None)
        if payload is not None and report.outcome != "rerun":  # type: ignore[comparison-overlap]
            if "selftest" in payload:
                from pytest_netbench.trial import SelftestReport  # imports pydantic

                self._selftests.append(SelftestReport.from_plain(payload["selftest"]))
            else:
                self._complete(report, payload)
        if report.when == "teardown":
            self._add_properties(report)

    @pytest.hookimpl(optionalhook=True, trylast=True)
    def pytest_handlecrashitem(self, crashitem: str, report: pytest.TestReport) -> None:
        """Report a dead worker as an error: it is not the agent's failure."""
        if not is_from_a_task(crashitem) or report.outcome != "failed":
            return
        report.when = "setup"
        result = self._crashed(crashitem, str(report.longrepr))
        if result is not None:
            report.netbench = {"result": result.model_dump(mode="json"), "record": None}  # type: ignore[attr-defined]
            self._keep(result)

    def _crashed(self, node_id: str, error: str) -> TrialResult | None:
        """The result of a trial whose worker died; None if ``node_id`` is a self-test."""
        from pytest_netbench.model.trial import AgentInfo  # imports pydantic
        from pytest_netbench.trial import error_result

        source = source_of(node_id, self._config)
        assert source is not None
        task, name = source.load(), name_in(node_id)
        for agent in self._run.agents:
            for number in range(1, self._run.trials + 1):
                if name == source.item_name(task, label_of(agent, number)):
                    info = AgentInfo(id=agent.id, strategy="")
                    result = error_result(task, info, error, node_id=node_id, number=number, started_at=time.time())
                    return published(result, source)
        return None

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Merge what the workers wrote, also after Ctrl-C."""
        self._remember_durations()
        if not self._run.results.is_dir() or self._run.selftest:
            return
        try:
            self._open().merge()
        except (ResultsError, UsageError) as error:
            self._trouble.append(str(error))
        if self._resumed is not None and session.exitstatus in {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED}:
            session.exitstatus = self._status_with_earlier(session.exitstatus)
        if self._trouble and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print scores per agent and domain, or the result of the self-test."""
        lines: list[str] = []
        if self._results:
            from pytest_netbench.reporting.terminal import summary_lines  # imports pydantic

            verbose = self._config.get_verbosity() > 0
            width = get_terminal_size().columns
            lines += summary_lines(list(self._results.values()), width=width, verbose=verbose)
            lines += refused.lines(self._results.values(), root=self._config.rootpath)
            draws = self._run.draws
            lines += adversarial.lines(draws.series, draws.known, list(self._results.values()), width=width)
            lines.append(f"results: {self._run.shown_results(self._config.rootpath)}")
            if self._resumed is not None:
                lines.append(f"resumed: {len(self._resumed.kept())} of its trials were done before")
        if self._selftests:
            from pytest_netbench.plugin.results.selftest_table import table

            lines += table(self._selftests)
        if lines:
            terminalreporter.write_sep("=", "netbench")
            for line in lines:
                terminalreporter.write_line(printable(line))
        for trouble in self._trouble:
            terminalreporter.write_line(f"netbench: {printable(trouble)}", red=True)

    def _status_with_earlier(self, status: int) -> int:
        """The status that the whole run would have had at once."""
        if not self._results:
            return status
        failed = any(one.status != "passed" for one in self._results.values())
        return pytest.ExitCode.TESTS_FAILED if failed else pytest.ExitCode.OK

    def _complete(self, report: pytest.TestReport, payload: dict[str, Any]) -> None:
        from pytest_netbench.model.trial import TrialResult  # imports pydantic
        from pytest_netbench.reporting.item import item_sections

        if not self._results:
            self._note_place()
        result = TrialResult.model_validate(payload["result"])
        if payload["record"] is not None:
            result = self._score(result, payload["record"])
        self._results[result.node_id] = result
        if self._resumed is not None and (changed := self._resumed.changed(result)):
            self._trouble = list(dict.fromkeys([*self._trouble, changed]))
        report.netbench = {"result": result.model_dump(mode="json"), "record": None}  # type: ignore[attr-defined]
        report.sections.extend((f"netbench {title}", printable(text)) for title, text in item_sections(result))
        self._config.hook.pytest_netbench_result(result=result)

    def _score(self, result: TrialResult, record: dict[str, Any]) -> TrialResult:
        from pytest_netbench.model.trial import TrialRecord  # imports pydantic
        from pytest_netbench.trial import heavy_scores

        heavy = heavy_scores(TrialRecord.model_validate(record), also=self._run.scorers, load=self._scorer)
        if not heavy:
            return result
        if result.sealed is not None:
            from pytest_netbench.results.sealed import stripped  # imports pydantic

            heavy = tuple(map(stripped, heavy))
        scored = result.model_copy(update={"scores": (*result.scores, *heavy)})
        # only the writer of the file knows that it exists
        self._keep(scored.model_copy(update={"transcript": None, "sealed": None}))
        return scored

    def _keep(self, result: TrialResult) -> None:
        try:
            self._open().append(result, None, worker=WORKER)
        except (ResultsError, UsageError) as error:
            self._trouble.append(str(error))

    def _add_properties(self, report: pytest.TestReport) -> None:
        result = self._results.get(clean(report.nodeid))
        if result is None or not self._config.getini(PROPERTIES_INI):
            return
        from pytest_netbench.reporting.junit import junit_properties  # imports pydantic

        report.user_properties.extend(junit_properties(result))

    def _note_place(self) -> None:
        from pytest_netbench.results.newest import note

        with contextlib.suppress(ResultsError):  # only commands without an argument need it
            note(self._run.results, root=self._config.rootpath)

    def _open(self) -> Any:
        from pytest_netbench.results.store import ResultsDir  # imports pydantic

        if self._store is None:
            self._store = ResultsDir.create(self._run.results)
        return self._store

    def _remember_durations(self) -> None:
        cache = getattr(self._config, "cache", None)
        measured = {name: one.duration_s for name, one in self._results.items() if one.status != "error"}
        if cache is not None and measured:
            cache.set(DURATIONS, {**cache.get(DURATIONS, {}), **measured})


DURATIONS = "netbench/durations"
