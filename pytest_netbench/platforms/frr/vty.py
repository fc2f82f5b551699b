"""FRR daemons' own vty protocol: a command and a zero byte; the answer, three zero bytes and a status."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Sequence
from itertools import groupby
from operator import itemgetter

from pytest_netbench.errors import LabError

TIMEOUT_S = 10.0
"""Wall seconds that a daemon has to accept a connection, and to answer."""
# Commands that are sent before the first answer is read. mgmtd loses pending commands while it runs a slow one.
_AT_ONCE = 64
_ONE_BY_ONE = frozenset({"mgmtd"})

Answer = tuple[str, int]


def path(daemon: str) -> str:
    """The socket of a daemon, in its node."""
    return f"/run/frr/{daemon}.vty"


class Vtys:
    """Connections to the daemons of a node, each opened at its first use. Implements ``capabilities.FrrSockets``.

    Args:
        node: Its name, for errors.
        connect: Connects to a daemon's socket; waits for a daemon that is still starting.
    """

    def __init__(self, node: str, connect: Callable[[str], socket.socket]) -> None:
        self._node = node
        self._connect = connect
        self._lock = threading.Lock()
        self._open: dict[str, _Vty] = {}

    def vty(self, requests: Sequence[tuple[str, str]]) -> list[tuple[str, int]]:
        """Ask daemons, see ``FrrSockets``."""
        return [
            answer
            for daemon, group in groupby(requests, key=itemgetter(0))
            for answer in self._to(daemon).ask([command for _, command in group])
        ]

    def _to(self, daemon: str) -> _Vty:
        with self._lock:
            if daemon not in self._open:
                self._open[daemon] = _Vty(self._node, daemon, self._connect)
            return self._open[daemon]

    def close(self) -> None:
        """Let go of all connections."""
        for one in self._open.values():
            one.close()


class _Vty:
    """A connection to one daemon, from any thread."""

    def __init__(self, node: str, daemon: str, connect: Callable[[str], socket.socket]) -> None:
        self._node = node
        self._daemon = daemon
        self._connect = connect
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        self._received = bytearray()

    def ask(self, commands: Sequence[str]) -> list[Answer]:
        """(output, FRR status code) of each command; waits for the daemon if it is still starting.

        A connection to a daemon that has ended is made anew, once: another one may run in its place.

        Raises:
            LabError: The daemon does not answer.
        """
        with self._lock:
            try:
                if self._socket is not None:
                    try:
                        return self._exchange_all(commands)
                    except ConnectionError:
                        self._close()
                self._socket = self._connected()
                self._exchange(["enable"])
                return self._exchange_all(commands)
            except OSError as error:
                self._close()
                what = commands[0] if len(commands) == 1 else f"{commands[0]} …"
                raise LabError(f"{self._node}: {self._daemon} does not answer {what!r}: {error}") from error

    def _connected(self) -> socket.socket:
        connection = self._connect(self._daemon)
        connection.setblocking(True)
        connection.settimeout(TIMEOUT_S)
        return connection

    def _exchange_all(self, commands: Sequence[str]) -> list[Answer]:
        at_once = 1 if self._daemon in _ONE_BY_ONE else _AT_ONCE
        return [
            answer
            for start in range(0, len(commands), at_once)
            for answer in self._exchange(commands[start : start + at_once])
        ]

    def _exchange(self, commands: Sequence[str]) -> list[Answer]:
        assert self._socket is not None
        self._socket.sendall(b"".join(command.encode() + b"\0" for command in commands))
        return [self._answer(self._socket) for _ in commands]

    def _answer(self, connection: socket.socket) -> Answer:
        # No answer holds a zero byte.
        while (end := self._received.find(b"\0\0\0")) < 0 or len(self._received) < end + 4:
            chunk = connection.recv(65536)
            if not chunk:
                raise ConnectionResetError("closed by the daemon")
            self._received += chunk
        text, status = self._received[:end].decode("utf-8", "replace"), self._received[end + 3]
        del self._received[: end + 4]
        return text, status

    def _close(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None
        self._received.clear()

    def close(self) -> None:
        """Let go of the connection."""
        with self._lock:
            self._close()
