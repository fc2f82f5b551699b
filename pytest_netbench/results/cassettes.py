"""A directory of cassettes: one file for each trial, ``<agent>/<task>.<trial>.json``, always whole."""

from __future__ import annotations

import json
import re
from pathlib import Path

from pydantic import ValidationError

from pytest_netbench.agents.cassettes.cassette import Cassette
from pytest_netbench.errors import CassetteError
from pytest_netbench.results.files import replace_file, safe_name

_AGENT = re.compile(r"[^\w.+@-]")


class CassetteDir:
    """Cassettes by agent, task and trial. Any number of processes may share it: each trial has a file of its own."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def check(self) -> None:
        """Refuse a directory without cassettes.

        Raises:
            CassetteError: There is no such directory, or nothing in it.
        """
        if not self.path.is_dir():
            raise CassetteError("no such directory of cassettes; record one with --netbench-record", path=self.path)
        if not any(self.path.glob("*/*.json")):
            raise CassetteError(
                "has no cassettes (AGENT/TASK.TRIAL.json); record some with --netbench-record", path=self.path
            )

    def file(self, *, agent: str, task: str, trial: int) -> Path:
        """Where the cassette of a trial is, or would be.

        Args:
            agent: The agent's id.
            task: The task's id, without the agent.
            trial: 1 for the first attempt, 2 for the second …
        """
        return self.path / _AGENT.sub("-", agent) / f"{safe_name(task)}.{trial}.json"

    def load(self, *, agent: str, task: str, trial: int) -> Cassette:
        """The cassette of a trial.

        Raises:
            CassetteError: There is none, or it cannot be used.
        """
        path = self.file(agent=agent, task=task, trial=trial)
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            raise CassetteError(
                f"no cassette of trial {trial} of agent {agent!r} at {task}; record it with"
                f" --netbench-record={self.path}",
                path=path,
            ) from None
        except OSError as error:
            raise CassetteError(f"the cassette cannot be read: {error.strerror}", path=path) from error
        try:
            cassette = Cassette.model_validate_json(data)
        except ValidationError as error:
            raise CassetteError(
                f"not a cassette: {_first(error)}; record it again with --netbench-record", path=path
            ) from None
        if (cassette.agent, cassette.task, cassette.trial) != (agent, task, trial):
            raise CassetteError(
                f"is of trial {cassette.trial} of agent {cassette.agent!r} at {cassette.task}, not of trial {trial} of"
                f" {agent!r} at {task}; record it again with --netbench-record",
                path=path,
            )
        return cassette

    def save(self, cassette: Cassette) -> Path:
        """Write a cassette in place of an earlier one; return its file.

        Raises:
            ResultsError: It cannot be written.
        """
        path = self.file(agent=cassette.agent, task=cassette.task, trial=cassette.trial)
        plain = cassette.model_dump(mode="json", exclude_defaults=True)
        replace_file(path, json.dumps(plain, ensure_ascii=False, indent=1) + "\n")
        return path


def _first(error: ValidationError) -> str:
    first = error.errors()[0]
    where = ".".join(str(step) for step in first["loc"])
    return f"{where + ': ' if where else ''}{first['msg']}"
