"""The source of a task: a file, or a generator and a seed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from pytest_netbench import parts
from pytest_netbench.errors import InputError, TaskFileError
from pytest_netbench.generators.protocol import Generator
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

    def load(self) -> Task:
        return load_task(self.path)

    def solutions(self, task: Task) -> Solutions | None:
        path = solutions_path(self.path, task.slug)
        return load_solutions(path, task) if path.is_file() else None


@dataclass(frozen=True)
class GeneratedSource:
    """A generator, by its part name, and a seed. Written ``GENERATOR@SEED``."""

    generator: str
    seed: int

    def __str__(self) -> str:
        return f"{self.generator}@{self.seed}"

    @property
    def stem(self) -> str:
        return f"{self.generator}-{self.seed}"

    def load(self) -> Task:
        generator: Generator = parts.load("generators", self.generator)()
        try:
            return generator.generate(self.seed)
        except InputError:
            raise
        except Exception as error:
            words = f"{type(error).__name__}: {error}"
            raise TaskFileError(f"{self}: the generator {self.generator!r} failed: {words}") from error

    def solutions(self, task: Task) -> None:  # noqa: ARG002  (no file can stand beside a generator's tasks)
        return None
