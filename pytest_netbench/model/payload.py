"""The fields that a family adds to those of all tasks."""

from __future__ import annotations

from typing import Any, ClassVar, Final, Literal, Self

from pydantic import Field, model_validator

from pytest_netbench.model.base import Model
from pytest_netbench.model.events import REQUIREMENTS, Action
from pytest_netbench.model.ready import Ready
from pytest_netbench.model.reference import ReferenceSettings
from pytest_netbench.model.testcase import Testcase
from pytest_netbench.model.topology import Topology

HOST_PLATFORM: Final = "linux"
"""The platform of nodes that can have services."""
CLUSTER_PLATFORM: Final = "kubernetes"
"""The platform of the node from which a cluster is configured. A network with such a node is a cluster."""

Resource = Literal["lab", "sandbox", "cluster"]
"""The kinds of what a family works on. Each kind has backends."""


class TaskSize(Model):
    """The size of a task. Its difficulty can only be measured."""

    steps: int = Field(ge=0, description="ground-truth commands")
    devices: int = Field(ge=0, description="nodes of the topology; 0 for a task without a network")
    configured: int = Field(ge=0, description="nodes that the ground truth configures")


class Payload(Model):
    """The part of a task that its family defines. Each family has a subclass; its fields are fields of the task file.

    A field name of a payload must not be a field name of ``TaskHeader``.
    """

    remarks: ClassVar[frozenset[str]] = frozenset()
    """Fields that affect neither the question nor the evaluation; the task's digest omits them."""

    later: ClassVar[frozenset[str]] = frozenset()
    """Fields added after tasks had been published. Such a field changes the digest only if it is not its default."""

    @property
    def resource(self) -> Resource | None:
        """What the family deploys for the task; ``None`` if nothing."""
        return None

    def has_default(self, name: str) -> bool:
        """Whether the field ``name`` has its default value."""
        return bool(getattr(self, name) == type(self).model_fields[name].get_default(call_default_factory=True))

    @property
    def size(self) -> TaskSize | None:
        """How much there is to do; ``None`` if the family does not count it."""
        return None

    @property
    def regions(self) -> dict[str, tuple[str, ...]]:
        """By axis: where the task lies among those that a generator draws, e.g. ``{"devices": ("9",)}``."""
        return {}

    @property
    def truth_basis(self) -> dict[str, Any] | None:
        """What determines the configs that a self-test records, as JSON values; ``None`` if it records none."""
        return None

    @property
    def reference_basis(self) -> dict[str, Any] | None:
        """What determines the behaviour that is recorded, as JSON values; ``None`` if none is recorded."""
        return None

    @property
    def proof_basis(self) -> dict[str, Any] | None:
        """Return what determines the outcome of a self-test, as JSON values. A change requires a new self-test."""
        return self.truth_basis


class Networked(Payload):
    """The payload of a task with a network: what a backend deploys, and what must hold before the agent works on it."""

    later: ClassVar[frozenset[str]] = frozenset({"ready", "strict", "events", "reference"})

    platform: str = Field("frr", description="platform of each node that names none")
    topology: Topology
    startup_configs: dict[str, str] = {}
    strict: bool = Field(False, description="a refused line of a startup config fails the lab")
    health_checks: tuple[Testcase, ...] = ()
    time_scale: float | None = Field(None, gt=0, le=100)
    ready: Ready = Ready()
    reference: ReferenceSettings = Field(
        ReferenceSettings(), description="flows whose fate is compared, and which differences are wanted or free"
    )
    events: dict[str, tuple[Action, ...]] = Field(
        {}, description="what happens to the network while testcases observe it"
    )

    @model_validator(mode="after")
    def _expectations_name_nodes(self) -> Self:
        known = {node.name for node in self.topology.nodes}
        for session in self.ready.expected_down:
            if session.node not in known:
                raise ValueError(f"ready: unknown node {session.node!r} (known: {sorted(known)})")
        return self

    @model_validator(mode="after")
    def _services_are_on_hosts(self) -> Self:
        for node in self.topology.nodes:
            if node.services and self.platform_of(node.name) != HOST_PLATFORM:
                raise ValueError(
                    f"node {node.name!r} of platform {self.platform_of(node.name)!r} cannot have services (platforms"
                    f" that can: {HOST_PLATFORM})"
                )
        return self

    @property
    def resource(self) -> Resource:
        """A cluster if there is a node from which one is configured, a lab otherwise."""
        return "cluster" if CLUSTER_PLATFORM in self.platforms else "lab"

    @property
    def regions(self) -> dict[str, tuple[str, ...]]:
        """The number of nodes, and their platforms."""
        return {"devices": (str(len(self.topology.nodes)),), "platform": self.platforms}

    def platform_of(self, node: str) -> str:
        """The platform of ``node``: its own, or the task's."""
        return self.topology.node(node).platform or self.platform

    @property
    def platforms(self) -> tuple[str, ...]:
        """Platforms of the nodes, each once, in topology order."""
        return tuple(dict.fromkeys(self.platform_of(node.name) for node in self.topology.nodes))

    @property
    def observed(self) -> tuple[Testcase, ...]:
        """All that is observed of the network, before the agent works and after."""
        return self.health_checks

    @property
    def needs(self) -> tuple[str, ...]:
        """Names of the capabilities that servers and events need, each once."""
        all_actions = (type(one) for actions in self.events.values() for one in actions)
        events = (REQUIREMENTS[kind] for kind in all_actions if kind in REQUIREMENTS)
        return tuple(dict.fromkeys((*(("programs",) if self.topology.servers else ()), *events)))

    def unknown_nodes(self, *fields: str) -> None:
        """Check that mappings of the payload name nodes of the topology.

        Args:
            fields: Names of fields that map node names to something.

        Raises:
            ValueError: One names a node that does not exist.
        """
        known = {node.name for node in self.topology.nodes}
        for where in fields:
            for name in getattr(self, where):
                if name not in known:
                    raise ValueError(f"{where}: unknown node {name!r} (known: {sorted(known)})")
