"""What a link is made of outside of its nodes, and the programs that shape what it carries. Standard library only."""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
from collections.abc import Mapping
from typing import NamedTuple

from pytest_netbench.kernel.cabling.rtnetlink import End, Request, set_mtu, set_state, veth

MTU = 65_535
"""Of interfaces outside of nodes, so that the nodes' own MTUs decide."""
FIRST_INDEX = 10_000
"""Above all that a namespace gives its interfaces by itself."""

_DEFAULTED = (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGPIPE)


class WireProgram(NamedTuple):
    """The program that wires run.

    Attributes:
        path: Where it is.
        env: What its environment has beside the usual words.
        keep: Further descriptors by their numbers in the program.
    """

    path: str
    env: Mapping[str, str] = {}
    keep: Mapping[int, int] = {}


class Port(NamedTuple):
    """One endpoint of a link: name and index of the interface outside of the node."""

    name: str
    position: int


class Laid(NamedTuple):
    """One link as it is laid.

    Attributes:
        ports: One per endpoint, in the order of the topology; none for a cable that the kernel cannot redirect.
        bridge: Index of the bridge of a LAN.
        wired: Whether wires shape it.
    """

    ports: tuple[Port, ...]
    bridge: int | None = None
    wired: bool = False


def far_end(port: Port) -> str:
    """The interface at the other end of the wire before a port of a LAN."""
    return f"{port.name}f"


def extension(port: Port, bridge_index: int, indexes: tuple[int, int]) -> list[Request]:
    """What lies between the wire before a port of a LAN and the bridge."""
    far = far_end(port)
    pair = veth(End(f"{port.name}m", indexes[0]), End(far, indexes[1]), master=bridge_index, mtu=MTU)
    return [pair, set_mtu(far, MTU), set_state(far, up=True)]


def description(near: str, far: str) -> str:
    """What a wire between two interfaces is called among the programs that run."""
    return f"wire {near}-{far}"


def start_wire(program: WireProgram, near: str, far: str, arguments: list[str]) -> int:
    """Start a wire between two interfaces of this namespace; returns its pid once it forwards.

    Raises:
        OSError: It does not.
    """
    reader, writer = os.pipe()
    # Its other end stays open as long as this process lives; the wire goes with it.
    stdin, _ = os.pipe()
    try:
        pid = _spawned(program, [program.path, near, far, *arguments], (stdin, writer, 2))
    finally:
        for fd in (writer, stdin):
            os.close(fd)
    said = os.read(reader, 64)
    os.close(reader)
    if not said.startswith(b"ready"):
        with contextlib.suppress(ProcessLookupError, ChildProcessError):
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        raise OSError(f"the wire between {near} and {far} did not start")
    return pid


def _spawned(program: WireProgram, argv: list[str], stdio: tuple[int, int, int]) -> int:
    wanted = {**dict(enumerate(stdio)), **program.keep}
    lifted = {number: fcntl.fcntl(source, fcntl.F_DUPFD_CLOEXEC, 64) for number, source in wanted.items()}
    try:
        return os.posix_spawn(
            argv[0],
            argv,
            {"LANG": "C.UTF-8", **program.env},
            file_actions=[(os.POSIX_SPAWN_DUP2, source, number) for number, source in lifted.items()],
            setsigmask=(),
            setsigdef=_DEFAULTED,
        )
    finally:
        for fd in lifted.values():
            os.close(fd)
