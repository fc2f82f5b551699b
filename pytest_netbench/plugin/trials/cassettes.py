"""``--netbench-record`` and ``--netbench-replay``: what models answer is kept, or comes from what was kept."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from pytest_netbench.agents.cassettes import active_cassette
from pytest_netbench.agents.cassettes.tapes import NoTrial
from pytest_netbench.plugin.items.item import TaskItem
from pytest_netbench.trial.cassettes import CassetteSpec

if TYPE_CHECKING:
    from pytest_netbench.model.trial import TrialResult

WORKER_CASSETTES: Final = "netbench_cassettes"
CASSETTE: Final = pytest.StashKey[CassetteSpec]()


class Cassettes:
    """Says which cassette trials have, and in the end what was recorded or replayed.

    Args:
        config: Of the run.
    """

    def __init__(self, config: pytest.Config) -> None:
        workerinput: Mapping[str, Any] = getattr(config, "workerinput", {})
        option = config.option
        self._replays = option.netbench_replay is not None
        self._given: str = option.netbench_replay if self._replays else option.netbench_record
        self._spec = config.stash[CASSETTE] = CassetteSpec(
            mode="replay" if self._replays else "record",
            folder=workerinput.get(WORKER_CASSETTES) or str(Path(config.invocation_params.dir, self._given)),
            shown=self._given,
            pace=1.0 if option.netbench_replay_pace is None else option.netbench_replay_pace,
        )
        self._trials = 0
        self._errors = 0
        self._missed = 0
        self._used, self._used_by_trial = ExitStack(), ExitStack()
        # what is asked outside trials, or from threads of an agent in this process, which do not inherit a context
        self._between_trials = NoTrial() if self._replays else None
        self._used.enter_context(active_cassette.used(self._between_trials))
        active_cassette.use_in_process(self._between_trials)

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tell a worker which directory it is."""
        node.workerinput[WORKER_CASSETTES] = self._spec.folder

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Open the cassette of a trial, before its lab is deployed."""
        if isinstance(item, TaskItem) and item.far is not None:
            return  # it has come back from where it ran
        if isinstance(item, TaskItem) and item.task is not None and item.agent_choice is not None:
            self._used_by_trial.close()
            item.tape = None
            item.tape = self._spec.tape(item.task, agent=item.agent_choice.id, node_id=item.nodeid, number=item.number)
            self._used_by_trial.enter_context(active_cassette.used(item.tape))
            active_cassette.use_in_process(item.tape)
            self._used_by_trial.callback(active_cassette.use_in_process, self._between_trials)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Generator[None]:  # a hook's names
        """Close it."""
        try:
            yield
        finally:
            self._used_by_trial.close()

    @pytest.hookimpl
    def pytest_netbench_result(self, result: TrialResult) -> None:
        """Count what was recorded or replayed."""
        self._trials += result.status != "error"
        self._errors += result.status == "error"
        self._missed += result.status == "error" and (result.error or "").startswith(
            ("CassetteMiss:", "CassetteError:")
        )

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """A run whose cassettes do not fit is not green, whatever a gate says of the rest."""
        if self._missed and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say what was recorded or replayed, and what was not."""
        if not self._trials + self._errors:
            return
        if self._replays:
            line = (
                f"netbench: {self._trials} trials replayed from {self._given}: usage is that of the recording, no model"
                " was asked and nothing was spent"
            )
            lost = f"netbench: {self._missed} trials do not fit their cassettes and were not scored: record them again"
            terminalreporter.write_line(line)
            if self._missed:
                terminalreporter.write_line(f"{lost} with --netbench-record={self._given}", red=True)
        else:
            terminalreporter.write_line(f"netbench: {self._trials} trials recorded in {self._given}")
            if self._errors:
                lost = f"netbench: {self._errors} trials ended in an error and were not recorded"
                terminalreporter.write_line(lost, red=True)

    def pytest_unconfigure(self) -> None:
        """Leave nothing to another run in this process."""
        self._used_by_trial.close()
        self._used.close()
        active_cassette.use_in_process(None)
