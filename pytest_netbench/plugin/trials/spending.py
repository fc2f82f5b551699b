"""The budget of a run: ``--netbench-max-cost``, ``--netbench-max-tokens`` and ``--netbench-max-time``."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import pytest

from pytest_netbench.agents import run_budget
from pytest_netbench.plugin.items.item import TaskItem
from pytest_netbench.plugin.settings.run_options import run_of
from pytest_netbench.results.opened import NOT_RUN

if TYPE_CHECKING:
    from pytest_netbench.agents.run_budget import RunBudget

WORKER_BUDGET: Final = "netbench_run_budget"
SPENT: Final = "spending.txt"


def is_wanted(config: pytest.Config) -> bool:
    """Whether the run has a budget."""
    option = config.option
    given = (option.netbench_max_cost, option.netbench_max_tokens, option.netbench_max_time)
    return any(one is not None for one in given)


class Spending:
    """Begins no trial once the budget is used up, and says in the end what was not run.

    Args:
        config: Of the run.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        workerinput: Mapping[str, Any] = getattr(config, "workerinput", {})
        option, path = config.option, run_of(config).results / SPENT
        shared = workerinput.get(WORKER_BUDGET) or {
            "begins": path.stat().st_size if path.exists() else 0,
            "started_at": time.time(),
        }
        self._shared: dict[str, Any] = dict(shared)
        self._run_budget: RunBudget = run_budget.RunBudget(
            path=path,
            most_cost_usd=option.netbench_max_cost,
            most_tokens=option.netbench_max_tokens,
            most_s=option.netbench_max_time,
            **self._shared,
        )
        self._not_run = 0
        self._used = run_budget.used(self._run_budget)
        self._used.__enter__()

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Let a worker spend from the same budget."""
        node.workerinput[WORKER_BUDGET] = self._shared

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Skip a trial for which nothing is left."""
        if not isinstance(item, TaskItem) or item.agent_choice is None or item.far is not None:
            return  # what runs elsewhere is asked for before it is sent
        if self._run_budget.closed() is not None:
            pytest.skip(NOT_RUN)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count what was not run."""
        if report.skipped and isinstance(report.longrepr, tuple) and NOT_RUN in report.longrepr[2]:
            self._not_run += 1

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """A run that is not complete is not green."""
        if self._not_run and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say what was spent, and what was not run."""
        spent = self._run_budget.spent()
        terminalreporter.write_line(f"netbench: the run spent {spent.cost_usd:.4g} USD and {spent.tokens} tokens")
        if self._not_run:
            run = run_of(self._config)
            terminalreporter.write_line(
                f"netbench: the budget of {self._run_budget.closed()} is used up: {self._not_run} trials were not run."
                f" Go on with --netbench-resume={run.shown_results(self._config.rootpath)}",
                red=True,
            )

    def pytest_unconfigure(self) -> None:
        """Leave nothing to another run in this process."""
        self._used.__exit__(None, None, None)
