"""Task: one unit of evaluation, as a task file describes it."""

from __future__ import annotations

import hashlib
import json
from typing import Any, Literal

from pydantic import Field, model_validator

from pytest_netbench.model.base import Model
from pytest_netbench.model.testcase import Testcase
from pytest_netbench.model.topology import Topology

Family = Literal["configure", "repair", "diagnose", "plan"]


class SubIntent(Model):
    """What an intent asks of one node."""

    node: str
    text: str


class Intent(Model):
    """One thing the network shall do, in an operator's words, with what it means per device."""

    text: str
    sub_intents: tuple[SubIntent, ...] = ()


class Budget(Model):
    """What an agent may use. ``None`` means no limit of that kind."""

    calls: int | None = Field(100, gt=0, description="ANI calls")
    commands: int | None = Field(300, gt=0, description="configuration lines and read commands")
    wall_s: float | None = Field(600.0, gt=0, description="wall-clock seconds")
    tokens: int | None = Field(None, gt=0, description="prompt and completion tokens together")


class TaskSize(Model):
    """How large a task is: counted, while how difficult it is has to be measured."""

    steps: int = Field(ge=0, description="ground-truth commands")
    devices: int = Field(ge=1, description="nodes of the topology")
    configured: int = Field(ge=0, description="nodes that the ground truth configures")


class Task(Model):
    """A task, independent of where its file lies.

    ``digest`` identifies what is asked and how it is judged: equal digests mean comparable results.
    """

    task_name: str
    slug: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$")
    family: Family = "configure"
    domain: str = "misc"
    tags: tuple[str, ...] = ()
    difficulty: str | None = None
    platform: str = "frr"
    requirements: tuple[str, ...] = ()
    budget: Budget = Budget()
    time_scale: float | None = Field(None, gt=0, le=100)
    seed: int | None = None
    intents: tuple[Intent, ...] = Field(min_length=1)
    topology: Topology
    startup_configs: dict[str, str] = {}
    strict: bool = Field(False, description="a refused line of a startup config fails the lab")
    ground_truth_configs: dict[str, tuple[str, ...]] = {}
    ground_truth_reasoning: str = ""
    testcases: tuple[Testcase, ...] = ()
    health_checks: tuple[Testcase, ...] = ()
    accepted_survivors: dict[str, dict[str, str]] = Field(
        {}, description="ground-truth lines that may be left out unnoticed, with the reason: node to line to reason"
    )
    notes: str | None = Field(None, description="for authors; never shown to an agent")

    @model_validator(mode="after")
    def _nodes_exist(self) -> Task:
        known = {node.name for node in self.topology.nodes}
        for where, names in (
            ("startup_configs", self.startup_configs),
            ("ground_truth_configs", self.ground_truth_configs),
            ("accepted_survivors", self.accepted_survivors),
        ):
            for name in names:
                if name not in known:
                    raise ValueError(f"{where}: unknown node {name!r} (known: {sorted(known)})")
        return self

    def platform_of(self, node: str) -> str:
        """The platform of ``node``: its own, or the task's."""
        return self.topology.node(node).platform or self.platform

    @property
    def digest(self) -> str:
        """First 16 hex digits of the SHA-256 of the task's canonical JSON, remarks for authors left out."""
        data = self.model_dump(mode="json", by_alias=True, exclude={"notes", "accepted_survivors"})
        if not self.strict:
            del data["strict"]  # tasks of before the field keep their digest
        return hashlib.sha256(json.dumps(data, sort_keys=True, separators=(",", ":")).encode()).hexdigest()[:16]

    @property
    def steps(self) -> int:
        """Number of ground-truth commands."""
        return sum(len(lines) for lines in self.ground_truth_configs.values())

    @property
    def size(self) -> TaskSize:
        """How much there is to do, on how many nodes of how many."""
        configured = sum(bool(lines) for lines in self.ground_truth_configs.values())
        return TaskSize(steps=self.steps, devices=len(self.topology.nodes), configured=configured)

    def truth_of(self, node: str) -> tuple[str, ...]:
        """Ground-truth commands of ``node``; empty if none."""
        return self.ground_truth_configs.get(node, ())

    def wire_topology(self, devices: tuple[str, ...] = ()) -> dict[str, Any]:
        """The topology as ``get-topology`` answers it."""
        return self.topology.wire(devices)
