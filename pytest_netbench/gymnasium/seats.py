"""Seats: each plays one episode at a time somewhere else. A local seat is a process of its own."""

from __future__ import annotations

import contextlib
import os
import pickle
import socket
import subprocess
import sys
from collections.abc import Mapping
from multiprocessing.connection import Connection
from typing import Any, Final, Protocol

import cloudpickle

ENDS_WITHIN_S: Final = 10.0
"""Wall seconds for a process to remove its lab after it was told to end."""
Answer = tuple[str, Any]
"""``done`` and what the environment returned, ``broken`` and why there is no result, ``failed`` and the exception."""


class Seat(Protocol):
    """Plays one episode at a time. Each request is followed by one answer."""

    def ask(self, method: str, given: Any) -> None:
        """Begin ``reset`` with keyword arguments, or ``step`` with an action. Does not wait."""
        ...

    def answer(self) -> Answer:
        """Wait for the answer to the request. After ``broken``, the next request must be a ``reset``."""
        ...

    def leave(self) -> None:
        """Tell it to end. Does not wait."""
        ...

    def close(self) -> None:
        """Wait until nothing of it is left. Idempotent."""
        ...

    def abandon(self) -> None:
        """End it at once, without an answer. The next request begins anew."""
        ...


class LocalSeat:
    """A process of this machine that plays. One that ended is replaced at the next request.

    Args:
        arguments: Of ``NetbenchEnv``. Functions of the calling script may be among them.
    """

    def __init__(self, arguments: Mapping[str, Any]) -> None:
        self._arguments: bytes = cloudpickle.dumps(dict(arguments))
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: Connection[Any, Any] | None = None

    def ask(self, method: str, given: Any) -> None:
        """Send a request."""
        if self._connection is None:
            self._start()
        with contextlib.suppress(OSError):  # it has ended: ``answer`` says so
            self._reached.send((method, given))

    def answer(self) -> Answer:
        """Wait for the answer. A process that ended is ``broken``."""
        try:
            answer: Answer = self._reached.recv()
        except (EOFError, OSError, pickle.UnpicklingError):
            return "broken", self._ended()
        return answer

    def leave(self) -> None:
        """Close the connection: the process removes its lab and ends."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def close(self) -> None:
        """Wait for the process; kill it if it takes too long."""
        self.leave()
        if self._process is not None:
            try:
                self._process.wait(ENDS_WITHIN_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._process = None

    def abandon(self) -> None:
        """Kill the process."""
        if self._process is not None:
            self._process.kill()
        self.close()

    @property
    def _reached(self) -> Connection[Any, Any]:
        assert self._connection is not None, "ask() comes before answer()"
        return self._connection

    def _start(self) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            command = [sys.executable, "-m", "pytest_netbench.gymnasium.worker", str(theirs.fileno()), str(os.getpid())]
            self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()])
        self._connection = Connection(ours.detach())
        with contextlib.suppress(OSError):
            self._connection.send(sys.path)
            self._connection.send(self._arguments)

    def _ended(self) -> str:
        """Forget the process, and say how it ended."""
        process = self._process
        self.close()
        status = None if process is None else process.returncode
        how = f"by signal {-status}" if status is not None and status < 0 else f"with exit status {status}"
        return f"the process of this episode ended {how}"
