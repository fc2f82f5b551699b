"""The source of a task: a file, or a draw of a generator."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, Protocol

from pytest_netbench import parts
from pytest_netbench.errors import InputError, TaskFileError
from pytest_netbench.generators.protocol import Generator, Parameters
from pytest_netbench.model.solutions import Solutions
from pytest_netbench.model.task import Task
from pytest_netbench.taskfile import load_task
from pytest_netbench.taskfile.solutions import load_solutions, solutions_path

SUFFIXES: Final = (".task.yaml", ".task.yml", ".task.json")


class Source(Protocol):
    """Where a task comes from. ``str()`` of it is what people are shown."""

    @property
    def stem(self) -> str:
        """Name of the item if no task can be had from here."""
        ...

    def item_name(self, task: Task, trial: str | None = None) -> str:
        """Name of an item of ``task``, which came from here; of a trial, if one is given."""
        ...

    def load(self) -> Task:
        """Return the task.

        Raises:
            InputError: There is none to be had.
        """
        ...

    def solutions(self, task: Task) -> Solutions | None:
        """Return the recorded solutions of ``task``, which came from here; ``None`` if there are none.

        Raises:
            SolutionsFileError: They cannot be used.
        """
        ...


@dataclass(frozen=True)
class FileSource:
    """A task file."""

    path: Path

    def __str__(self) -> str:
        return str(self.path)

    @property
    def stem(self) -> str:
        name = self.path.name
        return next((name.removesuffix(suffix) for suffix in SUFFIXES if name.endswith(suffix)), self.path.stem)

    def item_name(self, task: Task, trial: str | None = None) -> str:
        return task.slug if trial is None else f"{task.slug}[{trial}]"

    def load(self) -> Task:
        return load_task(self.path)

    def solutions(self, task: Task) -> Solutions | None:
        path = solutions_path(self.path, task.slug)
        return load_solutions(path, task) if path.is_file() else None


@dataclass(frozen=True, kw_only=True)
class GeneratedSource:
    """One draw of a generator, which is given by its part name."""

    generator: str
    parameters: Parameters
    seed: int
    index: int

    def __str__(self) -> str:
        return f"{self.generator}[s{self.seed}-{self.index:04}]"

    @property
    def stem(self) -> str:
        return str(self)

    def item_name(self, task: Task, trial: str | None = None) -> str:
        assert task.drawn is not None
        return task.drawn.id if trial is None else f"{task.drawn.id.removesuffix(']')}-{trial}]"

    def load(self) -> Task:
        try:
            task = _generator(self.generator).draw(self.parameters, seed=self.seed, index=self.index)
        except InputError:
            raise
        except Exception as error:
            words = f"{type(error).__name__}: {error}"
            raise TaskFileError(f"{self}: the generator {self.generator!r} failed: {words}") from error
        self._check(task)
        return task

    def _check(self, task: Task) -> None:
        """Raise an error if ``task`` does not say which draw made it."""
        drawn = task.drawn
        expected = (self.generator, self.seed, self.index, self.parameters.model_dump(mode="json"))
        if drawn is None or (drawn.generator, drawn.seed, drawn.index, drawn.parameters) != expected:
            raise TaskFileError(
                f"{self}: the generator {self.generator!r} returned a task whose `drawn` is not the draw that was asked"
                f" for: {drawn!r}"
            )
        if task.slug != drawn.slug:
            raise TaskFileError(
                f"{self}: the generator {self.generator!r} returned a task with the slug {task.slug!r} instead of"
                f" {drawn.slug!r}"
            )

    def solutions(self, task: Task) -> None:  # no file can stand beside a generator's tasks
        return None


@cache  # what is installed does not change while a process runs, and asking costs more than drawing a task
def _generator(name: str) -> Generator[Any]:
    made: Generator[Any] = parts.load("generators", name)()
    return made
