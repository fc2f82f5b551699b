"""A console server: a telnet port, behind which one line to a device stays open (RFC 854, 857, 858)."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from typing import Final

from pytest_netbench.errors import LabError
from pytest_netbench.platforms.access import CliLine

_IAC: Final = 255
_INTRODUCTION: Final = bytes([_IAC, 251, 1, _IAC, 251, 3])
"""It echoes what is typed, and waits for no turns."""
_PAUSE_S = 0.005


class ConsoleServer:
    """Serves one connection at a time until closed, on loopback.

    Args:
        line: The line to the device.
        listener: Where it is served; ``None`` takes any port.
    """

    def __init__(self, line: CliLine, *, listener: socket.socket | None = None) -> None:
        self._line = line
        self._listener = socket.create_server(("127.0.0.1", 0)) if listener is None else listener
        self._listener.settimeout(0.2)
        self.port = int(self._listener.getsockname()[1])
        self.connections = 0
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._closed.set()
        self._thread.join()
        self._listener.close()
        self._line.close()

    def _serve(self) -> None:
        while not self._closed.is_set():
            try:
                peer, _ = self._listener.accept()
            except TimeoutError:
                continue
            self.connections += 1
            with peer, contextlib.suppress(OSError, LabError):
                peer.sendall(_INTRODUCTION)
                peer.setblocking(False)
                self._relay(peer)

    def _relay(self, peer: socket.socket) -> None:
        while not self._closed.is_set():
            if text := self._line.read():
                peer.setblocking(True)
                peer.sendall(text.replace(bytes([_IAC]), bytes([_IAC, _IAC])))
                peer.setblocking(False)
            try:
                keys = peer.recv(4096)
            except BlockingIOError:
                time.sleep(_PAUSE_S)
                continue
            if not keys:
                return
            self._line.write(_typed(keys).decode("utf-8", "replace"))


def _typed(keys: bytes) -> bytes:
    """Keys without what is negotiated, and with one byte for Enter."""
    out, at = bytearray(), 0
    while at < len(keys):
        if keys[at] == _IAC:
            at += 3
            continue
        out.append(keys[at])
        at += 1
    return bytes(out).replace(b"\r\0", b"\r").replace(b"\r\n", b"\r")
