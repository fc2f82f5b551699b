"""The payload of the family ``repair``."""

from __future__ import annotations

from functools import cached_property
from typing import Self

from pydantic import Field, model_validator

from pytest_netbench.errors import UsageError
from pytest_netbench.model.causes import Cause, causes_of
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

    tickets: tuple[str, ...] = Field(
        (),
        exclude_if=lambda value: not value,  # tasks without them keep their digests
        description="fault types that the agent can hand over, to those who can mend them",
    )

    @model_validator(mode="after")
    def _can_be_repaired(self) -> Self:
        for one in self.faults:
            if not fault_of(one.fault).repairable and one.fault not in self.tickets:
                raise ValueError(
                    f"faults: {one.fault!r} is outside the nodes, so that no command repairs it; name it in tickets"
                )
        return self

    @cached_property
    def causes(self) -> tuple[Cause, ...]:
        """What is wrong, and where it may be named."""
        return causes_of(self.faults, self.topology)


def repair_of(task: Task) -> Repair:
    """The payload of ``task``, which must be of a family whose payload is a ``Repair``.

    Raises:
        UsageError: It is not.
    """
    if not isinstance(task.payload, Repair):
        raise UsageError(f"task {task.slug} of family {task.family!r} has nothing to repair")
    return task.payload
