"""An agent's programs whose standard streams their owner holds, and files that they share. Standard library only."""

from __future__ import annotations

import json
import os
import selectors
import socket
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from typing import Any

from pytest_netbench.backends.netns.supervisor import sandbox, terminals
from pytest_netbench.backends.netns.supervisor.daemons import Daemons
from pytest_netbench.backends.netns.supervisor.jobs import Jobs
from pytest_netbench.backends.netns.supervisor.network import Network
from pytest_netbench.backends.netns.supervisor.owner import Message, Owner
from pytest_netbench.backends.netns.supervisor.spawn import Namespaces, Stdio
from pytest_netbench.kernel import syscalls as sys
from pytest_netbench.kernel.confinement import Limits

_SHARED = ("/home", "/root", "/var/tmp")
_FILLED = "/tmp"


class Scratches:
    """Mount namespaces, one for each node with such programs; made at first use.

    Args:
        home: Descriptor of the mount namespace of this process.
    """

    def __init__(self, home: int) -> None:
        self._home = home
        self._made: dict[Namespaces, int] = {}

    def of(self, node: Namespaces, *, disk_bytes: int) -> int:
        """Return a descriptor of the mount namespace with a node's files of agents.

        Args:
            node: Which.
            disk_bytes: How much fits in all of them, for the one who asks first.

        Raises:
            OSError: It could not be made.
        """
        if node not in self._made:
            sys.setns(node.mount, sys.CLONE_NEWNS)
            try:
                self._made[node] = _open_beside(disk_bytes)
            finally:
                sys.setns(self._home, sys.CLONE_NEWNS)
        return self._made[node]

    def drop(self, node: Namespaces) -> None:
        """Forget the files of a node. Programs that run keep them to their end."""
        made = self._made.pop(node, None)
        if made is not None:
            os.close(made)


def _open_beside(disk_bytes: int) -> int:
    sys.unshare(sys.CLONE_NEWNS)
    size = f"size={disk_bytes},nr_inodes=4096,mode=1777"
    sys.mount("scratch", _FILLED, "tmpfs", sys.MS_NOSUID | sys.MS_NODEV, size)
    for path in _SHARED:
        sys.mount("scratch", path, "tmpfs", sys.MS_NOSUID | sys.MS_NODEV, size)
    return os.open("/proc/self/ns/mnt", os.O_RDONLY | os.O_CLOEXEC)


class Streams:
    """Starts programs; each ends with its end of a socket pair that its owner closes, at the latest with its time."""

    def __init__(
        self, *, owner: Owner, network: Network, jobs: Jobs, daemons: Daemons, selector: selectors.BaseSelector
    ) -> None:
        self._owner = owner
        self._spaces = network.spaces
        self._jobs = jobs
        self._daemons = daemons
        self._selector = selector
        self._scratches = Scratches(network.home.mount)
        self._running: dict[int, socket.socket] = {}

    @property
    def run(self) -> bool:
        """Whether a program runs."""
        return bool(self._running)

    def start(self, request: Message) -> None:
        """Start a program; the answer has the end of its socket pair, then its standard streams or its terminal."""
        with ExitStack() as theirs:
            size = request["terminal"]
            stdio, given = _pipes(theirs) if size is None else _terminal(theirs, *size)
            ours, end = socket.socketpair()
            theirs.enter_context(end)
            try:
                pid = self._spawn(request, stdio)
            except BaseException:
                ours.close()
                raise
            self._follow(request, pid, ours)
            self._owner.answer(request, {"pid": pid}, fds=[end.fileno(), *given])

    def _spawn(self, request: Message, stdio: Stdio) -> int:
        node = self._spaces[request["node"]]
        return sandbox.spawn_agent(
            node,
            request["argv"],
            stdio,
            writable=False,
            limits=Limits.of(request),
            terminal=request["terminal"] is not None,
            scratch=self._scratches.of(node, disk_bytes=request["disk_bytes"]),
            env=request["env"],
            host_name=request["host_name"],
        )

    def _follow(self, request: Message, pid: int, ours: socket.socket) -> None:
        ours.setblocking(False)
        self._running[pid] = ours
        self._selector.register(ours, selectors.EVENT_READ, partial(self._abandoned, pid))
        self._jobs.watch(
            pid,
            memory_bytes=request["memory_bytes"],
            growth=None,
            done=partial(self._ended, pid),
            timeout_s=request["lives_s"],
        )

    def _abandoned(self, pid: int) -> None:
        """Kill a program whose owner has closed its end. It is still a child of this process."""
        self._selector.unregister(self._running[pid])
        self._jobs.end(pid)

    def _ended(self, pid: int, result: dict[str, Any]) -> None:
        ours = self._running.pop(pid)
        if ours.fileno() in self._selector.get_map():
            self._selector.unregister(ours)
        with ours:
            try:
                ours.send(json.dumps(result).encode())
            except OSError:  # nobody asks
                return

    def clear(self, request: Message) -> Message:
        """End all processes of a node, and forget files of agents' programs and logs."""
        self._daemons.clear(request["node"])
        self._scratches.drop(self._spaces[request["node"]])
        return {}


def _pipes(theirs: ExitStack) -> tuple[Stdio, Sequence[int]]:
    """Three pipes: the program's ends, and those of the owner. All are closed here with ``theirs``."""
    stdin, out, err = os.pipe(), os.pipe(), os.pipe()
    for fd in (*stdin, *out, *err):
        theirs.callback(os.close, fd)
    return (stdin[0], out[1], err[1]), (stdin[1], out[0], err[0])


def _terminal(theirs: ExitStack, columns: int, rows: int) -> tuple[Stdio, Sequence[int]]:
    master, slave = terminals.open_terminal(columns=columns, rows=rows)
    for fd in (master, slave):
        theirs.callback(os.close, fd)
    return (slave, slave, slave), (master,)
