"""Tasks of sealed bundles, as sources of items. What they say is decrypted in memory and never written."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from pytest_netbench.errors import InputError, TaskFileError
from pytest_netbench.model.solutions import Solutions
from pytest_netbench.model.task import Task
from pytest_netbench.sealing.bundle import Bundle, Packed
from pytest_netbench.sealing.keys import SealingKey
from pytest_netbench.taskfile import load_task
from pytest_netbench.taskfile.solutions import load_solutions, solutions_path


@dataclass(frozen=True, kw_only=True)
class SealedSource:
    """A task of a bundle, and the key to it."""

    bundle: Bundle
    name: str
    key: SealingKey = field(repr=False)

    def __str__(self) -> str:
        return f"{self.bundle.path}::{self.name}"

    @property
    def stem(self) -> str:
        return self.name

    def item_name(self, task: Task, trial: str | None = None) -> str:  # its slug may tell how it was drawn
        return self.name if trial is None else f"{self.name}[{trial}]"

    def load(self) -> Task:
        try:
            return unpacked(self.packed)
        except InputError:
            raise TaskFileError(
                f"{self}: this version of netbench cannot use the task; what is wrong is not shown, because it is"
                " sealed: netbench validate prints it"
            ) from None

    def solutions(self, task: Task) -> Solutions | None:
        return solutions_in(self.packed, task)

    @cached_property
    def packed(self) -> Packed:
        """The files of the task."""
        return self.bundle.open(self.name, self.key)

    def recorded(self, folder: str) -> list[Any]:
        """The JSON values of the files that are packed from folders of this name."""
        files = self.packed.files.items()
        return [json.loads(text) for name, text in files if Path(name).parent.name == folder]


def unpacked(packed: Packed) -> Task:
    """The task of packed files.

    Raises:
        TaskFileError: It cannot be used.
    """
    folder = Path(packed.task).parent
    beside = {
        Path(name).relative_to(folder).as_posix(): text.encode()
        for name, text in packed.files.items()
        if Path(name).is_relative_to(folder)
    }
    return load_task(Path("/sealed", packed.task), data=packed.files[packed.task].encode(), beside=beside)


def solutions_in(packed: Packed, task: Task) -> Solutions | None:
    """The recorded solutions of a task in its packed files.

    Raises:
        SolutionsFileError: They cannot be used.
    """
    path = solutions_path(Path(packed.task), task.slug)
    text = packed.files.get(path.as_posix())
    return None if text is None else load_solutions(path, task, data=text.encode())
