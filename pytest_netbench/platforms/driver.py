"""The protocol of a driver, which configures and reads one network OS on the nodes of a lab.

A lab gives each node its driver. A driver reaches its nodes only through ``NodeAccess`` and the capabilities it
requires. Knowledge of the configuration language that needs no running node is in ``dialects/``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar, runtime_checkable

from pytest_netbench.model.hosting import HostService, ServerName
from pytest_netbench.model.trial import CommandStatus, RefusedLine
from pytest_netbench.platforms.access import DEFAULT_LIMITS, NodeAccess, SandboxLimits
from pytest_netbench.platforms.sessions import Excused, Neighbor, Session, none_excused
from pytest_netbench.platforms.terminal import Console, FileStore

NodeT_contra = TypeVar("NodeT_contra", bound=NodeAccess, contravariant=True)


@dataclass(frozen=True, kw_only=True)
class Pending:
    """What readiness still waits for, one phrase each, and a fingerprint of the routes to see that they are stable."""

    missing: tuple[str, ...] = ()
    fingerprint: str = ""
    excused: tuple[Session, ...] = ()
    """Sessions that are down and that the caller had excused."""


@dataclass(frozen=True, kw_only=True)
class Route:
    """One installed route, platform-neutral. ``protocol`` is the device's word (ospf, bgp, static, connected, …)."""

    prefix: str
    protocol: str
    next_hops: tuple[str, ...] = ()
    interfaces: tuple[str, ...] = ()
    metric: int | None = None
    distance: int | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


class Driver(Protocol[NodeT_contra]):
    """Operates the nodes of one network OS. Stateless: all state is in the node.

    ``NodeT_contra`` is what it needs of a node: ``NodeAccess``, or that with the capabilities that ``requires`` names.
    """

    name: str
    dialect: str
    """Name of the configuration language of its nodes."""
    requires: tuple[str, ...]
    """Names of the capabilities that its nodes must offer."""
    has_console: bool
    """Whether people can log in to its nodes."""

    def version(self, node: NodeT_contra) -> str | None:
        """Return the version of the network OS that ``node`` runs."""
        ...

    def pending(self, nodes: Mapping[str, NodeT_contra], *, excused: Excused = none_excused) -> Pending:
        """What is not yet up among *all* nodes of this driver in the lab, judged from both ends of each adjacency.

        A driver that reports session ends (``platforms.ends.ReportsEnds``) omits its sessions.

        Args:
            nodes: The nodes.
            excused: Whether a session is expected to be down; then ``missing`` omits it.
        """
        ...

    def apply(self, node: NodeT_contra, commands: Sequence[str]) -> list[CommandStatus]:
        """Apply configuration commands as the dialect's ``syntax.commit`` says.

        ``line``: one by one, continuing after an error, as a device does. ``batch``: all or none of them, with the
        statuses of ``platforms.batches.statuses_of_batch``.
        """
        ...

    def running_config(self, node: NodeT_contra) -> str:
        """The running config as text, which the dialect's ``syntax`` parses."""
        ...

    def execute(self, node: NodeT_contra, command: str, *, limits: SandboxLimits = DEFAULT_LIMITS) -> str:
        """Output of one read-only command; the device's own error text if it refuses. Cannot change state."""
        ...

    def routes(self, node: NodeT_contra, prefix: str) -> list[Route]:
        """Installed routes to exactly ``prefix``; empty if there is none."""
        ...

    def unenforced(self, node: NodeT_contra) -> Sequence[str]:
        """Lines of the running config that were accepted but are not implemented, each with the reason."""
        ...

    def console(self, node: NodeT_contra, *, enable_secret: str, read_only: bool = False) -> Console:
        """A new session for someone who has just logged in; asked for only if ``has_console``.

        Args:
            node: Where.
            enable_secret: The password of ``enable``, if the network OS has one.
            read_only: Nothing that is entered can change the device.
        """
        ...

    def files(self, node: NodeT_contra) -> FileStore | None:
        """The files of a node that users can copy, or ``None`` if its network OS has none."""
        ...


@runtime_checkable
class Boot(Protocol):
    """What a driver is beside ``Driver`` if its nodes do not come up by themselves."""

    def boot(self, node: Any, startup_config: str) -> Sequence[RefusedLine]:
        """Start what the node runs and load its startup config; return the lines that the device refused.

        Interfaces and their peers are already up; a config may shut them down. A refused line does not keep the device
        from loading the others.
        """
        ...


@runtime_checkable
class NeedsPrograms(Protocol):
    """What a driver is beside ``Driver`` if lines of configurations need programs of a node."""

    def programs_for(self, lines: Sequence[str]) -> Sequence[str]:
        """Return the programs that must run on a node for these lines, beside those that run on each."""
        ...


@runtime_checkable
class RunsHere(Protocol):
    """What a driver is beside ``Driver`` if its network OS runs on this machine, over this machine's kernel."""

    def installed_version(self) -> str | None:
        """Return the version of the network OS that is installed here; ``None`` if there is none."""
        ...

    def kernel_interface(self, interface: str) -> str:
        """The name of an interface in the kernel of a node (at most 15 characters).

        Raises:
            ValueError: The name cannot be an interface of this network OS.
        """
        ...


class HostedDriver(Driver[Any], Boot, RunsHere, Protocol):
    """A driver whose nodes this project runs itself."""


@dataclass(frozen=True, kw_only=True)
class PlannedNode:
    """A node that does not run: what a topology says of it."""

    name: str
    role: str | None
    interfaces: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Rehearsal:
    """What a device would refuse: lines of its startup config, and for each batch the status of each command."""

    refused: tuple[RefusedLine, ...]
    batches: tuple[tuple[CommandStatus, ...], ...]


@runtime_checkable
class Rehearses(Protocol):
    """What a driver may offer beyond ``Driver``: reading a configuration as its devices do, without a running one."""

    def rehearse(self, node: PlannedNode, startup_config: str, batches: Sequence[Sequence[str]]) -> Rehearsal | None:
        """What the device would refuse. What only a running network can tell counts as accepted.

        Args:
            node: The node.
            startup_config: What it boots with.
            batches: Configuration commands, each batch typed after the startup config and apart from the others.

        Returns:
            ``None`` if this machine cannot tell.
        """
        ...


@runtime_checkable
class ReadsCommands(Protocol):
    """What a driver may offer beyond ``Driver``: what a typed line stands for."""

    def readings(self, node: Any, line: str) -> Sequence[str]:
        """The full forms of ``line``, one for each mode in which it is a command; empty if it is none."""
        ...


@runtime_checkable
class ListsRoutes(Protocol):
    """What a driver may offer beyond ``Driver``: all routes of a node at once, to find those that nobody asked for."""

    def table(self, node: Any) -> list[Route]:
        """All installed routes of ``node``, connected ones too."""
        ...


@runtime_checkable
class ListsNeighbors(Protocol):
    """What a driver may offer beyond ``Driver``: the neighbors of a node's routing protocols."""

    def neighbors(self, node: Any) -> list[Neighbor]:
        """The neighbors that the routing protocols of ``node`` know, those that are down too if they are configured."""
        ...


@runtime_checkable
class AppliesUnseen(Protocol):
    """What a driver may offer beyond ``Driver``: changes of which a device tells nothing, to inject faults."""

    def apply_unseen(self, node: Any, commands: Sequence[str]) -> list[CommandStatus]:
        """Apply configuration commands as ``apply`` does, and leave no trace of the change.

        There is no log line and no history of it. What protocols log of its consequences stays, as on a real device.
        """
        ...


@runtime_checkable
class HostsServers(Protocol):
    """What a driver may offer beyond ``Driver``: servers that run on its nodes."""

    def serve(self, node: Any, hosted: Sequence[HostService]) -> None:
        """Write the files of services, and start the servers.

        Raises:
            LabError: A file cannot be written, or a server not be started.
        """
        ...

    def withdraw(self, node: Any, hosted: Sequence[HostService]) -> None:
        """End servers and remove their files.

        Raises:
            LabError: A server does not end, or a file cannot be removed.
        """
        ...

    def ask_again(self, node: Any) -> None:
        """Let the DHCP client of a node give its lease back, and ask for one."""
        ...

    def refresh_files(self, node: Any, hosted: Sequence[HostService]) -> None:
        """Write each file of services as it is, so that no time of a change tells which one was changed."""
        ...

    def forget_sessions(self, node: Any, hosted: Sequence[HostService]) -> None:
        """Let services begin anew with their peers, so that no age and no counter tells what was done to them."""
        ...

    def start_server(self, node: Any, kind: ServerName) -> None:
        """Start a server; without effect if it runs."""
        ...

    def end_server(self, node: Any, kind: ServerName) -> None:
        """End a server in order, and return once it is gone.

        Raises:
            LabError: It does not end.
        """
        ...

    def server_runs(self, node: Any, kind: ServerName) -> bool:
        """Whether a server runs, be it slowed down or not."""
        ...

    def throttle_server(self, node: Any, kind: ServerName, *, stopped_s: float, running_s: float) -> None:
        """Let a server run for ``running_s`` after each ``stopped_s`` only, in wall seconds; freely if both are 0."""
        ...


@runtime_checkable
class RunsInWallTime(Protocol):
    """What a driver may say beyond ``Driver``: whether the programs of its nodes run in lab time."""

    in_lab_time: bool


@runtime_checkable
class BootsAtOnce(Protocol):
    """What a driver may say beyond ``Driver``: whether its nodes boot while no lab time passes."""

    boots_at_once: bool


@runtime_checkable
class ReadsRawFrames(Protocol):
    """What a driver may say beyond ``Driver``: its nodes read frames in a program, so senders must write checksums."""

    reads_raw_frames: bool


@runtime_checkable
class ImportsPackages(Protocol):
    """What a driver may say beyond ``Driver``: Python packages of this environment that its nodes' programs import.

    A node finds each as an archive, ``/opt/netbench/lib/NAME.zip``, compiled for the interpreter in ``/usr``.
    """

    packages: tuple[str, ...]
