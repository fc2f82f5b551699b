"""Sockets of nodes: new ones, and connections to Unix sockets as soon as a program listens. Standard library only."""

from __future__ import annotations

import os
import socket
import time

from pytest_netbench.backends.netns.supervisor.jobs import Jobs
from pytest_netbench.backends.netns.supervisor.network import Network
from pytest_netbench.backends.netns.supervisor.owner import Message, Owner
from pytest_netbench.kernel import syscalls as sys

_EVERY_S = 0.003
_NOBODY_LISTENS = (FileNotFoundError, ConnectionRefusedError, BlockingIOError)


class Connects:
    """Attempts under way; a connection is the owner's once it is made."""

    def __init__(self, *, owner: Owner, network: Network, jobs: Jobs) -> None:
        self._owner = owner
        self._spaces = network.spaces
        self._jobs = jobs
        self._waiting: list[tuple[Message, float]] = []

    def connect(self, request: Message) -> None:
        """Answer ``request`` with a connection, or once its time is over."""
        self._waiting.append((request, time.monotonic() + request["timeout_s"]))
        self.retry()

    def open(self, request: Message) -> None:
        """Answer ``request`` with a new TCP socket of a node's network."""
        node = self._spaces[request["node"]]
        sys.setns(node.network, sys.CLONE_NEWNET)
        try:
            opened = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        finally:
            sys.setns(node.home.network, sys.CLONE_NEWNET)
        with opened:
            self._owner.answer(request, {}, fds=[opened.fileno()])

    def wait_s(self) -> float | None:
        """Seconds until somebody should be tried again, or ``None``."""
        return _EVERY_S if self._waiting else None

    def retry(self) -> None:
        """Try all that wait."""
        self._waiting = [(request, deadline) for request, deadline in self._waiting if not self._try(request, deadline)]

    def _try(self, request: Message, deadline: float) -> bool:
        """Whether the request is answered."""
        try:
            with _connected(self._spaces[request["node"]].root, request["path"]) as connection:
                self._owner.answer(request, {}, fds=[connection.fileno()])
        except _NOBODY_LISTENS as error:
            if time.monotonic() < deadline:
                return False
            self._owner.refuse(request, f"{request['path']}: {error.strerror}{self._deaths()}")
        except OSError as error:
            self._owner.refuse(request, f"{request['path']}: {error}")
        return True

    def _deaths(self) -> str:
        return "".join(f"; {what} ended with status {code}" for what, code in self._jobs.ended_daemons[-3:])


def _connected(root: int, path: str) -> socket.socket:
    handle = sys.open_in_root(root, path, os.O_PATH)
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.setblocking(False)
        connection.connect(f"/proc/self/fd/{handle}")
    except OSError:
        connection.close()
        raise
    finally:
        os.close(handle)
    return connection
