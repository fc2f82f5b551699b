"""When the line of a shell has ended, in a network that stands still between lines: who has the terminal tells it.

Owns the turns of one dialogue: that of a line until its end, and one for whatever runs though no line was entered.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Final

from pytest_netbench.platforms.access import Attended
from pytest_netbench.platforms.terminal import Terminal, TypedCommand

LOOKS_EACH_S: Final = 0.02
_SETTLED: Final = 2
"""So many looks in a row must find the prompt."""
_QUIET_S: Final = 0.5
"""Wall seconds without output after which a program that reads keys waits for them."""
_SILENT_S: Final = 1.0
"""The same for one that may read lines, once another line was entered."""
_EDITS_S: Final = 0.1
"""Wall seconds in which a shell may answer keys before something else is taken to run."""
_ENDS_S: Final = 2.0
"""Wall seconds that an interrupted program has for its end."""
_ASKS: Final = re.compile(r"([\t?])")
"""Keys for which a shell may ask others, and to which it answers with something."""
_ECHOES_S: Final = 0.3
"""Wall seconds that it may take to echo what was typed before such a key."""
_INTERRUPT: Final = "\x03"


class Attendance:
    """Takes and gives back the turns of a dialogue. Used by two threads: one enters lines, the other one looks.

    Args:
        program: What runs on the terminal.
        terminal: Of the user.
        press: Passes keys to the program.
    """

    def __init__(self, program: Attended, terminal: Terminal, press: Callable[[str], None]) -> None:
        self._program, self._terminal, self._press = program, terminal, press
        self._state = threading.Condition()
        self._taking = threading.Lock()
        self._held: ExitStack | None = None
        self._work: TypedCommand | None = None
        self._interrupted_at: float | None = None
        self._is_idle = False
        self._found = 0
        self._asks = False
        self._shown_at = self._keyed_at = time.monotonic()

    # the thread that enters lines

    def enter(self, line: Callable[[ExitStack], TypedCommand]) -> None:
        """Take the turn of a line, once the one before has ended or waits for this one.

        Args:
            line: Enters what is around the line, and returns it; its errors are passed on.
        """
        while True:
            self._await_end()
            with self._taking:
                if self._held is None:
                    self._hold(line)
                    return

    def keyed(self) -> None:
        """Note that keys are pressed."""
        with self._state:
            self._is_idle, self._found, self._keyed_at = False, 0, time.monotonic()
            self._asks = False

    def type(self, keys: str) -> None:
        """Pass on keys that enter no line. Those that ask follow once what was typed before has been echoed."""
        for piece in filter(None, _ASKS.split(keys)):
            asks = _ASKS.match(piece) is not None and self._held is None
            if asks:
                with self._state:
                    self._state.wait_for(lambda: self._is_idle, _ECHOES_S)
            self._press(piece)
            self._asks = asks

    def finish(self) -> None:
        """Give back a turn; the program has ended."""
        with self._taking:
            self._release()

    def _await_end(self) -> None:
        with self._state:
            while self._held is not None:
                self._state.wait(LOOKS_EACH_S)
                if time.monotonic() - max(self._shown_at, self._keyed_at) > _SILENT_S:
                    break
        with self._taking:
            if self._held is not None:
                self._release()

    # the thread that looks

    @property
    def is_idle(self) -> bool:
        """Whether there is nothing to look for until keys are pressed."""
        return self._is_idle

    @property
    def is_overdue(self) -> bool:
        """Whether what runs has had its time."""
        work = self._work
        return work is not None and work.overdue

    def shown(self) -> None:
        """Note that the program has shown something."""
        self._shown_at = time.monotonic()

    def look(self) -> None:
        """Take a turn for what runs without one, or give the turn back that has ended.

        Raises:
            LabError: The lab broke.
        """
        if not self._taking.acquire(blocking=False):
            return  # a line is being entered
        try:
            self._look(time.monotonic())
        finally:
            self._taking.release()

    def _look(self, now: float) -> None:
        found = self._program.foreground()
        is_unanswered = self._asks and self._shown_at < self._keyed_at and now - self._keyed_at < _QUIET_S
        if found == "prompt" and is_unanswered:
            found = "runs"  # it may ask daemons, which stand still
        with self._state:
            self._found = self._found + 1 if found == "prompt" else 0
        if self._found >= _SETTLED:
            self._end(idle=True)
        elif self._held is None:
            if found != "prompt" and now - self._keyed_at > _EDITS_S:
                self._hold(lambda stack: stack.enter_context(self._terminal.moving()))
        elif found == "keys" and now - max(self._shown_at, self._keyed_at) > _QUIET_S:
            self._end(idle=False)
        elif self.is_overdue:
            self._interrupt(now)

    def _hold(self, enter: Callable[[ExitStack], TypedCommand]) -> None:
        held = ExitStack()
        try:
            self._work = enter(held)
            self._program.attend(attended=False)
        except BaseException:
            held.close()
            raise
        with self._state:
            self._held, self._interrupted_at, self._found, self._is_idle = held, None, 0, False
            self._keyed_at = time.monotonic()

    def _end(self, *, idle: bool) -> None:
        """Let the network stand still. A shell at its prompt goes on, to echo keys."""
        self._program.attend(attended=idle)
        with self._state:
            self._is_idle = True  # until keys are pressed
            self._state.notify_all()
        self._release()

    def _interrupt(self, now: float) -> None:
        if self._interrupted_at is None:
            self._interrupted_at = now
            self._press(_INTERRUPT)
        elif now - self._interrupted_at > _ENDS_S:
            self._end(idle=False)

    def _release(self) -> None:
        held, self._held, self._work = self._held, None, None
        if held is not None:
            held.close()
        with self._state:
            self._state.notify_all()
