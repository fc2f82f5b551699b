"""The agent ``replay:DIR``: sends the requests of a recorded trial to a fresh lab, with no model at all."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from pytest_netbench.ani.protocol import Ani
from pytest_netbench.errors import AgentError, AniError, UsageError
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import AgentInfo, Submission, TrialRecord

PREFIX: Final = "replay:"
_BY_LOGIN: Final = "console"


class Replay:
    """Repeats what one agent did in each task. Of several trials at a task it repeats the first that was scored.

    Args:
        folder: The results directory of the run.
        agent: The agent whose trials are repeated; ``None`` if the run had only one.

    Raises:
        UsageError: There is no such directory, no result in it, or not exactly one agent is meant.
    """

    def __init__(self, folder: Path, agent: str | None = None) -> None:
        if not folder.is_dir():
            raise UsageError("no such results directory; give the --netbench-results of a run", path=folder)
        self._folder = folder
        known = sorted({one["agent"]["id"] for one in _results(folder)})
        if agent is None and len(known) == 1:
            (agent,) = known
        if agent is None or agent not in known:
            many = "has several agents; add @AGENT" if known else "is empty"
            asked = f"has no results of {agent!r}" if agent else many
            raise UsageError(f"{asked} (agents: {', '.join(known) or 'none'})", path=folder)
        self._agent = agent

    @property
    def info(self) -> AgentInfo:
        return AgentInfo(id=f"replay-{self._agent}", strategy="replay", settings={"of": self._agent})

    def run_informed(self, task: Task, ani: Ani) -> Submission:
        """Send the recorded requests in their order; whatever is refused again is passed over.

        Raises:
            AgentError: There is no record of this task, or it cannot be repeated.
            BudgetExhausted: Passed on.
        """
        record = self._record_of(task)
        for method, params in _requests(record):
            if method == _BY_LOGIN:
                raise AgentError(f"{self._agent} worked by SSH in this trial, which cannot be repeated")
            try:
                ani.call(method, params)
            except AniError:
                continue
        given = record.submission
        return Submission(reasoning=given.reasoning, answer=given.answer)

    def lack(self, task: Task, task_id: str) -> str | None:
        """Why there is nothing to repeat at a task; ``None`` if there is.

        Args:
            task: The task as it is now.
            task_id: Its id without the agent.
        """
        if task.digest in self._transcripts:
            return None
        digests = [
            one["task_digest"]
            for one in _results(self._folder)
            if one["agent"]["id"] == self._agent and one.get("node_id", "").rpartition("[")[0] == task_id
        ]
        if not digests:
            return f"no trial of {self._agent} in {self._folder}"
        if task.digest in digests:
            return f"no scored trial of {self._agent} with a transcript in {self._folder}"
        return f"recorded at digest {digests[0]}, now {task.digest}"

    @cached_property
    def _transcripts(self) -> Mapping[str, Path]:
        """By task digest: the record of the first trial that was scored."""
        scored = [one for one in _results(self._folder) if one["agent"]["id"] == self._agent and one["transcript"]]
        found: dict[str, Path] = {}
        for one in sorted(scored, key=lambda one: one["trial"]):
            if one["status"] != "error":
                found.setdefault(one["task_digest"], self._folder / one["transcript"])
        return found

    def _record_of(self, task: Task) -> TrialRecord:
        path = self._transcripts.get(task.digest)
        if path is None:
            raise AgentError(f"{self._folder} has no scored trial of {self._agent} at this task (digest {task.digest})")
        try:
            return TrialRecord.model_validate_json(path.read_bytes())
        except (OSError, ValidationError) as error:
            raise AgentError(f"{path}: the transcript cannot be read: {str(error).partition(chr(10))[0]}") from error


def folder_and_agent(spec: str) -> tuple[Path, str | None]:
    """``replay:DIR`` or ``replay:DIR@AGENT`` in two."""
    rest = spec.removeprefix(PREFIX)
    found = re.fullmatch(r"(.+)@([\w.+-]+)", rest)
    return (Path(found[1]), found[2]) if found and not Path(rest).is_dir() else (Path(rest), None)


def _requests(record: TrialRecord) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for step in record.trace:
        if step.kind == "ani":
            yield step.data["method"], step.data["params"]


def _results(folder: Path) -> Iterator[dict[str, Any]]:
    """The lines of all results files; torn ones are passed over."""
    for path in (folder / "results.jsonl", *sorted(folder.glob("results-*.jsonl"))):
        if not path.is_file():
            continue
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            try:
                one = json.loads(line)
                one["agent"]["id"], one["task_digest"], one["trial"], one["status"], one.setdefault("transcript", None)
            except (ValueError, KeyError, TypeError):
                continue
            yield one
