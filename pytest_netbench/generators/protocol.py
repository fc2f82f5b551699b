"""What a generator is."""

from __future__ import annotations

from typing import Protocol

from pytest_netbench.model.task import Task


class Generator(Protocol):
    """Makes tasks from seeds. It is made without arguments, whenever it is needed."""

    name: str

    def generate(self, seed: int) -> Task:
        """Return the task of ``seed``: equal seeds give equal tasks, in every process and on every machine."""
        ...
