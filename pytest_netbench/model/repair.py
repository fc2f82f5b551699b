"""The payload of the family ``repair``."""

from __future__ import annotations

from pydantic import Field

from pytest_netbench.errors import UsageError
from pytest_netbench.model.faulty import Faulty, InjectedFault
from pytest_netbench.model.task import Task


class Repair(Faulty):
    """What is broken in a network, and which flows must work in it and which must not."""

    faults: tuple[InjectedFault, ...] = Field(min_length=1, description="what is broken, in the order of injection")


def repair_of(task: Task) -> Repair:
    """The payload of ``task``, which must be of a family whose payload is a ``Repair``.

    Raises:
        UsageError: It is not.
    """
    if not isinstance(task.payload, Repair):
        raise UsageError(f"task {task.slug} of family {task.family!r} has nothing to repair")
    return task.payload
