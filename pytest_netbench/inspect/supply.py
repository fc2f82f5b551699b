"""The tasks of an evaluation: files, the shipped ones, or draws."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

from pytest_netbench.errors import UsageError
from pytest_netbench.generators.series import read_series
from pytest_netbench.generators.sources import FileSource
from pytest_netbench.model.task import Task
from pytest_netbench.taskfile.corpus import corpus
from pytest_netbench.taskfile.nearby import task_files
from pytest_netbench.trial import Store

USUAL_DRAWS: Final[Mapping[str, str]] = MappingProxyType(
    {name: name for name in ("diagnose", "plan", "troubleshoot")} | {"repair": "repair-routing"}
)
"""By family: the series that is drawn if no tasks are named and none are shipped."""


@dataclass(frozen=True, kw_only=True)
class Supplied:
    """A task, its id in logs, and where what was recorded of it is found."""

    id: str
    task: Task
    store: Store


def of_files(paths: Sequence[str], *, family: str) -> tuple[Supplied, ...]:
    """Return the tasks of a family in files and folders.

    Raises:
        UsageError: There is none.
        TaskFileError: One cannot be read.
    """
    found = _of_family(_files(paths), family)
    if not found:
        raise UsageError(f"no task of family {family} in {', '.join(paths)}")
    return found


def usual(family: str) -> tuple[Supplied, ...]:
    """Return the tasks of a family that are shipped; if there are none, the first draws.

    Raises:
        UsageError: There is neither.
    """
    shipped = _of_family(_files([str(corpus() / "tasks")]), family)
    if shipped:
        return shipped
    if family not in USUAL_DRAWS:
        raise UsageError(f"no task of family {family} is shipped: name files or folders, -T tasks=PATH")
    return drawn(USUAL_DRAWS[family])


def drawn(series: str) -> tuple[Supplied, ...]:
    """Return the tasks of a series such as ``repair-routing:n=20,level=1-2,seed=7``.

    Raises:
        InputError: There is no such series.
    """
    store = Store()
    return tuple(_supplied(source.load(), store) for source in read_series(series).sources())


def _files(paths: Sequence[str]) -> Iterator[Path]:
    for path in map(Path, paths):
        if not path.exists():
            raise UsageError(f"{path}: cannot be read: No such file or directory")
        yield from sorted(task_files(path)) if path.is_dir() else (path,)


def _of_family(paths: Iterator[Path], family: str) -> tuple[Supplied, ...]:
    sources = [FileSource(path) for path in paths]
    loaded = [(source, source.load()) for source in sources]
    return tuple(
        _supplied(task, Store(folder=str(source.path.parent.resolve()), root=source.path.resolve().anchor))
        for source, task in loaded
        if task.family == family
    )


def _supplied(task: Task, store: Store) -> Supplied:
    return Supplied(id=task.slug, task=task, store=store)
