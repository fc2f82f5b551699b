"""Packing of task files for a sealed bundle, with what lies near them: records, solutions, the manifest of a set."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path

from pytest_netbench.errors import UsageError
from pytest_netbench.generators.sealed import unpacked
from pytest_netbench.model.task import Task
from pytest_netbench.results import reference, truth
from pytest_netbench.sealing.bundle import Packed
from pytest_netbench.taskfile import load_task
from pytest_netbench.taskfile.clab_topology import named_file
from pytest_netbench.taskfile.frozen import MANIFEST
from pytest_netbench.taskfile.solutions import solutions_path


def pack(
    paths: Iterable[Path], *, root: Path, stem: str, warn: Callable[[str], None] = lambda _: None
) -> dict[str, Packed]:
    """The files of tasks, by the names that everybody may see.

    A task has the name of its slug. One that was drawn has a number instead, because its slug tells the draw.

    Args:
        paths: Task files.
        root: Where the search for records ends.
        stem: Of the names of drawn tasks.
        warn: Is told of a recorded ground truth that does not fit its task and is left out.

    Raises:
        InputError: One cannot be used, lacks its recorded behaviour, or two have the same name.
    """
    packed: dict[str, Packed] = {}
    taken: dict[str, Path] = {}
    for number, path in enumerate(paths, start=1):
        task = load_task(path)
        name = task.slug if task.drawn is None else f"{_slug(stem)}-{number:04}"
        if name in packed:
            raise UsageError(f"{taken[name]} and {path} are both called {name!r}: give one another slug")
        packed[name], taken[name] = _packed(path, task, root), path
        outdated = truth.TruthStore.around(path.absolute().parent, root=root).outdated(task)
        if outdated is not None:
            warn(
                f"warning: {path}: the recorded ground truth {outdated.name} is of an earlier state of the task and is"
                f" not sealed with it; record it again: pytest {path} --netbench-selftest"
            )
    return packed


def _packed(path: Path, task: Task, root: Path) -> Packed:
    folder = path.absolute().parent
    behaviours = reference.ReferenceStore.around(folder, root=root)
    lack = reference.lack_of(task, behaviours, path)
    if lack is not None:
        raise UsageError(lack, path=path)
    within = folder.name
    files = {f"{within}/{path.name}": path}
    if (named := named_file(path)) is not None:
        files[f"{within}/{named}"] = folder / named
    recorded = solutions_path(path, task.slug)
    if recorded.is_file():
        files[f"{within}/{recorded.parent.name}/{recorded.name}"] = recorded
    if (folder / MANIFEST).is_file():
        files[f"{within}/{MANIFEST}"] = folder / MANIFEST
    for name, found in (
        (truth.FOLDER, truth.TruthStore.around(folder, root=root).path(task)),
        (reference.FOLDER, behaviours.path(task)),
    ):
        if found is not None:
            files[f"{name}/{found.name}"] = found
    packed = Packed(task=f"{within}/{path.name}", files={name: _text(one) for name, one in files.items()})
    if unpacked(packed).digest != task.digest:
        raise UsageError("would be another task when unpacked: give it a `slug` and a `domain`", path=path)
    return packed


def _text(path: Path) -> str:
    return path.read_bytes().decode("utf-8-sig")


def _slug(stem: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", stem.lower()).strip("-") or "task"
