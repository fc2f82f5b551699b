"""A program on the terminal of a line of its own, for whoever logs in to a host."""

from __future__ import annotations

import contextlib
import select
import socket
import threading
import time
from collections.abc import Callable

from pytest_netbench.errors import LabError
from pytest_netbench.lab.shells import hostside
from pytest_netbench.platforms.access import CliLine

_READ = 65_536
_PAUSE_S = 0.01
_START_S = 20.0


class LineTerminal:
    """Implements ``platforms.access.PtyProgram``: keys and text pass between a line and a pair of sockets.

    Args:
        name: Of the host, for messages.
        connect: Opens a line on which the prompt of a shell stands.
        command: What is typed there in place of the shell.
        columns: Of the terminal.
        rows: Of the terminal.

    Raises:
        LabError: No shell answers.
    """

    def __init__(self, *, name: str, connect: Callable[[], CliLine], command: str, columns: int, rows: int) -> None:
        self._line = connect()
        self._ours, self._theirs = socket.socketpair()
        self._ours.setblocking(False)
        self._theirs.setblocking(True)
        self._closed = threading.Event()
        try:
            first = self._start(name, command, columns, rows)
        except BaseException:
            self._end()
            raise
        self._thread = threading.Thread(target=self._pass, args=(first,), daemon=True)
        self._thread.start()

    @property
    def fd(self) -> int:
        """The end of the user, non-blocking."""
        return self._ours.fileno()

    def resize(self, *, columns: int, rows: int) -> None:
        """Change nothing: a line carries characters only. The terminal keeps the size that it began with."""

    def close(self) -> None:
        """End the line with the program. Idempotent."""
        if not self._closed.is_set():
            self._closed.set()
            self._thread.join()
            self._end()

    def _start(self, name: str, command: str, columns: int, rows: int) -> bytes:
        mark = hostside.number()
        self._line.write(
            f" unset HISTFILE; stty columns {columns} rows {rows}; printf '@%s;\\n' {mark}; exec {command}\n"
        )
        heard, ends_at = b"", time.monotonic() + _START_S
        while (place := heard.find(f"@{mark};".encode())) < 0:
            heard += self._line.read()
            if time.monotonic() > ends_at:
                raise LabError(f"{name}: the host shows no prompt of a shell")
            time.sleep(_PAUSE_S)  # a line tells nobody that it has something to read
        return heard[place + len(mark) + 2 :].lstrip(b"\r\n")

    def _pass(self, first: bytes) -> None:
        try:
            self._theirs.sendall(first)
            while not self._closed.is_set():
                if select.select([self._theirs], [], [], _PAUSE_S)[0]:
                    keys = self._theirs.recv(_READ)
                    if not keys:
                        return
                    self._line.write(keys.decode("utf-8", "replace"))
                if text := self._line.read():
                    self._theirs.sendall(text)
        except (LabError, OSError):
            return  # the program or its reader has ended
        finally:
            with contextlib.suppress(OSError):
                self._theirs.shutdown(socket.SHUT_RDWR)

    def _end(self) -> None:
        self._line.close()
        self._theirs.close()
        self._ours.close()
