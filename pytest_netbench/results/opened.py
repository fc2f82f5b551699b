"""Trials that have begun: a line beside the results, so that a run that is cut off says which it had not finished.

    {"open": "tasks/a.task.yaml::a[nop]", "trial": 1, "agent": "nop", "task_digest": …, "started_at": …}

A trial is open until a later result of it is stored, or a line says that it was not run after all (``closed``).
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from pydantic import Field

from pytest_netbench.model.base import Recorded
from pytest_netbench.model.trial import TrialResult
from pytest_netbench.results.files import append_line
from pytest_netbench.text import plain_json

KEY: Final = "open"
NOT_RUN: Final = "not run: the budget of the run is used up"
"""The reason of trials that a run left out although it could run them: they are not skipped, but missing."""


class OpenTrial(Recorded):
    """A trial that has begun. ``closed``: it was not run after all, for the ``reason`` that a skip gives."""

    node_id: str = Field(alias="open")
    trial: int
    agent: str
    task_digest: str
    started_at: str
    closed: bool = False
    reason: str = ""


def note(path: Path, trial: OpenTrial) -> None:
    """Append a line for ``trial`` to the results file at ``path``.

    Raises:
        ResultsError: It cannot be written.
    """
    # a trial that began just before its machine went down is run again like one that did not
    append_line(path, plain_json(trial.model_dump(mode="json", by_alias=True, exclude_defaults=True)), to_disk=False)


def read(line: bytes) -> OpenTrial | None:
    """Return the trial that a line of a results file says is open, or closed; ``None`` if it is another line.

    Raises:
        ValidationError: The line is one of a trial, and cannot be read.
    """
    if f'"{KEY}"'.encode() not in line:
        return None
    try:
        given: Any = json.loads(line)
    except ValueError:
        return None  # torn
    if not isinstance(given, dict) or KEY not in given:
        return None
    return OpenTrial.model_validate(given)


def without_result(begun: Iterable[OpenTrial], results: Iterable[TrialResult]) -> tuple[OpenTrial, ...]:
    """Return the last line on each trial that no later result has closed, sorted: it is open, or was not run."""
    latest: dict[tuple[str, int], OpenTrial] = {}
    for one in sorted(begun, key=lambda one: (one.started_at, one.closed)):
        latest[one.node_id, one.trial] = one
    for result in results:
        begun_trial = latest.get((result.node_id, result.trial))
        if begun_trial is not None and begun_trial.started_at <= result.started_at:
            del latest[result.node_id, result.trial]
    return tuple(latest[key] for key in sorted(latest))
