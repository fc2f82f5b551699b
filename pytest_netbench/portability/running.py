"""Compares two backends at work after work, and keeps what was found, so that an interrupted comparison goes on."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from pytest_netbench.errors import RequirementMissing
from pytest_netbench.lab.request import request_of
from pytest_netbench.lab.resources import backend_of, by_kind
from pytest_netbench.model.behaviour import Behaviour
from pytest_netbench.model.task import Task
from pytest_netbench.portability.comparing import differences
from pytest_netbench.portability.portrait import Comparison, Portrait
from pytest_netbench.portability.working import Work, portray
from pytest_netbench.trial.settings import Settings

FOLDER: Final = Path(".netbench/portability")
"""Where comparisons are kept by default."""

Progress = Callable[[str], object]


@dataclass(frozen=True, kw_only=True)
class Comparer:
    """Compares two backends.

    Args:
        first: How stages are set up on the one.
        second: And on the other.
        progress: Is told what is done now.
    """

    first: Settings
    second: Settings
    progress: Progress = field(default=lambda _: None)

    def compare(self, task: Task, work: Work, behaviour: Behaviour | None) -> Comparison:
        """Do the same work on both. What differs is looked at once more, on two fresh labs.

        Nothing is deployed if one of them cannot run the task.

        Raises:
            LabError: A lab broke.
        """
        first, second = (_unable(task, settings) for settings in (self.first, self.second))
        if first.lack is None and second.lack is None:
            first, second = self._both(task, work, behaviour, "")
        found = differences(first, second)
        passing = found
        if found:
            first, second = self._both(task, work, behaviour, "once more, ")
            once = {(one.kind, one.where) for one in found}
            found = tuple(one for one in differences(first, second) if (one.kind, one.where) in once)
            again = {(one.kind, one.where) for one in found}
            passing = tuple(one for one in passing if (one.kind, one.where) not in again)
        return Comparison(
            task=task.slug,
            digest=task.digest,
            work=work.name,
            first=first,
            second=second,
            differences=found,
            passing=passing,
            ended_at=datetime.now(UTC).isoformat(timespec="seconds"),
        )

    def _both(self, task: Task, work: Work, behaviour: Behaviour | None, when: str) -> tuple[Portrait, Portrait]:
        """The portraits; an empty one of the second if there is none of the first."""
        one, other = (by_kind(settings.backend)["lab"] for settings in (self.first, self.second))
        self.progress(f"{work.name}: {when}on {one}")
        first = portray(task, work, self.first, behaviour=behaviour)
        if first.lack is not None:
            return first, Portrait(backend=other)
        self.progress(f"{work.name}: {when}on {other}")
        return first, portray(task, work, self.second, behaviour=behaviour)


class Kept:
    """The folder of comparisons.

    Args:
        folder: It is made when something is kept.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def load(self, task: Task, work: Work, first: str, second: str) -> Comparison | None:
        """What was found for a task as it is now; ``None`` if nothing was, or it cannot be read."""
        return _read(self._path(task.slug, task.digest, work.name, first, second))

    def save(self, found: Comparison, first: str, second: str) -> None:
        """Keep what was found. A file is there as a whole or not at all."""
        path = self._path(found.task, found.digest, found.work, first, second)
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_suffix(".draft")
        draft.write_text(found.model_dump_json(indent=1), encoding="utf-8")
        draft.rename(path)

    def all(self) -> Iterator[Comparison]:
        """What is kept, by task: of each work the newest comparison, as a task may have changed."""
        newest: dict[tuple[str, str, str], Comparison] = {}
        for path in sorted(self._folder.glob("*/*/*.json")):
            if (found := _read(path)) is not None:
                key = path.parents[1].name, found.task, found.work
                if key not in newest or newest[key].ended_at <= found.ended_at:
                    newest[key] = found
        yield from newest.values()

    def _path(self, slug: str, digest: str, work: str, first: str, second: str) -> Path:
        name = re.sub(r"[^a-z0-9]+", "-", work.lower()).strip("-")
        return self._folder / f"{first}-{second}" / f"{slug}-{digest[:16]}" / f"{name}.json"


def _unable(task: Task, settings: Settings) -> Portrait:
    """A portrait without a network: it says what a backend lacks for a task, if anything."""
    lack = backend_of("lab", settings.backend).lacks(request_of(task))
    return Portrait(
        backend=by_kind(settings.backend)["lab"], lack=None if lack is None else str(RequirementMissing(*lack))
    )


def _read(path: Path) -> Comparison | None:
    try:
        return Comparison.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return None
