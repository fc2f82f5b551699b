"""What a platform is, and what a node must offer to it.

A platform knows one network OS: how to boot it, apply and read its config, what is read-only, when it is ready.
It reaches a node only through ``NodeAccess``, which every backend implements.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable

from pytest_netbench.model.topology import Endpoint
from pytest_netbench.model.trial import CommandStatus, RefusedLine


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


class NodeAccess(Protocol):
    """One running node, as its platform may use it."""

    @property
    def name(self) -> str: ...

    @property
    def platform(self) -> str: ...

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
        """By interface: what its link carries in bit/s, for links that are limited."""
        ...

    @property
    def memory(self) -> dict[str, Any]:
        """What the node's platform keeps of it in this process; gone with the lab."""
        ...

    @property
    def time_scale(self) -> float: ...

    def run(self, argv: Sequence[str], *, input: str | None = None, timeout_s: float = 30.0) -> Completed:
        """Run a trusted command of the framework in the node with the lab's full rights, no shell."""
        ...

    def run_many(self, argvs: Sequence[Sequence[str]], *, timeout_s: float = 30.0) -> list[Completed]:
        """Run several trusted commands one after the other in one round trip."""
        ...

    def shell(
        self,
        command: str,
        *,
        writable: bool,
        reads: Sequence[str] = (),
        limits: SandboxLimits = SandboxLimits(),
    ) -> Completed:
        """Run an agent's shell command in the sandbox.

        Args:
            command: Given to ``/bin/sh -c``.
            writable: ``True`` gives CAP_NET_ADMIN, CAP_NET_RAW and CAP_NET_BIND_SERVICE over the node's own network and
                a writable node file system; ``False`` gives no capability and a read-only one.
            reads: With ``writable=False``: programs (``nft``, ``iptables`` …) whose listings need a capability. They are
                answered by a broker that runs the real program for argument lists that the broker knows to be reads.
            limits: What it may use.
        """
        ...

    def start(self, argv: Sequence[str], *, env: Mapping[str, str] | None = None, lab_time: bool = True) -> None:
        """Start a long-running daemon in the node (not waiting), in lab time unless told otherwise."""
        ...

    def vty(self, requests: Sequence[tuple[str, str]]) -> list[tuple[str, int]]:
        """Ask FRR daemons over their own vty sockets: (daemon, command) to (output, FRR status code), in order."""
        ...

    def write_file(self, path: str, text: str, *, mode: int = 0o644) -> None: ...

    def read_file(self, path: str) -> str: ...

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

    def pty(self, argv: Sequence[str], *, writable: bool, columns: int = 80, rows: int = 24) -> PtyProgram:
        """Start a program of the agent's on a pseudo-terminal in the sandbox; ``writable`` as in ``shell``."""
        ...


@runtime_checkable
class Settling(Protocol):
    """Optional for a node: applies common startup lines of Linux without starting a program for them."""

    def settle(self, lines: Sequence[str]) -> int:
        """Apply lines up to the first that needs a shell or that the kernel refuses; return how many were applied."""
        ...


@dataclass(frozen=True, kw_only=True)
class Pending:
    """What readiness still waits for, one phrase each, and a fingerprint of the routes to see that they are stable."""

    missing: tuple[str, ...] = ()
    fingerprint: str = ""


@dataclass(frozen=True, kw_only=True)
class Route:
    """One installed route in the platform-neutral form. ``protocol`` is the device's word (ospf, bgp, static, connected, …)."""

    prefix: str
    protocol: str
    next_hops: tuple[str, ...] = ()
    interfaces: tuple[str, ...] = ()
    metric: int | None = None
    distance: int | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


class Platform(Protocol):
    """Knowledge of one network OS. Stateless: all state is in the node."""

    name: str

    def version(self) -> str | None:
        """Version of the network OS on this machine, or ``None`` if it is not installed."""
        ...

    def kernel_interface(self, interface: str) -> str:
        """The kernel's name for the platform's interface name (at most 15 characters).

        Raises:
            ValueError: The name cannot be an interface of this platform.
        """
        ...

    def boot(self, node: NodeAccess, startup_config: str) -> Sequence[RefusedLine]:
        """Start what the node runs and load its startup config; return the lines that the device refused.

        Interfaces are up already, their far ends too; a config that shuts one down has the last word. A refused line does
        not keep the device from loading the others.
        """
        ...

    def pending(self, nodes: Mapping[str, NodeAccess]) -> Pending:
        """What is not yet up among *all* nodes of this platform in the lab, judged from both ends of each adjacency."""
        ...

    def apply(self, node: NodeAccess, commands: Sequence[str]) -> list[CommandStatus]:
        """Apply configuration commands one by one; goes on after an error, as a device does."""
        ...

    def running_config(self, node: NodeAccess) -> str:
        """The running config as text, hierarchical by indentation."""
        ...

    def execute(self, node: NodeAccess, command: str, *, limits: SandboxLimits = SandboxLimits()) -> str:
        """Output of one read-only command; the device's own error text if it refuses. Cannot change state."""
        ...

    def routes(self, node: NodeAccess, prefix: str) -> list[Route]:
        """Installed routes to exactly ``prefix``; empty if there is none."""
        ...

    def normalise(self, line: str) -> str | None:
        """A config line in canonical form for comparison, or ``None`` for a line that says nothing (``!``, banners)."""
        ...

    def free_names(self) -> Sequence[tuple[str, str]]:
        """(kind, regular expression with one group) pairs for identifiers a person may choose freely in config lines.

        A kind that ends in ``sequence`` is a position in an ordered list: its number is not compared, its rank is.
        """
        ...

    # optional: unenforced(node) -> Sequence[str], lines that were accepted without doing what they say, each with the reason;
    # rearrange(tree), see scorers/dialect.py

    def ordered_block(self, parents: tuple[str, ...], line: str) -> str | None:
        """The ordered list a config line belongs to, or ``None`` if its place among its siblings does not matter.

        Args:
            parents: The normalised lines above it, outermost first.
            line: The normalised line, e.g. ``ip prefix-list OUT seq 5 permit 10.0.0.0/8``.

        Returns:
            A key that is equal for all siblings of the same list, e.g. ``ip prefix-list OUT``.
        """
        ...


CommandKind = Literal["read", "configure", "session"]
"""What an entered line asks for: to see something, to change the configuration, or only to move about in the session."""


class TypedCommand(Protocol):
    """A command under way at a terminal."""

    refused: str
    """The device's words, if it did not take the command. The console sets it."""


class CommandNotPermitted(Exception):
    """A command may not be run: the budget is used up, or the trial has ended. The text is for whoever typed it."""


class HungUp(EOFError):
    """Nobody is at the terminal any more: nothing is read and nobody would see what is written."""


class Terminal(Protocol):
    """Whoever types at a console, as the console sees them: keys come in, text goes out."""

    @property
    def columns(self) -> int: ...

    @property
    def rows(self) -> int: ...

    @property
    def waiting(self) -> bool:
        """Whether keys have come that were not read yet: a console may put off work that is done once for many lines."""
        ...

    def read(self, *, timeout_s: float | None = None) -> str:
        """Keys in the order they were pressed, as many as there are; ``""`` if none came in time or the size changed.

        Raises:
            EOFError: No more keys will come; text may still be shown.
            HungUp: Nobody is there any more.
        """
        ...

    def write(self, text: str) -> None:
        r"""Show text. A new line is ``\r\n``, as on any terminal.

        Raises:
            HungUp: Nobody is there any more.
        """
        ...

    def command(self, line: str, *, kind: CommandKind = "read") -> AbstractContextManager[TypedCommand]:
        """Around the work for one entered line: counts it, and records it with all that is written meanwhile.

        Args:
            line: What was entered. A blank line is free; a password never goes in here.
            kind: What it asks for. Lines of kind ``session`` are recorded and free.

        Raises:
            CommandNotPermitted: It must not be run. The console says why and goes on.
        """
        ...


class Console(Protocol):
    """One session on a node's own command line, from login to logout; one thread serves it.

    The console does what a terminal line does: echo, line editing, ``?`` and Tab at once, paging, confirmations,
    Ctrl-C. It reads and writes a ``Terminal`` and knows nothing of what carries it.
    """

    def converse(self, terminal: Terminal) -> None:
        """Serve whoever is at the terminal until they leave.

        Raises:
            EOFError: They hung up.
        """
        ...

    def execute(self, terminal: Terminal, command: str) -> int:
        """Run one command with no dialogue, as ``ssh host command`` does; returns its exit status."""
        ...


class FileStore(Protocol):
    """The files of a device as ``scp`` and ``sftp`` see them: one flat folder."""

    def names(self) -> Sequence[str]: ...

    def load(self, name: str) -> bytes:
        """Contents of a file.

        Raises:
            FileNotFoundError: There is none of that name.
        """
        ...

    def store(self, name: str, data: bytes) -> None:
        """Write a file whole.

        Raises:
            OSError: It cannot be kept, e.g. there is no room.
        """
        ...

    def remove(self, name: str) -> None:
        """Delete a file.

        Raises:
            FileNotFoundError: There is none of that name.
        """
        ...


@dataclass(frozen=True, kw_only=True)
class ManualSection:
    """One section of a command reference: what a person would look up at once. Plain text."""

    title: str
    text: str


class ConsolePlatform(Protocol):
    """What a platform offers beside ``Platform`` if people can log in to its nodes. Optional."""

    def console(self, node: NodeAccess, *, enable_secret: str) -> Console:
        """A new session for someone who has just logged in.

        Args:
            node: Where.
            enable_secret: What ``enable`` asks for, if the network OS has such a thing.
        """
        ...


class FilePlatform(Protocol):
    """What a platform offers beside ``Platform`` if its nodes have files that people copy. Optional."""

    def files(self, node: NodeAccess) -> FileStore: ...


class ManualPlatform(Protocol):
    """What a platform offers beside ``Platform`` if it has a command reference. Optional."""

    def manual(self) -> Sequence[ManualSection]:
        """The whole reference; may take a moment, and is asked for once in a process."""
        ...
