"""A program of an agent's on a pseudo-terminal in a node."""

from __future__ import annotations

import contextlib
import fcntl
import os
import struct
import termios
import threading
from collections.abc import Sequence

from pytest_netbench.backends.netns.channel import Channel
from pytest_netbench.errors import LabDied
from pytest_netbench.kernel import ptys
from pytest_netbench.platforms.access import Foreground, SandboxLimits

_LIMITS = SandboxLimits()


class Program:
    """Implements ``platforms.access.PtyProgram``."""

    def __init__(
        self, channel: Channel, node: str, argv: Sequence[str], *, writable: bool, columns: int, rows: int
    ) -> None:
        answer, self._fd = channel.call_for_fd(
            "cli",
            node=node,
            argv=list(argv),
            writable=writable,
            columns=columns,
            rows=rows,
            **sandbox_of(_LIMITS),
        )
        os.set_blocking(self._fd, False)
        self._channel = channel
        self._pid = answer["pid"]
        self._lock = threading.Lock()
        self._closed = False

    @property
    def fd(self) -> int:
        return self._fd

    def resize(self, *, columns: int, rows: int) -> None:
        with self._lock:
            if not self._closed:
                fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def foreground(self) -> Foreground:
        with self._lock:
            return "runs" if self._closed else ptys.foreground(self._fd)

    def attend(self, *, attended: bool) -> None:
        self._channel.call("attend", pid=self._pid, attended=attended)

    def close(self) -> None:
        with self._lock:
            if self._closed:
                return
            self._closed = True
            os.close(self._fd)
        # with the lab itself gone, so is the program
        with contextlib.suppress(LabDied):
            self._channel.call("kill", pid=self._pid)


def sandbox_of(limits: SandboxLimits) -> dict[str, int]:
    """The limits of the sandbox itself, as the supervisor is told them."""
    return {
        "memory_bytes": limits.memory_bytes,
        "processes": limits.processes,
        "disk_bytes": limits.disk_bytes,
    }
