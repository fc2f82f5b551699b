"""The nodes of a lab on a cluster: facts that all have, and the workstation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from typing import Any, Final, Protocol, TypeVar

from pytest_netbench.lab.protocols import LabNode
from pytest_netbench.lab.request import SHARED_FILES
from pytest_netbench.model.topology import Endpoint
from pytest_netbench.platforms.access import DEFAULT_LIMITS, CliSession, Completed, PtyProgram, SandboxLimits
from pytest_netbench.platforms.capabilities import AGENT_SHELL, EXEC, FILES, TERMINAL
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
        own = (AGENT_SHELL.name, EXEC.name, FILES.name, TERMINAL.name)
        self._offered = {**offered, **dict.fromkeys(own, self)}

    def shell(
        self, command: str, *, writable: bool, reads: Sequence[str] = (), limits: SandboxLimits = DEFAULT_LIMITS
    ) -> Completed:
        full = f"{_logged_in(writable=writable)}\n{command}"
        shell = self._node.capability(AGENT_SHELL)
        if not writable:
            return shell.shell(full, writable=False, reads=reads, limits=limits)
        with self._control.taking_changes():
            return shell.shell(full, writable=True, limits=limits)

    def run(self, argv: Sequence[str], *, input: str | None = None, timeout_s: float = 30.0) -> Completed:
        return self._node.capability(EXEC).run(argv, input=input, timeout_s=timeout_s)

    def run_many(self, argvs: Sequence[Sequence[str]], *, timeout_s: float = 30.0) -> list[Completed]:
        return self._node.capability(EXEC).run_many(argvs, timeout_s=timeout_s)

    def write_file(self, path: str, text: str, *, mode: int = 0o644) -> None:
        self._node.capability(FILES).write_file(path, text, mode=mode)

    def read_file(self, path: str) -> str:
        return self._node.capability(FILES).read_file(path)

    def pty(self, argv: Sequence[str], *, writable: bool, columns: int = 80, rows: int = 24) -> PtyProgram:
        """Start a program that is logged in to the cluster; one that is writable may change it until it is closed."""
        script = f'{_logged_in(writable=writable)}\nexec "$@"'
        terminal = self._node.capability(TERMINAL)
        with ExitStack() as stack:
            if writable:
                stack.enter_context(self._control.taking_changes())
            argv = ("/bin/sh", "-c", script, "sh", *argv)
            program = terminal.pty(argv, writable=writable, columns=columns, rows=rows)
            return _LoggedIn(program, stack.pop_all())

    def cli(self, argv: Sequence[str], *, definition: Mapping[str, Any] | str, key: str = "main") -> CliSession:
        return self._node.capability(TERMINAL).cli(argv, definition=definition, key=key)

    def drop_cli(self, key: str = "main") -> None:
        self._node.capability(TERMINAL).drop_cli(key)

    def capability(self, kind: Capability[T]) -> T:
        return kind.of(self._offered, owner=f"node {self.name}")


def _logged_in(*, writable: bool) -> str:
    """A line of a shell, after which ``kubectl`` is found and asks with one of the two identities."""
    return f"export KUBECONFIG={CHANGING if writable else READING} PATH=$PATH:{SHARED_FILES}"


class _LoggedIn:
    """Implements ``platforms.access.PtyProgram``: a program, and what is given back once it has ended."""

    def __init__(self, program: PtyProgram, held: ExitStack) -> None:
        self._program = program
        self._held = held

    @property
    def fd(self) -> int:
        return self._program.fd

    def resize(self, *, columns: int, rows: int) -> None:
        self._program.resize(columns=columns, rows=rows)

    def close(self) -> None:
        with self._held:
            self._program.close()
