"""The gate of a run: results are compared with a baseline at the end, and the exit status says what came out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from pytest_netbench import workflow
from pytest_netbench.errors import InputError, ResultsError
from pytest_netbench.plugin.items.failures import printable
from pytest_netbench.plugin.items.node_ids import is_from_a_task, task_id, trial_of
from pytest_netbench.plugin.settings.run_options import label_of, run_of
from pytest_netbench.plugin.settings.series_ids import drawn_id
from pytest_netbench.text import clean

if TYPE_CHECKING:
    from pytest_netbench.model.trial import TrialResult
    from pytest_netbench.plugin.settings.run_options import Run
    from pytest_netbench.regression_gate.judging import Judgement
    from pytest_netbench.reporting.page.overview import Comparison

GATE_FAILED: Final = 10
NOT_JUDGED: Final = 11
POLICY_INI: Final = "netbench_policy"
_JUDGED: Final = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)


def is_wanted(config: pytest.Config) -> bool:
    """Whether the run is compared, or kept to be compared with."""
    option = config.option
    given = (option.netbench_baseline, option.netbench_save_baseline, option.netbench_policy, option.netbench_markdown)
    return any(given)


def _lack_of(results: Path) -> str | None:
    """Why the results of a run that was gone on with are still those of a part; ``None`` if they are not."""
    from pytest_netbench.results.merged import lack_of  # imports pydantic

    try:
        return lack_of(results)
    except ResultsError as error:
        return str(error)


def planned_trials(run: Run, node_ids: Iterable[str]) -> Mapping[tuple[str, str], int]:
    """How many trials a run has, by id of the task and of the agent."""
    agents = {label_of(agent, number): agent.id for agent in run.agents for number in range(1, run.trials + 1)}
    tasks = [name for name in node_ids if is_from_a_task(name) and trial_of(name) in agents]
    return Counter((_task_of(name), agents[trial_of(name)]) for name in tasks)


def _task_of(node_id: str) -> str:
    """The id of the task as results have it: that of a draw with its label."""
    drawn = drawn_id(node_id)
    return task_id(node_id) if drawn is None else f"{task_id(node_id)[:-1]}-{drawn.label}]"


class Gate:
    """Judges the run in the reporting process.

    Args:
        config: Of the run.
        earlier: Results of the run that this one goes on with.

    Attributes:
        judgement: What came out, once the run has been judged; ``None`` if it is not judged.
        lines: What is printed at the end.

    Raises:
        pytest.UsageError: The baseline or the policy cannot be used, or a file cannot be written.
    """

    def __init__(self, config: pytest.Config, *, earlier: Iterable[TrialResult] = ()) -> None:
        self._config = config
        self._results = {(one.node_id, one.trial): one for one in earlier}
        self._other_failed = self._told = False
        self.judgement: Judgement | None = None
        self.lines: list[str] = []
        self._sized = False
        self._statuses: dict[str, str] = {}
        try:
            self._baseline, self._policy = self._inputs()
        except InputError as error:
            raise pytest.UsageError(str(error)) from error

    def _inputs(self) -> tuple[Any, Any]:
        from pytest_netbench.regression_gate.baseline import load_baseline  # imports pydantic
        from pytest_netbench.regression_gate.policy import Policy, load_policy

        option = self._config.option
        if option.netbench_selftest:
            raise pytest.UsageError("a self-test has no trials to compare: leave the options of the gate out")
        if option.netbench_markdown and not option.netbench_baseline:
            raise pytest.UsageError("--netbench-markdown writes verdicts: give --netbench-baseline FILE, too")
        given = option.netbench_policy
        where = self._path(given) if given else self._from_ini()
        if given and not option.netbench_baseline:
            raise pytest.UsageError("--netbench-policy says how to compare: give --netbench-baseline FILE, too")
        for name in ("netbench_save_baseline", "netbench_markdown"):
            path = getattr(option, name)
            if path and not self._path(path).parent.is_dir():
                raise pytest.UsageError(f"--{name.replace('_', '-')}={path}: there is no such folder")
        policy = Policy() if where is None else load_policy(where)
        baseline = load_baseline(self._path(option.netbench_baseline)) if option.netbench_baseline else None
        return baseline, policy

    def _from_ini(self) -> Path | None:
        name = self._config.getini(POLICY_INI)
        return self._config.rootpath / name if name else None

    def _path(self, name: str) -> Path:
        return Path(self._config.invocation_params.dir, name)

    def pytest_report_collectionfinish(self, items: Sequence[pytest.Item]) -> list[str]:
        """Say before the first lab if the run is too small, in a run of one process."""
        return self._too_small([item.nodeid for item in items])

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: Any, ids: Sequence[str]) -> None:
        """Say it once in a run with workers."""
        reporter: Any = self._config.pluginmanager.get_plugin("terminalreporter")
        lines = self._too_small(ids)
        if reporter is not None and lines:
            reporter.ensure_newline()
            for line in lines:
                reporter.write_line(line)

    def _too_small(self, node_ids: Sequence[str]) -> list[str]:
        if self._baseline is None or self._sized:
            return []
        self._sized = True
        from pytest_netbench.regression_gate.sizing import too_small  # imports pydantic

        planned = planned_trials(run_of(self._config), {*node_ids, *(node_id for node_id, _ in self._results)})
        return [f"netbench gate: {printable(one)}" for one in too_small(self._baseline.results, planned, self._policy)]

    @pytest.hookimpl
    def pytest_netbench_result(self, result: TrialResult) -> None:
        """Keep a result."""
        self._results[result.node_id, result.trial] = result
        self._statuses[result.node_id] = result.status
        self._told = True

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note what failed that is no trial."""
        of_a_trial, self._told = self._told, False  # a result is told right before the report that it is on
        if report.failed and not of_a_trial:
            self._other_failed = True

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Judge, save, and set the exit status."""
        refused = bool(run_of(self._config).refused)
        judged = (*_JUDGED, pytest.ExitCode.NO_TESTS_COLLECTED) if refused else _JUDGED
        if session.exitstatus not in judged or session.shouldfail or session.shouldstop:
            self.lines.append("the run did not end by itself: neither judged nor saved")
            self.lines += [one.message for one in run_of(self._config).refused]
            return
        if session.config.option.collectonly or not (self._results or refused):
            self.lines.append("no trial was run: neither judged nor saved")
            return
        lack = _lack_of(run_of(self._config).results)
        if lack is not None:
            self.lines.append(f"neither judged nor saved: {lack}")
            session.exitstatus = GATE_FAILED if self._baseline is not None else pytest.ExitCode.TESTS_FAILED
            return
        if self._baseline is not None:
            session.exitstatus = self._judge()
        try:
            self._write()
        except (InputError, ResultsError) as error:
            self.lines.append(str(error))
            if session.exitstatus == pytest.ExitCode.OK:
                session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _judge(self) -> int:
        from pytest_netbench.regression_gate.judging import judge_run  # imports pydantic
        from pytest_netbench.regression_gate.starting import with_refused
        from pytest_netbench.regression_gate.wording import lines

        found = judge_run(list(self._results.values()), self._baseline.results, self._policy)
        found = self.judgement = with_refused(found, {one.id: one.message for one in run_of(self._config).refused})
        self.lines += lines(found)
        if found.outcome == "not judged":
            return NOT_JUDGED
        if found.outcome == "failed":
            return GATE_FAILED
        # trials may fail as often as the policy accepts; other tests may not
        return pytest.ExitCode.TESTS_FAILED if self._other_failed else pytest.ExitCode.OK

    def _write(self) -> None:
        from pytest_netbench.regression_gate.baseline import save_baseline  # imports pydantic
        from pytest_netbench.regression_gate.sizing import blind
        from pytest_netbench.regression_gate.wording import markdown
        from pytest_netbench.results.files import append_line

        option = self._config.option
        if option.netbench_save_baseline and self._results:
            path = self._path(option.netbench_save_baseline)
            count = save_baseline(path, list(self._results.values()))
            self.lines.append(f"baseline of {count} trials: {option.netbench_save_baseline}")
            self.lines += blind(list(self._results.values()))
        if option.netbench_markdown and self.judgement is not None:
            append_line(self._path(option.netbench_markdown), markdown(self.judgement))

    def status_of(self, node_id: str) -> str | None:
        """The status of a trial that has ended; ``None`` if it has none."""
        name = clean(node_id)
        return self._statuses.get(name)

    @property
    def comparison(self) -> Comparison | None:
        """For the page: what came out, once the run has been judged."""
        if self.judgement is None:
            return None
        from pytest_netbench.regression_gate.wording import HEADLINES, entries  # imports pydantic

        return HEADLINES[self.judgement.outcome], tuple(entries(self.judgement))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the verdicts with their reasons."""
        terminalreporter.write_sep("=", "netbench gate")
        for line in self.lines:
            terminalreporter.write_line(printable(line))
        if self.judgement is not None and workflow.read_by_github():
            from pytest_netbench.regression_gate.wording import workflow_commands  # imports pydantic

            for line in islice(workflow_commands(self.judgement), workflow.MOST):
                terminalreporter.write_line(clean(line))
