"""What a query consists of: operations on the graph, in sequence, under a condition, or for each of several nodes."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, Field, model_validator

from pytest_netbench.datacenter_graph.graph import HIERARCHY, PACKET_SWITCH, PORT
from pytest_netbench.model.base import Model

EACH: Final = "{node}"
"""Stands for the name of the node at hand in the steps of ``for-each``."""


def _known(kind: str) -> str:
    if kind not in HIERARCHY:
        raise ValueError(f"unknown node type {kind!r} (known: {', '.join(HIERARCHY)})")
    return kind


AnswerType = Literal["text", "list", "table", "graph"]
Name = Annotated[str, Field(pattern=r"^(?:[A-Za-z0-9._-]|\{node\})+$", max_length=200)]
Kind = Annotated[str, AfterValidator(_known)]
Bps = Annotated[int, Field(gt=0, le=10**15, description="bits per second")]


class Add(Model):
    """Add a node. A packet switch is added with its ports ``NAME.p1`` …, all of one capacity."""

    op: Literal["add"] = "add"
    name: Name
    type: Literal["EK_PORT", "EK_PACKET_SWITCH", "EK_AGG_BLOCK"]
    parent: Name
    capacity_bps: Bps | None = Field(None, description="of the port, or of each port of the switch")
    ports: int = Field(0, ge=0, le=1024, description="of the switch")

    @model_validator(mode="after")
    def _complete(self) -> Add:
        if (self.type == PACKET_SWITCH) != (self.ports > 0):
            raise ValueError("`ports` is for packet switches, which have at least one")
        if (self.type in (PORT, PACKET_SWITCH)) != (self.capacity_bps is not None):
            raise ValueError("`capacity_bps` is for ports and for packet switches, which need it")
        return self


class Remove(Model):
    """Remove a node and all that it contains."""

    op: Literal["remove"] = "remove"
    name: Name


class Update(Model):
    """Set the capacity of a port, or of all ports that a node contains."""

    op: Literal["update"] = "update"
    name: Name
    capacity_bps: Bps


class Count(Model):
    """The number of nodes of one type that a node contains."""

    op: Literal["count"] = "count"
    name: Name
    type: Kind = PORT


class Capacity(Model):
    """The total capacity of the ports that a node contains."""

    op: Literal["capacity"] = "capacity"
    name: Name


class List(Model):
    """The names of the nodes that a node contains directly."""

    op: Literal["list"] = "list"
    name: Name


class Rank(Model):
    """The nodes that a node contains directly, by their total capacity."""

    op: Literal["rank"] = "rank"
    name: Name


class If(Model):
    """One of two series of steps, by whether a measure of a node is at least a number."""

    op: Literal["if"] = "if"
    measure: Annotated[Count | Capacity, Field(discriminator="op")]
    at_least: int
    then: tuple[Step, ...]
    otherwise: tuple[Step, ...] = ()


class ForEach(Model):
    """Steps for each node of one type that a node contains directly or indirectly."""

    op: Literal["for-each"] = "for-each"
    name: Name
    type: Kind
    steps: tuple[Step, ...] = Field(min_length=1)


Step = Annotated[
    Add | Remove | Update | Count | Capacity | List | Rank | If | ForEach,
    Field(discriminator="op"),
]
READS: Final[dict[str, AnswerType]] = {"count": "text", "capacity": "text", "list": "list", "rank": "table"}


class Query(Model):
    """A query: changes of the graph, then at most one question about the result.

    Without a question the answer is the graph itself.
    """

    steps: tuple[Step, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _only_the_last_step_asks(self) -> Query:
        for step in self.steps[:-1]:
            _refuse_question(step)
        if self.steps[-1].op not in READS:
            _refuse_question(self.steps[-1])
        return self

    @property
    def answer_type(self) -> AnswerType:
        """What kind of answer the query has."""
        return READS.get(self.steps[-1].op, "graph")


def _refuse_question(step: Any) -> None:
    if step.op in READS:
        raise ValueError(f"{step.op!r} asks something, which only the last step may do")
    for inner in (*getattr(step, "then", ()), *getattr(step, "otherwise", ()), *getattr(step, "steps", ())):
        _refuse_question(inner)


If.model_rebuild()
ForEach.model_rebuild()
