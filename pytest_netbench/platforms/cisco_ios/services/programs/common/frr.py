"""A client of FRR's daemons on this node, over their vty sockets.

A request is a command and a zero byte; the response is the answer, three zero bytes and a status.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Iterable

_TIMEOUT_S = 600.0  # seconds of lab time
_LONGEST_LOCK_S = 200.0
_TRY_EVERY_S = 0.05  # FRR tells nobody that its configuration is unlocked
# mgmtd accepts one change at a time, and none while it configures a daemon that has just connected
_LOCKED = "could not lock"


def configure(lines: Iterable[tuple[str, str]], *, directory: str = "/run/frr") -> list[str]:
    """Enter (daemon, line) pairs; return errors, one sentence each."""
    refused = []
    by_daemon: dict[str, list[str]] = {}
    for daemon, line in lines:
        by_daemon.setdefault(daemon, []).append(line)
    for daemon, own in by_daemon.items():
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(_TIMEOUT_S)
            connection.connect(f"{directory}/{daemon}.vty")
            for line in ("enable", "configure terminal", *own, "end"):
                text, status = _ask_until_unlocked(connection, line)
                if status:
                    refused.append(f"{daemon}: {line}: {text.strip() or status}")
    return refused


def _ask_until_unlocked(connection: socket.socket, line: str) -> tuple[str, int]:
    latest = time.monotonic() + _LONGEST_LOCK_S
    while True:
        text, status = _ask(connection, line)
        if not status or _LOCKED not in text or time.monotonic() > latest:
            return text, status
        time.sleep(_TRY_EVERY_S)


def _ask(connection: socket.socket, line: str) -> tuple[str, int]:
    connection.sendall(line.encode() + b"\0")
    answer = bytearray()
    while len(answer) < 4 or answer[-4:-1] != b"\0\0\0":
        chunk = connection.recv(65536)
        if not chunk:
            raise ConnectionResetError("closed by the daemon")
        answer += chunk
    return answer[:-4].decode("utf-8", "replace"), answer[-1]
