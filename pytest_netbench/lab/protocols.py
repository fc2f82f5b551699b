"""What a running network is, whatever deployed it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeVar

from pytest_netbench.lab.probing import Prober
from pytest_netbench.model.ready import Readiness
from pytest_netbench.model.task import Task
from pytest_netbench.model.topology import Topology
from pytest_netbench.model.trial import RefusedLine
from pytest_netbench.platforms.access import NodeAccess
from pytest_netbench.platforms.capability import Capability
from pytest_netbench.platforms.driver import Driver

T = TypeVar("T")


class LabNode(NodeAccess, Protocol):
    """A node of a running lab."""


class Lab(Protocol):
    """A running network."""

    @property
    def topology(self) -> Topology: ...

    @property
    def nodes(self) -> Mapping[str, LabNode]: ...

    def driver(self, node: str) -> Driver[Any]:
        """The driver of the node called ``node``; the same object for all nodes that it can treat together."""
        ...

    def capability(self, kind: Capability[T]) -> T:
        """What the lab offers beyond this core, e.g. ``lab.capability(LINKS).cut("R1", "eth1")``.

        Raises:
            RequirementMissing: The lab does not offer it.
        """
        ...

    @property
    def prober(self) -> Prober: ...

    @property
    def time_scale(self) -> float: ...

    @property
    def features(self) -> tuple[str, ...]:
        """Kernel features in use."""
        ...

    @property
    def substitutes(self) -> Mapping[str, str]:
        """Kernel feature to what stands in for it."""
        ...

    @property
    def refused_startup_lines(self) -> Sequence[RefusedLine]:
        """Lines of startup configs that their devices refused, in topology order."""
        ...

    @property
    def deploy_s(self) -> float:
        """Wall seconds ``deploy`` took."""
        ...

    @property
    def readiness(self) -> Readiness:
        """What was missing, if anything, when ``deploy`` returned."""
        ...

    def destroy(self) -> None:
        """End everything. Idempotent; leaves no process, namespace, mount, file or socket.

        May return before all of it is gone; ``await_cleanup`` waits for that.
        """
        ...

    def await_cleanup(self) -> None:
        """Wait until nothing of a destroyed lab is left. Without it, the end of this process waits.

        Raises:
            LabError: Something is left.
        """
        ...


class Backend(Protocol):
    """What deploys labs."""

    name: str

    def lacks(self, task: Task) -> tuple[str, str | None] | None:
        """The one thing this machine lacks for ``task`` and its remedy, or ``None``."""
        ...

    def deploy(self, task: Task, *, time_scale: float | None = None, workers: int = 1) -> Lab:
        """Bring up the task's network; returns when it is up and quiet and its health checks may be run.

        Args:
            task: Topology, startup configs and platforms are taken from it, nothing else.
            time_scale: Lab seconds per wall second; ``None`` lets the backend choose.
            workers: Labs that are expected to run side by side on this machine.

        Raises:
            RequirementMissing: This machine lacks something.
            LabError: The lab could not be brought up.
        """
        ...
