"""The nodes of a lab on a cluster: facts that all have, and the workstation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Final, Protocol, TypeVar

from pytest_netbench.lab.protocols import LabNode
from pytest_netbench.lab.request import SHARED_FILES
from pytest_netbench.model.topology import Endpoint
from pytest_netbench.platforms.access import DEFAULT_LIMITS, Completed, SandboxLimits
from pytest_netbench.platforms.capabilities import AGENT_SHELL, EXEC
from pytest_netbench.platforms.capability import Capability

T = TypeVar("T")
CHANGING: Final = "/etc/kubeconfig-engineer"
"""The kubeconfig with which a workstation changes objects."""
READING: Final = "/etc/kubeconfig-reading"
"""The one with which it can only read."""
_INTERFACE: Final = "eth0"


class ClusterNode:
    """The facts of a node of a lab on a cluster."""

    interfaces: tuple[str, ...] = (_INTERFACE,)
    time_scale = 1.0

    def __init__(self, name: str, platform: str, role: str | None) -> None:
        self.name = name
        self.platform = platform
        self.role = role
        self.memory: dict[str, Any] = {}
        self.peers: Mapping[str, tuple[Endpoint, ...]] = {_INTERFACE: ()}
        self.line_rates: Mapping[str, int] = {}


class TakesChanges(Protocol):
    """A cluster that agents may change at times."""

    def taking_changes(self) -> AbstractContextManager[None]:
        """Let agents change something meanwhile."""
        ...


class Workstation(ClusterNode):
    """Where an agent configures the cluster: a sandbox of this machine.

    Args:
        name: Its name in the task.
        platform: Its platform.
        role: What it is for.
        node: The node of the lab that it is.
        control: The cluster.
        offered: What it offers beside a shell, by the names of capabilities.
    """

    def __init__(
        self,
        name: str,
        platform: str,
        role: str | None,
        *,
        node: LabNode,
        control: TakesChanges,
        offered: Mapping[str, Any],
    ) -> None:
        super().__init__(name, platform, role)
        self._node = node
        self._control = control
        self._offered = {**offered, **dict.fromkeys((AGENT_SHELL.name, EXEC.name), self)}

    def shell(
        self, command: str, *, writable: bool, reads: Sequence[str] = (), limits: SandboxLimits = DEFAULT_LIMITS
    ) -> Completed:
        config = CHANGING if writable else READING
        full = f"export KUBECONFIG={config} PATH=$PATH:{SHARED_FILES}\n{command}"
        shell = self._node.capability(AGENT_SHELL)
        if not writable:
            return shell.shell(full, writable=False, reads=reads, limits=limits)
        with self._control.taking_changes():
            return shell.shell(full, writable=True, limits=limits)

    def run(self, argv: Sequence[str], *, input: str | None = None, timeout_s: float = 30.0) -> Completed:
        return self._node.capability(EXEC).run(argv, input=input, timeout_s=timeout_s)

    def run_many(self, argvs: Sequence[Sequence[str]], *, timeout_s: float = 30.0) -> list[Completed]:
        return self._node.capability(EXEC).run_many(argvs, timeout_s=timeout_s)

    def capability(self, kind: Capability[T]) -> T:
        return kind.of(self._offered, owner=f"node {self.name}")
