"""The terminal of one SSH session: keys and text pass between the event loop and the console's thread."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from pytest_netbench.lab.ssh.hosts import Guard, Typed
from pytest_netbench.platforms.terminal import CommandKind, HungUp

_KEPT_OUTPUT = 131_072
_UNSENT = 262_144
_LONGEST_LINE = 8_192
_MOST_COLUMNS = 4_096
_MOST_ROWS = 1_000


class SshTerminal:
    """Implements ``platforms.terminal.Terminal``. The console's thread calls its methods; the event loop the others.

    Args:
        device: Whose console it is.
        session: Which login, for the record.
        guard: What every command passes.
        send: Hands text to the event loop; called in the console's thread.
    """

    def __init__(self, *, device: str, session: str, guard: Guard, send: Callable[[str], None]) -> None:
        self._device = device
        self._session = session
        self._guard = guard
        self._send = send
        self._keys: deque[str] = deque()
        self._changed = threading.Condition()
        self._size = (80, 24)
        self._resized = False
        self._ended = False
        self._gone = False
        self._unsent = 0
        self._output: _Output | None = None
        self._work: Typed | None = None

    # the console's side

    @property
    def columns(self) -> int:
        return self._size[0]

    @property
    def rows(self) -> int:
        return self._size[1]

    @property
    def waiting(self) -> bool:
        return bool(self._keys)

    @property
    def stands_still(self) -> bool:
        return self._guard.stands_still

    def read(self, *, timeout_s: float | None = None) -> str:
        with self._changed:
            self._changed.wait_for(lambda: self._keys or self._resized or self._ended or self._gone, timeout_s)
            if self._gone:
                raise HungUp
            if self._ended and not self._keys:
                raise EOFError
            self._resized = False
            keys = "".join(self._keys)
            self._keys.clear()
            return keys

    def write(self, text: str) -> None:
        if not text:
            return
        if self._is_full and self._work is not None:
            with self._work.paused():  # nobody else must wait for the other side
                self._await_room()
        self._await_room()
        with self._changed:
            self._unsent += len(text)
        if self._output is not None:
            self._output.add(text)
        self._send(text)

    @contextmanager
    def command(self, line: str, *, kind: CommandKind = "read") -> Iterator[Typed]:
        if not line.strip():
            yield Typed()
            return
        with self._guard.enter(self._device, self._session, line[:_LONGEST_LINE], kind) as typed:
            output = self._output = _Output()
            self._work = typed
            try:
                yield typed
            finally:
                typed.output = output.text
                self._output = self._work = None

    @contextmanager
    def moving(self) -> Iterator[Typed]:
        with self._guard.moving() as work:
            self._work = work
            try:
                yield work
            finally:
                self._work = None

    @property
    def _is_full(self) -> bool:
        return self._unsent >= _UNSENT

    def _await_room(self) -> None:
        """Wait until the other side has read enough: it may read more slowly than a command prints."""
        with self._changed:
            self._changed.wait_for(lambda: self._gone or not self._is_full)
            if self._gone:
                raise HungUp

    # the event loop's side

    def keys(self, text: str) -> None:
        """Keys were pressed."""
        with self._changed:
            self._keys.append(text)
            self._changed.notify_all()

    def resize(self, columns: int, rows: int) -> None:
        """Note the window size of the other side; 0 means that it sent none. An impossibly large size is reduced."""
        with self._changed:
            self._size = (min(columns or 80, _MOST_COLUMNS), min(rows or 24, _MOST_ROWS))
            self._resized = True
            self._changed.notify_all()

    def end_of_keys(self) -> None:
        """No more keys will come; text may still be shown."""
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def hang_up(self) -> None:
        """Nobody is there any more."""
        with self._changed:
            self._gone = True
            self._changed.notify_all()

    def sent(self, count: int) -> None:
        """So many characters have left for the other side."""
        with self._changed:
            self._unsent -= count
            self._changed.notify_all()


class _Output:
    """What a command showed, the beginning of it."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._room = _KEPT_OUTPUT

    def add(self, text: str) -> None:
        if self._room > 0:
            self._parts.append(text[: self._room])
            self._room -= len(text)

    @property
    def text(self) -> str:
        return "".join(self._parts).replace("\r\n", "\n")
