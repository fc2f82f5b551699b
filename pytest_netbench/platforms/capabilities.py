"""The capabilities of a node: what its driver, faults and tests can do with it.

Owns a key for each, and its protocol unless ``access`` or ``cluster_control`` does. Those of a whole lab are in
``lab/capabilities.py``.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Protocol, runtime_checkable

from pytest_netbench.model.trial import SshLogin
from pytest_netbench.platforms.access import (
    DEFAULT_LIMITS,
    CommandLine,
    Completed,
    Exec,
    Files,
    NodeAccess,
    SandboxLimits,
    Terminals,
)
from pytest_netbench.platforms.capability import Capability
from pytest_netbench.platforms.cluster_control import ClusterControl


class Processes(Protocol):
    """Long-running processes in a node, in lab time."""

    def start(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        lab_time: bool = True,
        name: str | None = None,
    ) -> None:
        """Start a long-running daemon in the node (not waiting), in lab time unless told otherwise.

        Args:
            argv: The program and its arguments.
            env: Variables of its environment, beside the usual ones.
            lab_time: Whether its clock is that of the lab.
            name: What it is called by ``ProgramControl``; the name of its file by default.
        """
        ...


@runtime_checkable
class Settling(Protocol):
    """Common startup lines of Linux, applied without a program for each."""

    def settle(self, lines: Sequence[str]) -> int:
        """Apply lines up to the first that needs a shell or that the kernel refuses; return how many were applied."""
        ...


class FrrSockets(Protocol):
    """The sockets on which FRR's daemons, and programs that imitate them, take commands."""

    def vty(self, requests: Sequence[tuple[str, str]]) -> list[tuple[str, int]]:
        """Ask FRR daemons over their own vty sockets: (daemon, command) to (output, FRR status code), in order."""
        ...


class AgentShell(Protocol):
    """A sandbox in the node for shell commands of an agent."""

    def shell(
        self,
        command: str,
        *,
        writable: bool,
        reads: Sequence[str] = (),
        limits: SandboxLimits = DEFAULT_LIMITS,
    ) -> Completed:
        """Run an agent's shell command in the sandbox.

        Args:
            command: Given to ``/bin/sh -c``.
            writable: ``True`` gives CAP_NET_ADMIN, CAP_NET_RAW and CAP_NET_BIND_SERVICE over the node's own network and
                a writable node file system; ``False`` gives no capability and a read-only one.
            reads: With ``writable=False``: programs (``nft``, ``iptables`` …) whose listings need a capability. A
                broker runs the real program for argument lists that it knows to be read-only.
            limits: What it may use.
        """
        ...


class StreamedProgram(Protocol):
    """An agent's program and its standard streams, as non-blocking descriptors that ``close`` closes."""

    @property
    def stdin(self) -> int:
        """What is written here the program reads. With a terminal, its master end."""
        ...

    @property
    def stdout(self) -> int:
        """What the program writes. With a terminal, its master end, which reads as ended (EIO) after it."""
        ...

    @property
    def stderr(self) -> int | None:
        """What the program writes to its standard error; ``None`` with a terminal."""
        ...

    @property
    def ended(self) -> int:
        """Can be read once the program has ended."""
        ...

    def status(self) -> Completed:
        """The exit status, once ``ended`` can be read; ``stderr`` says why the program was ended, if it was.

        Raises:
            LabError: It has not ended.
        """
        ...

    def close_stdin(self) -> None:
        """Let the program read the end of its input. Idempotent."""
        ...

    def resize(self, *, columns: int, rows: int) -> None:
        """Tell the program how large its terminal is."""
        ...

    def close(self) -> None:
        """End the program with all it started, and close the descriptors. Idempotent."""
        ...


@dataclass(frozen=True, kw_only=True)
class TerminalSize:
    """The size of a terminal, in characters."""

    columns: int = 80
    rows: int = 24


class Streams(Protocol):
    """An agent's programs in a node that share files, with their standard streams as descriptors.

    They have no capability, and see the files of the node read-only but for those in ``/tmp``, ``/home``, ``/root`` and
    ``/var/tmp``: these are an agent's own, and stay until ``clear``.
    """

    def stream(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        host_name: str | None = None,
        terminal: TerminalSize | None = None,
        limits: SandboxLimits = DEFAULT_LIMITS,
    ) -> StreamedProgram:
        """Start a program.

        Args:
            argv: The program and its arguments.
            env: Variables of its environment, beside the usual ones.
            host_name: What it sees as the name of its host; that of the node by default.
            terminal: The size of its terminal; ``None`` for three separate streams.
            limits: What it may use. Its output is not limited; ``timeout_s`` may be infinite.

        Raises:
            LabError: It cannot be started.
        """
        ...

    def clear(self) -> None:
        """End all processes of the node, and forget what they logged and the files of agents' programs."""
        ...


class DaemonControl(Protocol):
    """The daemons of a node's network OS, by name (``ospfd``, ``bgpd`` …)."""

    def running(self) -> tuple[str, ...]:
        """Names of the daemons that run now, sorted."""
        ...

    def stop(self, daemon: str) -> None:
        """End a daemon in order (SIGTERM) and return once it is gone. Does nothing if it does not run.

        Raises:
            LabError: The node has no daemon of that name, or it did not end.
        """
        ...

    def kill(self, daemon: str) -> None:
        """End a daemon at once (SIGKILL), without notice to its peers, and return once it has ended.

        Raises:
            LabError: The node has no daemon of that name.
        """
        ...

    def freeze(self, daemon: str) -> None:
        """Stop a daemon (SIGSTOP): it keeps its connections but sends nothing. ``resume`` continues it.

        Raises:
            LabError: The node has no daemon of that name.
        """
        ...

    def resume(self, daemon: str) -> None:
        """Let a frozen daemon run again (SIGCONT).

        Raises:
            LabError: The node has no daemon of that name.
        """
        ...

    def start(self, daemon: str) -> None:
        """Start a stopped daemon with its previous configuration; return once it takes commands. No effect if it runs.

        Raises:
            LabError: The node has no daemon of that name, or it did not start.
        """
        ...

    def configure(self, daemon: str, config: str) -> None:
        """Load configuration lines into a running daemon, without the driver and without an agent's policy checks.

        Raises:
            LabError: The daemon does not run, or refused a line; the text has the line and the daemon's message.
        """
        ...


@dataclass(frozen=True, kw_only=True)
class InterfaceCounters:
    """What passed an interface since the node started. Packets and bytes are those of frames."""

    received_packets: int
    received_bytes: int
    received_errors: int
    received_drops: int
    sent_packets: int
    sent_bytes: int
    sent_errors: int
    sent_drops: int


class Counters(Protocol):
    """The interface counters of a node."""

    def counters(self) -> Mapping[str, InterfaceCounters]:
        """By interface of the topology, in its order and by its own name.

        Raises:
            LabError: They could not be read.
        """
        ...


class MadeCall(NamedTuple):
    """A call of a service that has ended.

    Attributes:
        began: When it began, by the monotonic clock of this machine.
        url: What was called.
        status: That of HTTP, if an answer has one.
        total_ms: How long it took.
        error: Why it failed.
    """

    began: float
    url: str
    status: int | None
    total_ms: float
    error: str | None


class CallRecords(Protocol):
    """The calls that a pod makes of services."""

    def calls(self) -> Sequence[MadeCall]:
        """The last ones, in the order in which they ended. None without a pod.

        Raises:
            LabError: They could not be read.
        """
        ...


WHOLE_PACKETS: Final = 65_535
"""Bytes: no packet is longer."""


class PacketCapture(Protocol):
    """Captures of what the interfaces of a node send and receive."""

    def capture(
        self, interface: str, *, program: bytes, packets: int, duration_s: float, snapped: int = WHOLE_PACKETS
    ) -> bytes:
        """Return a pcap file of frames (link type Ethernet), the oldest first, with the dates of the lab.

        Args:
            interface: Of the topology.
            program: Classic BPF, eight bytes an instruction as in ``struct sock_filter``: which frames are captured.
            packets: It ends with so many.
            duration_s: It ends after so many wall seconds.
            snapped: Bytes that are kept of each frame.

        Raises:
            LabError: There is no such interface, or the kernel refuses the program.
        """
        ...


class DaemonLogs(Protocol):
    """What a node's daemons wrote to their logs."""

    def log(self, daemon: str) -> str:
        """The log of a daemon since the node started, one message a line, the oldest first; empty if it wrote nothing.

        Raises:
            LabError: The node has no daemon of that name, or its log could not be read.
        """
        ...


class ProgramControl(Protocol):
    """The long-running programs of a node, by the names that they were started with, or else those of their files."""

    def running(self) -> Mapping[str, bool]:
        """By program that runs: whether it is stopped at this moment."""
        ...

    def signal(self, program: str, number: int) -> bool:
        """Send a signal; whether the program ran."""
        ...

    def throttle(self, program: str, *, stopped_s: float, running_s: float) -> None:
        """Let a program run for ``running_s`` only after each ``stopped_s``; it runs freely if both are 0.

        Raises:
            LabError: It does not run.
        """
        ...

    def throttle_all(self, *, stopped_s: float, running_s: float) -> None:
        """The same for all processes of the node, those of an agent's commands too.

        A command that needs less than some hundredths of a second is mostly through before it is stopped.
        """
        ...


class NetworkSockets(Protocol):
    """TCP over IPv4 by programs of the framework that run elsewhere, with sockets that belong to the node's network."""

    def tcp_socket(self) -> socket.socket:
        """A new blocking TCP socket of the node's network, neither bound nor connected. It is the caller's.

        Raises:
            LabError: The lab is gone.
        """
        ...


class ChangeNotices(Protocol):
    """A node that sees each change itself, however it is made: by requests to an API."""

    def notify(self, listener: Callable[[str], AbstractContextManager[None]]) -> None:
        """Let each change happen within ``listener(what)``, and return to the agent once that is left."""
        ...


class Login(Protocol):
    """A login to a node's own command line over SSH."""

    def login(self) -> SshLogin:
        """Where and with which credentials to log in."""
        ...


@dataclass(frozen=True, kw_only=True)
class Passed:
    """How the clock of a lab was moved.

    Attributes:
        lab_s: Lab seconds that passed.
        wall_s: Wall seconds that this took.
        held_s: Those in which the clock passed like the wall, because something was on its way or did not sleep.
        moves: How often the clock was moved to a deadline.
        looks: How often all threads were looked at.
    """

    lab_s: float
    wall_s: float
    held_s: float
    moves: int
    looks: int


class LabTime(Protocol):
    """The clock of a lab, by which its daemons' timers and ages count."""

    def forward(self, lab_s: float) -> Passed:
        """Let lab time pass, from one event of the daemons to the next: as fast as they work, and never past one.

        Args:
            lab_s: How much, in lab seconds.

        Raises:
            LabError: The clock of this lab cannot be moved.
        """
        ...

    def change(self, factor: float, *, until: float | None = None) -> None:
        """Let lab time pass at ``factor`` lab seconds in a wall second from now on. A lab that was halted goes on.

        Args:
            factor: How fast.
            until: The date in the lab at which its clock stops, while its processes go on.

        Raises:
            LabError: The lab broke.
        """
        ...

    def halt(self) -> None:
        """Let lab time and all processes of the lab stand still until ``change``.

        Raises:
            LabError: The lab broke, or its clock is being moved.
        """
        ...

    def at(self, moment: float) -> float:
        """Return the date in the lab at a wall time since the deployment. Both in seconds since 1970."""
        ...


EXEC: Final = Capability[Exec]("exec", "programs that run in the node")
FILES: Final = Capability[Files]("files", "files that can be read and written")
TERMINAL: Final = Capability[Terminals]("terminal", "programs on a pseudo-terminal")
CLI: Final = Capability[CommandLine]("cli", "the command line of a device that runs by itself")
PROCESSES: Final = Capability[Processes]("processes", "long-running processes in lab time")
FRR_SOCKETS: Final = Capability[FrrSockets]("frr-sockets", "commands to FRR's daemons over their own sockets")
AGENT_SHELL: Final = Capability[AgentShell]("agent-shell", "a sandbox for shell commands of an agent")
DAEMONS: Final = Capability[DaemonControl]("daemons", "daemons that can be stopped, killed and started")
COUNTERS: Final = Capability[Counters]("counters", "interface counters")
CAPTURES: Final = Capability[PacketCapture]("captures", "packet captures")
CALLS: Final = Capability[CallRecords]("calls", "calls of services that a pod has made")
LOGS: Final = Capability[DaemonLogs]("logs", "logs of daemons")
PROGRAMS: Final = Capability[ProgramControl]("programs", "programs that can be ended and slowed down")
CLOCK: Final = Capability[LabTime]("clock", "the lab's clock")
SOCKETS: Final = Capability[NetworkSockets]("sockets", "sockets of the node's network for programs elsewhere")
STREAMS: Final = Capability[Streams]("streams", "an agent's programs with their standard streams as descriptors")
CLUSTER: Final = Capability[ClusterControl]("cluster", "the objects of a cluster")
NOTICES: Final = Capability[ChangeNotices]("notices", "changes that the node sees itself")
LOGIN: Final = Capability[Login]("login", "an SSH login to the node's own command line")

_EVERY: Final = (
    *(EXEC, FILES, TERMINAL, CLI, PROCESSES, FRR_SOCKETS, AGENT_SHELL),
    *(DAEMONS, COUNTERS, CAPTURES, CALLS, LOGS, PROGRAMS, CLOCK, SOCKETS, STREAMS, CLUSTER, NOTICES, LOGIN),
)
NODE_CAPABILITIES: Final[Mapping[str, Capability[Any]]] = {kind.name: kind for kind in _EVERY}
"""By name."""

HOST: Final = tuple(kind.name for kind in (EXEC, FILES, TERMINAL, PROCESSES, AGENT_SHELL))
"""What the drivers of Linux hosts require."""
HOSTED: Final = (*HOST, FRR_SOCKETS.name)
"""What the drivers of routers that run FRR require."""


class HostNode(NodeAccess, Exec, Files, Terminals, Processes, AgentShell, Protocol):
    """A node that is a Linux host: it implements what its driver requires itself."""


class HostedNode(HostNode, FrrSockets, Protocol):
    """A node whose routing is FRR's."""
