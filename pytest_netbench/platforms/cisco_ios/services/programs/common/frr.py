"""FRR's daemons of this node, over their vty sockets (a command and a zero byte; the answer, three zero bytes, a status)."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterable

_TIMEOUT_S = 600.0  # of lab time
_LONGEST_LOCK_S = 200.0
_TRY_EVERY_S = 0.05
# mgmtd takes one change at a time, and none while it tells a daemon that has just come what is configured
_LOCKED = "could not lock"


def configure(lines: Iterable[tuple[str, str]], *, directory: str = "/run/frr") -> list[str]:
    """Enter config lines, (daemon, line) each; what was refused, one sentence each."""
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
