"""The payload of the family ``configure``: intents, ground truth and testcases."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import Field, model_validator

from pytest_netbench.errors import UsageError
from pytest_netbench.model.base import Model
from pytest_netbench.model.payload import Networked, TaskSize
from pytest_netbench.model.solutions import GroundTruth, Origin
from pytest_netbench.model.task import Task
from pytest_netbench.model.testcase import Testcase
from pytest_netbench.model.topology import Control


class SubIntent(Model):
    """What an intent asks of one node."""

    node: str
    text: str


class Intent(Model):
    """One thing the network shall do, in an operator's words, with what it means per device."""

    text: str
    sub_intents: tuple[SubIntent, ...] = ()


class Configure(Networked):
    """What a task of the family ``configure`` asks, how it is solved, and how a solution is judged."""

    remarks: ClassVar[frozenset[str]] = frozenset({"accepted_survivors", "ground_truth_origin"})
    later: ClassVar[frozenset[str]] = Networked.later | {"further_ground_truths"}

    intents: tuple[Intent, ...] = Field(min_length=1)
    ground_truth_configs: dict[str, tuple[str, ...]] = {}
    ground_truth_origin: Origin | None = Field(
        None, description="id and provenance of the ground truth; no part of the task's digest"
    )
    further_ground_truths: tuple[GroundTruth, ...] = Field(
        (), max_length=20, description="other ways to solve the task: each is proven, and the nearest counts for scores"
    )
    testcases: tuple[Testcase, ...] = ()
    accepted_survivors: dict[str, dict[str, str]] = Field(
        {}, description="ground-truth lines that may be left out unnoticed, with the reason: node to line to reason"
    )

    @model_validator(mode="after")
    def _nodes_exist(self) -> Configure:
        self.unknown_nodes("startup_configs", "ground_truth_configs", "accepted_survivors")
        return self

    @model_validator(mode="after")
    def _truth_is_managed(self) -> Configure:
        for node, control in self.topology.controls.items():
            if control != "managed" and any(truth.get(node) for truth in self.ground_truths):
                raise ValueError(unmanaged_truth(node, control))
        return self

    @model_validator(mode="after")
    def _further_ground_truths_fit(self) -> Configure:
        seen = set() if self.ground_truth_origin is None else {self.ground_truth_origin.solution_id}
        for one in self.further_ground_truths:
            where = f"ground_truth_configs: solution {one.solution_id!r}"
            if one.solution_id in seen:
                raise ValueError(f"{where} is given twice")
            seen.add(one.solution_id)
            if not any(line.strip() for lines in one.configs.values() for line in lines):
                raise ValueError(f"{where} configures nothing")
            unknown = sorted(one.configs.keys() - self.topology.controls)
            if unknown:
                raise ValueError(f"{where}: unknown node {unknown[0]!r} (known: {sorted(self.topology.controls)})")
        return self

    @property
    def ground_truths(self) -> tuple[dict[str, tuple[str, ...]], ...]:
        """The commands by node of each ground truth; the first is the one that the oracle applies."""
        return (self.ground_truth_configs, *(one.configs for one in self.further_ground_truths))

    @property
    def steps(self) -> int:
        """Number of ground-truth commands."""
        return sum(len(lines) for lines in self.ground_truth_configs.values())

    @property
    def size(self) -> TaskSize:
        """Ground-truth commands, nodes, and how many nodes the ground truth configures."""
        configured = sum(bool(lines) for lines in self.ground_truth_configs.values())
        return TaskSize(steps=self.steps, devices=len(self.topology.nodes), configured=configured)

    @property
    def observed(self) -> tuple[Testcase, ...]:
        """The testcases and the health checks."""
        return (*self.testcases, *self.health_checks)

    @property
    def needs(self) -> tuple[str, ...]:
        """What the network needs, and what the testcases observe with."""
        observing = (name for one in self.observed for name in one.needs)
        return tuple(dict.fromkeys((*super().needs, *observing)))

    @property
    def truth_basis(self) -> dict[str, Any]:
        """The network, its configs and the ground truths; not texts, testcases, control or the time scale."""
        return self._basis("topology", "startup_configs", "ground_truth_configs") | self._further_basis

    @property
    def reference_basis(self) -> dict[str, Any]:
        """As ``truth_basis``, with the events and what draws the flows; roles of nodes only on a cluster draw any."""
        basis = self._basis("topology", "startup_configs", "ground_truth_configs", "events")
        for node in basis["topology"]["nodes"] if self.resource == "lab" else ():
            del node["role"]
        return {**basis, "reference": {"seed": self.reference.seed, "flows": self.reference.flows}}

    @property
    def proof_basis(self) -> dict[str, Any]:
        """As ``truth_basis``, and what judges the network."""
        events = () if self.has_default("events") else ("events",)
        judged_by = ("testcases", "health_checks", *events)
        return self._basis("topology", "startup_configs", "ground_truth_configs", *judged_by) | self._further_basis

    @property
    def _further_basis(self) -> dict[str, Any]:
        """The commands of further ground truths by their ids; empty without any, so that digests stay as they were."""
        further = {one.solution_id: one.model_dump(mode="json")["configs"] for one in self.further_ground_truths}
        return {"further_ground_truths": further} if further else {}

    def _basis(self, *fields: str) -> dict[str, Any]:
        basis = self.model_dump(mode="json", by_alias=True, include=set(fields))
        for node in basis["topology"]["nodes"]:
            node["platform"] = self.platform_of(node["name"])
            node.pop("control", None)
        return basis

    def truth_of(self, node: str) -> tuple[str, ...]:
        """Ground-truth commands of ``node``; empty if none."""
        return self.ground_truth_configs.get(node, ())


def unmanaged_truth(node: str, control: Control) -> str:
    """What is wrong with a ground truth that configures a node with this control."""
    return (
        f"ground_truth_configs: {node!r} is {control}, so no agent can configure it;"
        " give the node 'control: managed', or configure a managed node instead"
    )


def configuration_of(task: Task) -> Configure:
    """The payload of ``task``, which must be of a family whose payload is a ``Configure``.

    Raises:
        UsageError: It is not.
    """
    if not isinstance(task.payload, Configure):
        raise UsageError(f"task {task.slug} of family {task.family!r} has no intents to configure")
    return task.payload
