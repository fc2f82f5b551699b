"""What a family is: the meaning of a task of a kind."""

from __future__ import annotations

from typing import Protocol

from pytest_netbench.model.payload import Payload
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import Brief


class Family(Protocol):
    """Brief, permitted ANI methods and default scorers of one kind of task."""

    name: str
    payload: type[Payload]
    methods: tuple[str, ...]
    scorers: tuple[str, ...]
    pass_marks: dict[str, float]

    def brief(self, task: Task) -> Brief:
        """What an agent is told of ``task``: nothing that gives the answer away."""
        ...
