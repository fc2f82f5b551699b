"""FRR daemons' own vty protocol: a command and a zero byte; the answer, three zero bytes and a status."""

from __future__ import annotations

import os
import socket
import threading

from pytest_netbench.backends.netns.channel import Channel
from pytest_netbench.errors import LabError

_TIMEOUT_S = 10.0


class Vty:
    """A connection to one daemon, from any thread."""

    def __init__(self, channel: Channel, node: str, daemon: str) -> None:
        self._channel = channel
        self._node = node
        self._daemon = daemon
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None

    def ask(self, command: str) -> tuple[str, int]:
        """(output, FRR status code) of one command; waits for the daemon if it is still starting.

        A connection to a daemon that has ended is made anew, once: another one may run in its place.

        Raises:
            LabError: The daemon does not answer.
        """
        with self._lock:
            try:
                if self._socket is not None:
                    try:
                        return self._exchange(command)
                    except ConnectionError:
                        self._close()
                self._socket = self._connect()
                self._exchange("enable")
                return self._exchange(command)
            except OSError as error:
                self._close()
                raise LabError(f"{self._node}: {self._daemon} does not answer {command!r}: {error}") from error

    def _connect(self) -> socket.socket:
        _, fd = self._channel.call_for_fd(
            "connect", node=self._node, path=f"/run/frr/{self._daemon}.vty", timeout_s=_TIMEOUT_S
        )
        os.set_blocking(fd, True)
        connection = socket.socket(fileno=fd)
        connection.settimeout(_TIMEOUT_S)
        return connection

    def _exchange(self, command: str) -> tuple[str, int]:
        assert self._socket is not None
        self._socket.sendall(command.encode() + b"\0")
        answer = bytearray()
        while len(answer) < 4 or answer[-4:-1] != b"\0\0\0":
            chunk = self._socket.recv(65536)
            if not chunk:
                raise ConnectionResetError("closed by the daemon")
            answer += chunk
        return answer[:-4].decode("utf-8", "replace"), answer[-1]

    def _close(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def close(self) -> None:
        """Let go of the connection."""
        with self._lock:
            self._close()
