"""The facts of a node, and the ways to reach it: programs, files, terminals, the command line of a device.

Every backend offers the facts (``NodeAccess``). The ways are capabilities, whose keys are in ``capabilities``. Must not
know any network OS.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeVar, runtime_checkable

from pytest_netbench.model.topology import Endpoint
from pytest_netbench.platforms.capability import Capability

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Completed:
    """A finished command. ``truncated``: output was cut at the limit; ``timed_out``: it was killed."""

    stdout: str
    stderr: str
    returncode: int
    truncated: bool = False
    timed_out: bool = False


@dataclass(frozen=True, kw_only=True)
class SandboxLimits:
    """What one agent command may use. Seconds, bytes, processes."""

    timeout_s: float = 30.0
    output_bytes: int = 65_536
    memory_bytes: int = 256 * 2**20
    processes: int = 64
    disk_bytes: int = 16 * 2**20


DEFAULT_LIMITS = SandboxLimits()


class NodeFacts(Protocol):
    """What is known of a node without asking it."""

    @property
    def name(self) -> str: ...

    @property
    def platform(self) -> str:
        """Name of the node's dialect, as the topology says."""
        ...

    @property
    def role(self) -> str | None:
        """What the topology says the node is for, e.g. ``switch``."""
        ...

    @property
    def interfaces(self) -> tuple[str, ...]:
        """Interface names in topology order, the platform's own names."""
        ...

    @property
    def peers(self) -> Mapping[str, tuple[Endpoint, ...]]:
        """By interface: the other ends of its link."""
        ...

    @property
    def line_rates(self) -> Mapping[str, int]:
        """By interface: the rate of its link in bit/s, for links with a limited rate."""
        ...

    @property
    def time_scale(self) -> float: ...


@runtime_checkable
class OwnPrograms(Protocol):
    """A node whose programs come from an image, and not from this machine."""

    image_memory: dict[str, Any]
    """What drivers know of the image; one object for all nodes of a lab that have the same image."""


class NodeAccess(NodeFacts, Protocol):
    """One running node: facts, and capabilities for all that can be done with it."""

    @property
    def memory(self) -> dict[str, Any]:
        """State that the node's driver keeps in this process; removed with the lab."""
        ...

    def capability(self, kind: Capability[T]) -> T:
        """What can be done with the node, e.g. ``node.capability(EXEC).run(["ip", "link"])``.

        Raises:
            RequirementMissing: The node does not offer it.
        """
        ...


class Exec(Protocol):
    """Trusted programs of the framework, run in a node with the lab's full privileges, without a shell."""

    def run(self, argv: Sequence[str], *, input: str | None = None, timeout_s: float = 30.0) -> Completed:
        """Run one program and wait for it."""
        ...

    def run_many(self, argvs: Sequence[Sequence[str]], *, timeout_s: float = 30.0) -> list[Completed]:
        """Run several programs one after the other in one round trip."""
        ...


class Files(Protocol):
    """The files of a node."""

    def write_file(self, path: str, text: str, *, mode: int = 0o644) -> None: ...

    def read_file(self, path: str) -> str: ...


class CliSession(Protocol):
    """A persistent session on a device's own command line (scrapli on the backend's transport)."""

    def send(self, line: str, *, timeout_s: float = 30.0) -> str:
        """Send one line and return what the device printed, without echo and prompt.

        Raises:
            LabError: The session is gone or the prompt did not come back in time.
        """
        ...

    @property
    def prompt(self) -> str:
        """The prompt as last seen, e.g. ``R1(config-if)#``."""
        ...

    def close(self) -> None:
        """End the session."""
        ...


class PtyProgram(Protocol):
    """A program that runs on a pseudo-terminal in a node."""

    @property
    def fd(self) -> int:
        """The master end, non-blocking. It reads as ended (EIO or nothing) once the program is gone."""
        ...

    def resize(self, *, columns: int, rows: int) -> None:
        """Tell the program how large its terminal is."""
        ...

    def close(self) -> None:
        """End the program with all it started. Idempotent."""
        ...


Foreground = Literal["prompt", "keys", "runs"]
"""What has a terminal: the program, which waits for a line; another one that reads single keys; one that runs."""


@runtime_checkable
class Attended(Protocol):
    """What a ``PtyProgram`` is beside in a network that can stand still."""

    def foreground(self) -> Foreground:
        """What has the terminal now. Keys that were pressed before and are not read yet let the program run."""
        ...

    def attend(self, *, attended: bool) -> None:
        """Say whether the program alone goes on while the network stands still: it waits for a line, and echoes keys.

        Raises:
            LabError: The lab broke.
        """
        ...


class Terminals(Protocol):
    """Programs on a pseudo-terminal in a node, without capabilities unless told otherwise."""

    def pty(self, argv: Sequence[str], *, writable: bool, columns: int = 80, rows: int = 24) -> PtyProgram:
        """Start an agent's program on a pseudo-terminal in the sandbox; ``writable`` as in ``AgentShell.shell``."""
        ...

    def cli(self, argv: Sequence[str], *, definition: Mapping[str, Any] | str, key: str = "main") -> CliSession:
        """The persistent session called ``key``: ``argv`` on a pty in the sandbox (no capabilities), driven by scrapli.

        Args:
            argv: Program and arguments, e.g. ``("vtysh",)``.
            definition: scrapli definition of the command line, a mapping or YAML text.
            key: Sessions of the same key are one session; it is opened at first use and reopened after it died.
        """
        ...

    def drop_cli(self, key: str = "main") -> None:
        """Close the session called ``key``; the next ``cli`` opens it anew."""
        ...


class CliLine(Protocol):
    """A connection to the command line of a device. It carries characters, and knows no prompt."""

    def read(self) -> bytes:
        """What the device has sent since the last call, without waiting; empty if that is nothing.

        Raises:
            LabError: The connection is gone.
        """
        ...

    def write(self, text: str) -> None:
        """Send keys.

        Raises:
            LabError: The connection is gone.
        """
        ...

    def close(self) -> None:
        """End the connection. Idempotent."""
        ...


class CommandLine(Protocol):
    """The command line of a device that runs by itself, however it is reached: SSH, a console server, a serial line."""

    @property
    def enable_secret(self) -> str:
        """The password of privileged mode; empty if there is none."""
        ...

    def connect(self) -> CliLine:
        """Open a connection on which the device has shown its prompt. Several may be open at once.

        Raises:
            LabError: The device does not answer, or does not let anybody in.
        """
        ...


@runtime_checkable
class OneLine(Protocol):
    """What a command line is beside ``CommandLine`` if all who connect share one line, as on a console.

    What one of them types the others see, so a session ends before the next one begins.
    """

    one_line: bool
