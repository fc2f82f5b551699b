"""The cassette of a trial: which one, as plain data, and what comes from it or is kept in it."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field

from pytest_netbench.agents.cassettes.cassette import Cassette
from pytest_netbench.agents.cassettes.tapes import Recording, Replay
from pytest_netbench.errors import CassetteError, UsageError
from pytest_netbench.model.base import Model
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import TrialRecord
from pytest_netbench.results.cassettes import CassetteDir


class CassetteSpec(Model):
    """Where what a model answers in a trial is kept, or comes from."""

    mode: Literal["record", "replay"] = Field(
        description="keep what the model answers, or ask none and use what was kept"
    )
    folder: str = Field(description="the directory of cassettes")
    shown: str | None = Field(None, description="what messages and results call it; by default `folder`")
    pace: float = Field(1.0, ge=0, description="how long a replayed answer takes, in multiples of what the model took")

    def tape(self, task: Task, *, agent: str, node_id: str, number: int) -> Recording | Replay:
        """Return a new tape for a trial.

        Args:
            task: Its task.
            agent: The agent's id.
            node_id: Name of the trial in results.
            number: 1 for the first attempt, 2 for the second …

        Raises:
            CassetteError: There is no cassette to replay, or it cannot be used.
        """
        if self.mode == "record":
            return Recording()
        name = _task_id(task, node_id)
        return self.replay(CassetteDir(Path(self.folder)).load(agent=agent, task=name, trial=number), task)

    def replay(self, cassette: Cassette, task: Task) -> Replay:
        """Return a new tape of a cassette that is loaded.

        Raises:
            CassetteError: It cannot be used.
        """
        directory = CassetteDir(Path(self.folder))
        path = directory.file(agent=cassette.agent, task=cassette.task, trial=cassette.trial)
        shown = str(Path(self.shown or self.folder, path.relative_to(directory.path)))
        try:
            return Replay(cassette, where=shown, task_digest=task.digest, pace=self.pace)
        except ValueError as error:
            raise CassetteError(
                f"not a cassette: {error}; record it again with --netbench-record", path=shown
            ) from None

    def keep(self, tape: Recording | Replay, record: TrialRecord) -> None:
        """Write what was recorded in a trial that has been judged.

        Raises:
            ResultsError: It cannot be written.
        """
        if isinstance(tape, Recording):
            self.save(recorded(tape, record))

    def save(self, cassette: Cassette) -> None:
        """Write a cassette.

        Raises:
            ResultsError: It cannot be written.
        """
        CassetteDir(Path(self.folder)).save(cassette)


def recorded(tape: Recording, record: TrialRecord) -> Cassette:
    """The cassette of a trial that has been judged."""
    return tape.cassette(
        agent=record.agent.id,
        task=_task_id(record.task, record.node_id),
        task_digest=record.task_digest,
        trial=record.trial,
        out_of_time=record.submission.stop_reason == "budget: wall_s",
    )


def checked(record: TrialRecord, tape: Recording | Replay | None) -> TrialRecord:
    """Return the record of a trial, with where its answers came from.

    Raises:
        CassetteMiss: The agent asked what its cassette does not have, and went on.
        UsageError: It asked no model through this package.
    """
    if tape is None:
        return record
    if isinstance(tape, Replay) and tape.missed is not None:
        raise tape.missed
    if not tape.requests and record.outcome == "done":
        raise UsageError(
            f"agent {record.agent.id} asked no model by pytest_netbench.agents.llm.Llm: nothing of it can be"
            " recorded or replayed; leave --netbench-record and --netbench-replay out, or let it ask by this class"
        )
    return record.model_copy(update={"replayed": tape.replayed})


def _task_id(task: Task, node_id: str) -> str:
    """The id of a task in cassettes. A node id ends with the agent, in brackets."""
    return (node_id.rpartition("[")[0] or node_id) if task.drawn is None else task.drawn.id
