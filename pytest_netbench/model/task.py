"""Task: one unit of evaluation. What all tasks share, and a payload that the task's family defines."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from typing import Any, Final, cast

from pydantic import (
    Field,
    SerializeAsAny,
    SerializerFunctionWrapHandler,
    create_model,
    model_serializer,
    model_validator,
)

from pytest_netbench import parts
from pytest_netbench.errors import UsageError
from pytest_netbench.model.base import Model
from pytest_netbench.model.drawn import Drawn
from pytest_netbench.model.payload import Networked, Payload, TaskSize
from pytest_netbench.model.variant import Variant

DEFAULT_FAMILY: Final = "configure"


class Budget(Model):
    """What an agent may use. ``None`` means no limit of that kind."""

    calls: int | None = Field(100, gt=0, description="ANI calls")
    commands: int | None = Field(300, gt=0, description="configuration lines and read commands")
    wall_s: float | None = Field(600.0, gt=0, description="wall-clock seconds")
    tokens: int | None = Field(None, gt=0, description="prompt and completion tokens together")
    lab_s: float | None = Field(
        None,
        gt=0,
        exclude_if=lambda value: value is None,
        description="lab seconds, where the network stands still between requests; else it has no effect",
    )


UNLIMITED: Final = Budget(calls=None, commands=None, wall_s=None, tokens=None)


class TaskHeader(Model):
    """What tasks of all families share."""

    task_name: str
    slug: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$")
    family: str = DEFAULT_FAMILY
    domain: str = "misc"
    tags: tuple[str, ...] = ()
    difficulty: str | None = None
    requirements: tuple[str, ...] = ()
    budget: Budget = Budget()
    seed: int | None = None
    drawn: Drawn | None = Field(None, description="the draw that made the task; no part of its digest")
    variant: Variant | None = Field(None, description="the re-skin that made the task; no part of its digest")
    ground_truth_reasoning: str = Field("", description="how the task is solved, for the reasoning score")
    notes: str | None = Field(None, description="for authors; never shown to an agent")


class Task(TaskHeader):
    """A task, independent of where its file lies.

    Its JSON form is flat, as task files are: the fields of the header and those of the payload side by side.
    ``digest`` identifies what is asked and how it is judged: equal digests mean comparable results.
    """

    payload: SerializeAsAny[Payload]

    @model_validator(mode="before")
    @classmethod
    def _from_flat(cls, data: Any) -> Any:
        if not isinstance(data, dict) or "payload" in data:
            return data
        shared = {name: value for name, value in data.items() if name in cls.model_fields}
        own = {name: value for name, value in data.items() if name not in cls.model_fields}
        family = shared.get("family", DEFAULT_FAMILY)
        if not isinstance(family, str):
            return data
        return {**shared, "payload": payload_model(family).model_validate(own)}

    @model_serializer(mode="wrap")
    def _to_flat(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        data: dict[str, Any] = handler(self)
        payload = data.pop("payload", {})
        return {**data, **payload}

    @property
    def network(self) -> Networked:
        """The task's network.

        Raises:
            UsageError: It has none.
        """
        if not isinstance(self.payload, Networked):
            raise UsageError(f"task {self.slug} of family {self.family!r} has no network")
        return self.payload

    @property
    def has_network(self) -> bool:
        """Whether there is a network to deploy."""
        return isinstance(self.payload, Networked)

    def with_payload(self, **changes: Any) -> Task:
        """A copy with other values of some fields of the payload. They are not validated."""
        return self.model_copy(update={"payload": self.payload.model_copy(update=changes)})

    @property
    def size(self) -> TaskSize | None:
        """How much there is to do; ``None`` if the family does not count it."""
        return self.payload.size

    @property
    def regions(self) -> dict[str, tuple[str, ...]]:
        """By axis: where a drawn task lies among those that its generator draws; empty for other tasks.

        A search for failures compares tasks by it. Each has ``label`` and ``level``; the family adds others.
        """
        if self.drawn is None:
            return {}
        return {"label": (self.drawn.label,), "level": (str(self.drawn.level),), **self.payload.regions}

    @property
    def digest(self) -> str:
        """First 16 hex digits of the SHA-256 of the task's canonical JSON, without remarks and how it was made."""
        remarks = {"notes", "drawn", "variant", *self.payload.remarks}
        remarks |= {name for name in self.payload.later if self.payload.has_default(name)}
        data = self.model_dump(mode="json", by_alias=True)
        return digest_of({name: value for name, value in data.items() if name not in remarks})

    @property
    def truth_digest(self) -> str | None:
        """As ``digest``, of what determines the recorded ground truth alone; ``None`` if none is recorded."""
        basis = self.payload.truth_basis
        return None if basis is None else digest_of(basis)

    @property
    def reference_digest(self) -> str | None:
        """As ``digest``, of what determines the recorded reference behaviour; ``None`` if none is recorded."""
        basis = self.payload.reference_basis
        return None if basis is None else digest_of(basis)

    @property
    def proof_digest(self) -> str | None:
        """As ``digest``, of what determines the outcome of a self-test; ``None`` if its family does not say."""
        basis = self.payload.proof_basis
        return None if basis is None else digest_of(basis)


def digest_of(data: Any) -> str:
    """First 16 hex digits of the SHA-256 of the canonical JSON of ``data``."""
    return hashlib.sha256(json.dumps(data, sort_keys=True, separators=(",", ":")).encode()).hexdigest()[:16]


@cache  # what is installed does not change while a process runs, and asking costs more than reading a task
def payload_model(family: str) -> type[Payload]:
    """The payload that the tasks of ``family`` carry.

    Raises:
        UsageError: No such family is installed.
    """
    model: type[Payload] = parts.load("families", family).payload
    both = sorted(TaskHeader.model_fields.keys() & model.model_fields.keys())
    if both:
        raise UsageError(f"family {family!r}: its payload has fields that every task has: {', '.join(both)}")
    return model


@cache
def flat_model(payload: type[Payload]) -> type[TaskHeader]:
    """The flat form of tasks with this payload: the fields of the header and of the payload in one model."""
    bases: Any = (TaskHeader, payload)
    model: Any = create_model("Task", __base__=bases, __doc__=payload.__doc__)
    return cast("type[TaskHeader]", model)


def task_of(flat: TaskHeader, payload: type[Payload]) -> Task:
    """The task that ``flat``, an instance of ``flat_model(payload)``, describes."""
    shared = {name: getattr(flat, name) for name in TaskHeader.model_fields}
    own = {name: getattr(flat, name) for name in payload.model_fields}
    return Task(**shared, payload=payload(**own))
