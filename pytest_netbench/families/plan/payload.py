"""The payload of a task of family ``plan``: a graph and a query."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from pytest_netbench.datacenter_graph.query import Query
from pytest_netbench.datacenter_graph.specification import GraphSpecification
from pytest_netbench.errors import UsageError
from pytest_netbench.model.payload import Payload, Resource, TaskSize
from pytest_netbench.model.task import Task


class Plan(Payload):
    """The fields of a task of family ``plan``."""

    question: str = Field(min_length=1, description="what is asked, in words")
    graph: GraphSpecification = Field(GraphSpecification(), description="the graph that the question is about")
    query: Query = Field(description="the same question as operations; the ground truth, never shown to an agent")

    @property
    def resource(self) -> Resource:
        """A sandbox for programs."""
        return "sandbox"

    @property
    def size(self) -> TaskSize:
        """The operations of the query."""
        return TaskSize(steps=len(self.query.steps), devices=0, configured=0)

    @property
    def regions(self) -> dict[str, tuple[str, ...]]:
        """The number of operations."""
        return {"steps": (str(len(self.query.steps)),)}

    @property
    def proof_basis(self) -> dict[str, Any]:
        """All fields."""
        return self.model_dump(mode="json")


def plan_of(task: Task) -> Plan:
    """The payload of ``task``.

    Raises:
        UsageError: It is of another family.
    """
    if not isinstance(task.payload, Plan):
        raise UsageError(f"task {task.slug} is of family {task.family!r}, not 'plan'")
    return task.payload
