"""Recorded reference behaviour: what the network of a task does before and after its ground truth.

It is found by the digest of what determines it (``Task.reference_digest``), in a folder ``.reference`` near the task.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from pytest_netbench.errors import ResultsError, UsageError
from pytest_netbench.generators.variants.skins import behaviour_under
from pytest_netbench.lab.resources import DEFAULT
from pytest_netbench.model.behaviour import Behaviour
from pytest_netbench.model.task import Task
from pytest_netbench.results.recorded import RecordedFiles, versions_of
from pytest_netbench.text import plain_json

FOLDER = ".reference"
_LINES = ("tables", "flows", "unstable")


class ReferenceStore:
    """Recorded behaviours near a task.

    Args:
        files: Where they are.
        backend: What was recorded on this backend comes first; what was recorded on the default one applies on all.
    """

    def __init__(self, files: RecordedFiles, *, backend: str = DEFAULT) -> None:
        self._files = files
        self._mark = "" if backend == DEFAULT else f"@{backend}"

    @classmethod
    def around(cls, folder: Path, *, root: Path | None = None, backend: str = DEFAULT) -> ReferenceStore:
        """The behaviours in ``.reference`` of ``folder``, of its parents up to ``root``, and of the shipped tasks.

        Args:
            folder: The folder of the task file, or where a script runs.
            root: Where the search ends; by default, and if ``folder`` is not in it, in the folder itself.
            backend: As above.
        """
        return cls(RecordedFiles.around(FOLDER, folder, root=root), backend=backend)

    def load(self, task: Task) -> Behaviour | None:
        """What was recorded for the task as it is now; ``None`` if nothing was.

        A variant has the behaviour of its original, under its own names, addresses and numbers.

        Raises:
            ResultsError: There is a file, and it cannot be read.
        """
        path = self.path(task)
        if path is None:
            return None
        behaviour = _read(path)
        variant, digest = task.variant, task.reference_digest
        if variant is not None and digest is not None and behaviour.digest == variant.reference_digest:
            return behaviour_under(variant.skin, behaviour, digest)
        if behaviour.digest != digest:
            raise ResultsError(f"{path}: holds the behaviour of digest {behaviour.digest}; its name says another")
        return behaviour

    def path(self, task: Task) -> Path | None:
        """The file with the recorded behaviour of the task as it is now, or of the original of a variant."""
        return self.own_path(task) or self._found(task, "")

    def _found(self, task: Task, mark: str) -> Path | None:
        digests = (task.reference_digest, None if task.variant is None else task.variant.reference_digest)
        found = (self._files.find(f"{digest}{mark}") for digest in digests if digest is not None)
        return next((path for path in found if path is not None), None)

    def own_path(self, task: Task) -> Path | None:
        """The file with what was recorded for the task as it is now, or the original of a variant, on this backend."""
        return self._found(task, self._mark)

    def outdated(self, task: Task) -> Path | None:
        """A file that was recorded when the task was different, if there is none for the task as it is now."""
        return None if self.path(task) is not None else self._files.named(task.slug)

    def save(self, task: Task, behaviour: Behaviour) -> Path:
        """Record the behaviour of a task; returns the file. One that differs only in its versions is left alone.

        Raises:
            ResultsError: It cannot be written.
            UsageError: No behaviour is recorded for tasks of this family.
        """
        digest = task.reference_digest
        if digest is None:
            raise UsageError(f"task {task.slug} of family {task.family!r} has no reference behaviour to record")
        stamped = behaviour.model_copy(update={"versions": versions_of(task)})
        path = self._files.find(f"{digest}{self._mark}")
        if path is not None and _same(path, stamped):
            return path
        return self._files.write(task.slug, f"{digest}{self._mark}", text_of(stamped), what="reference behaviour")


def is_held(task: Task) -> bool:
    """Whether a testcase of ``task`` compares with its reference behaviour."""
    return any(one.kind == "reference" for one in getattr(task.payload, "testcases", ()))


def lack_of(task: Task, store: ReferenceStore, path: Path) -> str | None:
    """What is wrong if a testcase of ``task``, whose file is ``path``, needs a record and there is none."""
    if not is_held(task) or store.path(task) is not None:
        return None
    outdated = store.outdated(task)
    if outdated is None:
        what = "no reference behaviour is recorded for this task"
    else:
        what = (
            f"the recorded reference behaviour {outdated.name} is outdated: the network, its configs, the ground truth,"
            " the events or the drawing of flows changed"
        )
    return f"{what}; record it: netbench record {path}"


def text_of(behaviour: Behaviour) -> str:
    """JSON with one line for each flow and each routing table."""
    fields: Mapping[str, Any] = behaviour.model_dump(mode="json")
    entries = (f' "{name}": {_value(name, value)}' for name, value in fields.items())
    return "{\n" + ",\n".join(entries) + "\n}\n"


def _value(name: str, value: Any) -> str:
    return _listing(value) if name in _LINES and value else plain_json(value)


def _listing(values: Iterable[Any]) -> str:
    return "[\n" + ",\n".join(f"  {json.dumps(one, separators=(',', ':'))}" for one in values) + "\n ]"


def _read(path: Path) -> Behaviour:
    try:
        return Behaviour.model_validate_json(path.read_text(encoding="utf-8"))
    except (OSError, ValidationError, UnicodeDecodeError) as error:
        words = error.strerror if isinstance(error, OSError) else str(error).partition("\n")[0]
        raise ResultsError(
            f"{path}: not a recorded reference behaviour ({words}); record it again: netbench record TASK_FILE"
        ) from error


def _same(path: Path, behaviour: Behaviour) -> bool:
    try:
        recorded = _read(path)
    except ResultsError:
        return False  # recording it again repairs it
    return recorded.model_copy(update={"versions": behaviour.versions}) == behaviour
