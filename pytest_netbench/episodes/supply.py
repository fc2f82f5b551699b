"""Where the tasks of episodes come from: one task, a file, or a generator without end."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Protocol

from pytest_netbench.errors import UsageError
from pytest_netbench.generators.series import Series, read_series
from pytest_netbench.generators.sources import SUFFIXES, FileSource
from pytest_netbench.model.task import Task

GivenTask = Task | Path | str


class Supply(Protocol):
    """Gives the task of each episode."""

    @property
    def drawn(self) -> bool:
        """Whether its tasks have seeds and places in a series."""
        ...

    def next(self, *, seed: int | None, index: int | None) -> Task:
        """Return the task of the next episode.

        Args:
            seed: Begin the series of this seed.
            index: Go to this place in the series.

        Raises:
            InputError: There is no such task.
        """
        ...


def supply_of(given: object) -> Supply:
    """Return the supply of ``given``: a task, the path of a task file, or a series of draws such as ``plan:level=1``.

    Raises:
        UsageError: It is none of these.
        TaskFileError: The file cannot be used.
    """
    if isinstance(given, Task):
        return _OneTask(given)
    if isinstance(given, Path) or (isinstance(given, str) and given.endswith(SUFFIXES)):
        return _OneTask(FileSource(Path(given)).load())
    if isinstance(given, str):
        return _Draws(read_series(given))
    raise UsageError(
        f"an episode needs a Task, the path of a task file or a generator such as 'repair-routing:level=1', not"
        f" {given!r:.80}"
    )


class _OneTask:
    drawn = False

    def __init__(self, task: Task) -> None:
        self._task = task

    def next(self, *, seed: int | None, index: int | None) -> Task:
        _check("seed", seed)  # every seed gives this task
        if index is not None:
            raise UsageError(f"reset(index={index!r:.80}): task {self._task.slug} is not drawn, so it has no index")
        return self._task


class _Draws:
    drawn = True

    def __init__(self, series: Series) -> None:
        self._series = series
        self._index = 0

    def next(self, *, seed: int | None, index: int | None) -> Task:
        _check("seed", seed)
        _check("index", index)
        if seed is not None:
            self._series, self._index = replace(self._series, seed=seed), 0
        if index is not None:
            self._index = index
        task = self._series.source(self._index).load()
        self._index += 1
        return task


def _check(name: str, value: object) -> None:
    if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 0):
        raise UsageError(f"reset({name}={value!r:.80}): must be a whole number, 0 or above")
