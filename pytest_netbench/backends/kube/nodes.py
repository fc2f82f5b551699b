"""The nodes that stand for Deployments: of each, one of its pods."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from pytest_netbench.errors import AniError
from pytest_netbench.lab.kubernetes import calls
from pytest_netbench.lab.kubernetes.nodes import ClusterNode
from pytest_netbench.lab.protocols import LabNode
from pytest_netbench.model.objects import POD
from pytest_netbench.platforms.access import DEFAULT_LIMITS, CliSession, Completed, PtyProgram, SandboxLimits
from pytest_netbench.platforms.capabilities import (
    AGENT_SHELL,
    CALLS,
    CAPTURES,
    COUNTERS,
    EXEC,
    FILES,
    HOST,
    TERMINAL,
    WHOLE_PACKETS,
    InterfaceCounters,
    MadeCall,
)
from pytest_netbench.platforms.capability import Capability
from pytest_netbench.rpccodes import Code

T = TypeVar("T")


class InnerNode(ClusterNode):
    """A node of the lab below: a machine, or the pod that stands for a Deployment, whichever that is at the moment.

    Args:
        name: Of the node in the task, thus of the Deployment or the machine.
        platform: Its platform.
        role: What it is for.
        found: Returns the node; ``None`` if there is none.
    """

    def __init__(self, name: str, platform: str, role: str | None, *, found: Callable[[], LabNode | None]) -> None:
        super().__init__(name, platform, role)
        self.found = found

    def _node(self) -> LabNode:
        node = self.found()
        if node is None:
            raise AniError(f"{self.name}: no pod of this Deployment is ready", code=Code.DEVICE_ERROR)
        return node

    def shell(
        self, command: str, *, writable: bool, reads: Sequence[str] = (), limits: SandboxLimits = DEFAULT_LIMITS
    ) -> Completed:
        return self._node().capability(AGENT_SHELL).shell(command, writable=writable, reads=reads, limits=limits)

    def run(self, argv: Sequence[str], *, input: str | None = None, timeout_s: float = 30.0) -> Completed:
        return self._node().capability(EXEC).run(argv, input=input, timeout_s=timeout_s)

    def run_many(self, argvs: Sequence[Sequence[str]], *, timeout_s: float = 30.0) -> list[Completed]:
        return self._node().capability(EXEC).run_many(argvs, timeout_s=timeout_s)

    def write_file(self, path: str, text: str, *, mode: int = 0o644) -> None:
        self._node().capability(FILES).write_file(path, text, mode=mode)

    def read_file(self, path: str) -> str:
        return self._node().capability(FILES).read_file(path)

    def pty(self, argv: Sequence[str], *, writable: bool, columns: int = 80, rows: int = 24) -> PtyProgram:
        return self._node().capability(TERMINAL).pty(argv, writable=writable, columns=columns, rows=rows)

    def counters(self) -> Mapping[str, InterfaceCounters]:
        """Implements ``platforms.capabilities.Counters``: those of the pod at the moment, none without one."""
        node = self.found()
        return {} if node is None else node.capability(COUNTERS).counters()

    def calls(self) -> Sequence[MadeCall]:
        """Implements ``platforms.capabilities.CallRecords``."""
        node = self.found()
        return () if node is None else calls.parse(node.capability(FILES).read_file(calls.FILE))

    def capture(
        self, interface: str, *, program: bytes, packets: int, duration_s: float, snapped: int = WHOLE_PACKETS
    ) -> bytes:
        """Implements ``platforms.capabilities.PacketCapture``."""
        captures = self._node().capability(CAPTURES)
        return captures.capture(interface, program=program, packets=packets, duration_s=duration_s, snapped=snapped)

    def cli(self, argv: Sequence[str], *, definition: Mapping[str, Any] | str, key: str = "main") -> CliSession:
        return self._node().capability(TERMINAL).cli(argv, definition=definition, key=key)

    def drop_cli(self, key: str = "main") -> None:
        self._node().capability(TERMINAL).drop_cli(key)

    def capability(self, kind: Capability[T]) -> T:
        offered = (*HOST, COUNTERS.name, CAPTURES.name, *((CALLS.name,) if self.role == POD else ()))
        return kind.of(dict.fromkeys(offered, self), owner=f"node {self.name}")
