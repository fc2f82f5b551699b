"""Programs with root's rights that run: here, or by the helper of a lab."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import struct
import subprocess
from collections.abc import Sequence
from typing import Protocol

from pytest_netbench.backends.containerlab import exchange


class Running(Protocol):
    """A program, and what it started and did not leave to run."""

    def fileno(self) -> int:
        """A descriptor that can be read once it has ended."""
        ...

    def kill(self) -> None:
        """Kill it. No effect on one that has ended."""
        ...

    def wait(self) -> int:
        """Wait for its end; its exit status, negative for a signal. Called once, and last.

        Raises:
            ConnectionError: Who runs it is gone.
        """
        ...


class Here:
    """A program that is a child of this process. Implements ``Running``.

    Args:
        argv: The program and its arguments.
        stdio: Its descriptors 0, 1 and 2.
        passed: Further ones, which keep their numbers.
    """

    def __init__(self, argv: Sequence[str], stdio: tuple[int, int, int], passed: Sequence[int] = ()) -> None:
        self._process = subprocess.Popen(
            argv,
            stdin=stdio[0],
            stdout=stdio[1],
            stderr=stdio[2],
            pass_fds=passed,
            start_new_session=True,
            env={"LANG": "C.UTF-8"},
        )
        self._end = os.pidfd_open(self._process.pid)

    def fileno(self) -> int:
        return self._end

    def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def wait(self) -> int:
        status = self._process.wait()
        os.close(self._end)
        return status


class ByHelper:
    """A program that the helper of a lab runs. Implements ``Running``.

    Args:
        folder: Of the lab.
        argv: The program and its arguments.
        stdio: Its descriptors 0, 1 and 2.
        passed: Further ones, which keep their numbers.

    Raises:
        OSError: The helper is gone.
    """

    def __init__(
        self, folder: str, argv: Sequence[str], stdio: tuple[int, int, int], passed: Sequence[int] = ()
    ) -> None:
        self._connection = exchange.connected(folder)
        message = {"op": "run", "argv": list(argv), "numbers": [0, 1, 2, *passed]}
        try:
            exchange.send(self._connection, json.dumps(message).encode(), [*stdio, *passed])
        except BaseException:
            self._connection.close()
            raise

    def fileno(self) -> int:
        return self._connection.fileno()

    def kill(self) -> None:
        with contextlib.suppress(OSError):
            self._connection.shutdown(socket.SHUT_WR)

    def wait(self) -> int:
        with self._connection:
            status = self._connection.recv(4)
        if len(status) != 4:
            raise ConnectionError("the helper of the lab is gone")
        return os.waitstatus_to_exitcode(struct.unpack("=i", status)[0])
