"""``--netbench-record`` and ``--netbench-replay``: what models answer is kept, or comes from what was kept."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from pytest_netbench.agents.cassettes import deck
from pytest_netbench.agents.cassettes.tapes import Recording, Replay
from pytest_netbench.errors import CassetteError, UsageError
from pytest_netbench.model.trial import Replayed
from pytest_netbench.plugin.item import DrawnItem, TaskItem
from pytest_netbench.results.cassettes import CassetteDir

if TYPE_CHECKING:
    from pytest_netbench.model.trial import TrialRecord, TrialResult

WORKER_CASSETTES: Final = "netbench_cassettes"


class Cassettes:
    """Gives each trial its tape, keeps what was recorded, and says in the end what was not.

    Args:
        config: Of the run.
    """

    def __init__(self, config: pytest.Config) -> None:
        workerinput: Mapping[str, Any] = getattr(config, "workerinput", {})
        option = config.option
        self._replays = option.netbench_replay is not None
        self._given: str = option.netbench_replay if self._replays else option.netbench_record
        where = workerinput.get(WORKER_CASSETTES) or str(Path(config.invocation_params.dir, self._given))
        self._folder = CassetteDir(Path(where))
        self._pace: float = 1.0 if option.netbench_replay_pace is None else option.netbench_replay_pace
        self._trials = 0
        self._errors = 0
        self._missed = 0
        deck.only_replays(replays=self._replays)

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tell a worker which directory it is."""
        node.workerinput[WORKER_CASSETTES] = str(self._folder.path)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Insert the tape of a trial, before its lab is deployed."""
        if isinstance(item, TaskItem) and item.task is not None and item.agent_choice is not None:
            deck.insert(None)
            deck.insert(self._replay(item) if self._replays else Recording())

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Generator[None]:  # noqa: ARG002  (a hook's names)
        """Take the tape out."""
        try:
            yield
        finally:
            deck.insert(None)

    @pytest.hookimpl
    def pytest_netbench_trial_finished(self, record: TrialRecord, result: TrialResult) -> None:
        """Keep what was recorded. A trial that could not be judged is not kept."""
        tape = deck.current()
        if not isinstance(tape, Recording):
            return
        cassette = tape.cassette(
            agent=result.agent.id,
            task=_task_id(result.node_id, None if result.drawn is None else result.drawn.id),
            task_digest=record.task_digest,
            trial=record.trial,
            out_of_time=record.submission.stop_reason == "budget: wall_s",
        )
        self._folder.save(cassette)

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
        deck.insert(None)
        deck.only_replays(replays=False)

    def _replay(self, item: TaskItem) -> Replay:
        assert item.task is not None
        assert item.agent_choice is not None
        drawn = item.task.drawn.id if isinstance(item, DrawnItem) and item.task.drawn is not None else None
        agent, task = item.agent_choice.id, _task_id(item.nodeid, drawn)
        cassette = self._folder.load(agent=agent, task=task, trial=item.number)
        path = self._folder.file(agent=agent, task=task, trial=item.number)
        shown = str(Path(self._given, path.relative_to(self._folder.path)))
        try:
            return Replay(cassette, where=shown, task_digest=item.task.digest, pace=self._pace)
        except ValueError as error:
            raise CassetteError(
                f"not a cassette: {error}; record it again with --netbench-record", path=shown
            ) from None


def checked(record: TrialRecord) -> TrialRecord:
    """Return the record of the trial that has just ended, with where its answers came from.

    Raises:
        CassetteMiss: The agent asked what its cassette does not have, and went on.
        UsageError: It asked no model through this package.
    """
    tape = deck.current()
    if not isinstance(tape, Recording | Replay):
        return record
    if isinstance(tape, Replay) and tape.missed is not None:
        raise tape.missed
    if not tape.requests and record.outcome == "done":
        raise UsageError(
            f"agent {record.agent.id} asked no model by pytest_netbench.agents.llm.Llm: nothing of it can be"
            " recorded or replayed; leave --netbench-record and --netbench-replay out, or let it ask by this class"
        )
    return record.model_copy(update={"replayed": replayed()})


def replayed() -> Replayed | None:
    """Where the answers of the trial under way come from, if they are recorded ones."""
    tape = deck.current()
    if not isinstance(tape, Replay):
        return None
    return Replayed(
        cassette=tape.where,
        recorded_at=tape.cassette.recorded_at,
        requests=tape.requests,
        recorded=len(tape.cassette.entries),
    )


def _task_id(node_id: str, drawn: str | None) -> str:
    return drawn or node_id.rpartition("[")[0]
