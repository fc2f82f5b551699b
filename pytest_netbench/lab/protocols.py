"""The protocols of a running network, independent of the backend."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar, runtime_checkable

from pytest_netbench.lab.probing import Prober
from pytest_netbench.lab.report import Check
from pytest_netbench.lab.request import LabRequest
from pytest_netbench.model.ready import Readiness
from pytest_netbench.model.topology import Topology
from pytest_netbench.model.trial import Isolation, RefusedLine
from pytest_netbench.platforms.access import NodeAccess
from pytest_netbench.platforms.capability import Capability
from pytest_netbench.platforms.driver import Driver

T = TypeVar("T")


class LabNode(NodeAccess, Protocol):
    """A node of a running lab."""


class Lab(Protocol):
    """A running network."""

    @property
    def topology(self) -> Topology:
        """The topology of the request. The ANI takes the control of each node from it."""
        ...

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
    def prober(self) -> Prober:
        """The capability ``probes``.

        Raises:
            RequirementMissing: The lab does not offer it.
        """
        ...

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
    def isolation(self) -> Isolation:
        """What keeps agents' read-only commands from changing a node, and as whom their commands run."""
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


@runtime_checkable
class HasImages(Protocol):
    """A lab whose nodes run images or templates of somebody else."""

    @property
    def images(self) -> Mapping[str, str]:
        """By platform."""
        ...


@runtime_checkable
class HasDeployers(Protocol):
    """A lab that programs of somebody else deployed."""

    @property
    def deployers(self) -> Mapping[str, str]:
        """By program: its version."""
        ...


class Cleaned(NamedTuple):
    """What came of cleaning up.

    Attributes:
        removed: What was removed, or put back as it was.
        left_alone: What was not, as nobody can tell from here whether it is in use: a sentence each.
    """

    removed: tuple[str, ...] = ()
    left_alone: tuple[str, ...] = ()


@runtime_checkable
class Cleans(Protocol):
    """A backend whose labs belong to another program, and so outlive their owner if it is killed."""

    def clean(self) -> Cleaned:
        """Remove labs whose owner has ended.

        Raises:
            LabError: Something of one is left.
        """
        ...


@runtime_checkable
class PacesTime(Protocol):
    """A backend in whose labs time can pass faster than on the wall."""

    @property
    def paces_time(self) -> bool:
        """Whether it can do so here."""
        ...


@runtime_checkable
class Attaches(Protocol):
    """A backend that can use a lab which runs already, see ``LabRequest.lab``."""

    def running(self) -> Sequence[str]:
        """The names of the labs that run."""
        ...


@runtime_checkable
class StandsStill(Protocol):
    """A backend whose labs can stand still between the requests of an agent, see ``lab.turns``."""

    stands_still: bool


@runtime_checkable
class Serves(Protocol):
    """A backend that can start the program to which its labs belong."""

    def serve(self, *, port: int, release: str | None, kvm: bool, say: Callable[[str], None]) -> None:
        """Start it, say how it is used, and return when it is interrupted.

        Args:
            port: Its TCP port.
            release: Of the program; ``None`` leaves it to the backend.
            kvm: Whether its machines may use /dev/kvm, if it is there.
            say: Prints a line.

        Raises:
            UsageError: The port is in use, or the release is none.
            LabError: It cannot be installed or started, or ends by itself.
        """
        ...


class Backend(Protocol):
    """Deploys labs. Of a task it reads only the request."""

    name: str
    capabilities: tuple[str, ...]
    """Names of the capabilities that its labs and their nodes offer."""

    def report(self) -> Sequence[Check]:
        """What this machine and the backend can do, for ``netbench doctor``; the required checks first."""
        ...

    def lacks(self, request: LabRequest) -> tuple[str, str | None] | None:
        """The one thing this machine or the backend lacks for ``request`` and its remedy, or ``None``."""
        ...

    def deploy(self, request: LabRequest) -> Lab:
        """Bring up a network; return when it is up and converged.

        Raises:
            RequirementMissing: This machine lacks something.
            LabError: The lab could not be brought up.
        """
        ...
