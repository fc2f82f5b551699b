"""Starts a program for each connection to a port, for so many at a time at most. More wait to be accepted.

Standard library only: it runs in nodes, from its source, by the Python that nodes have.
"""

from __future__ import annotations

import contextlib
import os
import socket
import sys
from collections import deque
from typing import NoReturn

_BACKLOG = 9  # as the one that BusyBox has


class Inetd:
    """The connections of a listener.

    Args:
        listener: A socket that listens.
        argv: The program and its arguments. A connection is its input and its output.
        most: So many connections have a program at a time.
    """

    def __init__(self, listener: socket.socket, argv: list[str], most: int) -> None:
        self._listener = listener
        self._argv = argv
        self._most = most
        self._accepted: deque[socket.socket] = deque()
        self._running = 0

    def serve_some(self) -> None:
        """Wait for a connection, start a program for each that waits, and wait while there are too many."""
        self._accept(waits=True)
        while self._accepted:
            with self._accepted.popleft() as one:
                self._start(one.fileno())
            # the queue of the kernel's is short, and to start a program takes long
            self._accept(waits=False)
        self._forget_ended()

    def _start(self, number: int) -> None:
        into = [(os.POSIX_SPAWN_DUP2, number, standard) for standard in (0, 1)]
        with contextlib.suppress(OSError):  # a machine has too many processes for a moment
            os.posix_spawn(self._argv[0], self._argv, {}, file_actions=into)
            self._running += 1

    def _accept(self, *, waits: bool) -> None:
        self._listener.setblocking(waits)
        with contextlib.suppress(OSError):  # none waits, or the next one has ended
            while self._running + len(self._accepted) < self._most:
                self._accepted.append(self._listener.accept()[0])
                self._listener.setblocking(False)

    def _forget_ended(self) -> None:
        while self._running:
            ended, _ = os.waitpid(-1, 0 if self._running >= self._most else os.WNOHANG)
            if not ended:
                return
            self._running -= 1


def main(port: str, most: str, *argv: str) -> NoReturn:
    """Serve until this process is ended."""
    dual = socket.has_dualstack_ipv6()
    family = socket.AF_INET6 if dual else socket.AF_INET
    inetd = Inetd(
        socket.create_server(("", int(port)), family=family, dualstack_ipv6=dual, backlog=_BACKLOG),
        list(argv),
        int(most),
    )
    while True:
        inetd.serve_some()


if __name__ == "__main__":
    main(*sys.argv[1:])
