"""The payload of the family ``repair``."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from pytest_netbench.errors import UsageError
from pytest_netbench.model.faulty import Faulty, InjectedFault, fault_of
from pytest_netbench.model.task import Task


class Repair(Faulty):
    """What is broken in a network, and which flows must work in it and which must not."""

    faults: tuple[InjectedFault, ...] = Field(min_length=1, description="what is broken, in the order of injection")
    diagnosis: str | None = Field(
        None,
        max_length=10_000,
        exclude_if=lambda value: value is None,  # tasks without one keep their digests
        description="what is known to be wrong; shown in the brief",
    )

    @model_validator(mode="after")
    def _can_be_repaired(self) -> Self:
        for one in self.faults:
            if not fault_of(one.fault).repairable:
                raise ValueError(f"faults: {one.fault!r} is outside the nodes, so that no command repairs it")
        return self


def repair_of(task: Task) -> Repair:
    """The payload of ``task``, which must be of a family whose payload is a ``Repair``.

    Raises:
        UsageError: It is not.
    """
    if not isinstance(task.payload, Repair):
        raise UsageError(f"task {task.slug} of family {task.family!r} has nothing to repair")
    return task.payload
