"""A console that passes keys and text between a terminal and a program on a pseudo-terminal, and sees each Enter."""

from __future__ import annotations

import codecs
import errno
import os
import re
import select
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager

from pytest_netbench.platforms.access import Attended, PtyProgram
from pytest_netbench.platforms.attendance import LOOKS_EACH_S, Attendance
from pytest_netbench.platforms.terminal import CommandKind, CommandNotPermitted, HungUp, Terminal, TypedCommand
from pytest_netbench.platforms.typedline import Screen, TypedLine

_READ = 65_536
_PATIENCE_MS = 100
_ENTER = re.compile(r"[\r\n]")
# A program with line editing also enters a line by Ctrl-O, by a macro (Ctrl-X), and by Meta-#.
_ENTERS_TOO = "\x0f"
_MACROS = "\x18"
_ESCAPE = "\x1b"
_PROMPT = re.compile(r"^.*?[>#$]\s")
_END_OF_INPUT = "\x04"
# Takes away a line wherever the cursor is. An unfinished key sequence may swallow the first keys. Ctrl-U alone is not
# enough: while a command runs, the terminal takes it, and does not erase what was typed before the command began.
_TAKE_AWAY = "\x01\x0b" * 3
# Enter, for a fresh prompt; an interrupt may come between two reads and wait
_START_ANEW = f"\x15{_TAKE_AWAY}\r"
_UNREADABLE = "% netbench: the line cannot be read off the screen; type it again without keys that edit it"
_AGAIN_S = 1.0
_RESTS_MS = 100


class RelayConsole:
    """Implements ``platforms.terminal.Console``.

    Args:
        open_program: Starts the program in a window of (columns, rows).
        run_command: Runs one command with no dialogue: its output and exit status.
        kind: What a line asks for, from the prompt it was typed behind and the line.
        prompt: Given if the program takes nothing but lines behind this prompt. Keys that enter one past the guard do
            not reach it, and a line that was edited is typed again as it was checked.
        help_keys: Printable keys that such a program answers at once, and that do not become part of the line.
    """

    def __init__(
        self,
        *,
        open_program: Callable[[int, int], PtyProgram],
        run_command: Callable[[str], tuple[str, int]],
        kind: Callable[[str, str], CommandKind],
        prompt: re.Pattern[str] | None = None,
        help_keys: str = "",
    ) -> None:
        self._prompt = prompt
        self._help_keys = help_keys
        self._open_program = open_program
        self._run_command = run_command
        self._kind = kind

    def converse(self, terminal: Terminal) -> None:
        with terminal.moving():
            program = self._open_program(terminal.columns, terminal.rows)
        try:
            _Relay(program, terminal, self._kind, self._prompt, self._help_keys).run()
        finally:
            program.close()

    def execute(self, terminal: Terminal, command: str) -> int:
        try:
            with terminal.command(command, kind=self._kind("", command)):
                output, status = self._run_command(command)
                terminal.write(output)
        except CommandNotPermitted as error:
            terminal.write(f"{error}\r\n")
            return 1
        return status


class _Relay:
    """One dialogue: this thread carries text out, another one keys in."""

    def __init__(
        self,
        program: PtyProgram,
        terminal: Terminal,
        kind: Callable[[str, str], CommandKind],
        prompt: re.Pattern[str] | None,
        help_keys: str,
    ) -> None:
        self._keys_of = _as_they_are if prompt is None else _Harmless()
        self._program = program
        self._terminal = terminal
        self._screen = Screen()
        self._attendance: Attendance | None = None
        if terminal.stands_still and isinstance(program, Attended):
            self._attendance = Attendance(program, terminal, self._press)
        self._typist = _Typist(
            terminal, self._screen, kind, self._press, prompt=prompt, help_keys=help_keys, attendance=self._attendance
        )
        self._wake = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._stopped = threading.Event()
        self._trouble: BaseException | None = None
        # descriptors may be reused once they are closed
        self._descriptors = threading.Lock()

    def run(self) -> None:
        """Until the program ends.

        Raises:
            HungUp: The user has left the terminal.
        """
        keys = threading.Thread(target=self._carry_keys, name="netbench-keys", daemon=True)
        keys.start()
        try:
            self._carry_text()
        finally:
            with self._descriptors:
                self._stopped.set()
                os.close(self._wake)
            self._typist.finish()

    def _carry_text(self) -> None:
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        poll = select.poll()
        poll.register(self._program.fd, select.POLLIN)
        poll.register(self._wake, select.POLLIN)
        while True:
            ready = dict(self._poll(poll))
            if self._wake in ready:
                assert self._trouble is not None
                raise self._trouble
            try:
                data = os.read(self._program.fd, _READ)
            except BlockingIOError:
                continue
            except OSError as error:
                if error.errno != errno.EIO:
                    raise
                return
            if not data:
                return
            text = decoder.decode(data)
            if self._attendance is not None:
                self._attendance.shown()
            self._screen.show(text)
            self._terminal.write(text)

    def _poll(self, poll: select.poll) -> list[tuple[int, int]]:
        """Wait for text; meanwhile look what has the terminal, in a network that stands still."""
        while (attendance := self._attendance) is not None:
            ready = poll.poll(_RESTS_MS if attendance.is_idle else LOOKS_EACH_S * 1000)
            if not attendance.is_idle and (not ready or attendance.is_overdue):
                attendance.look()
            if ready:
                return ready
        return poll.poll()

    def _carry_keys(self) -> None:
        size = (self._terminal.columns, self._terminal.rows)
        try:
            while not self._stopped.is_set():
                keys = self._terminal.read()
                now = (self._terminal.columns, self._terminal.rows)
                if now != size:
                    size = now
                    self._program.resize(columns=now[0], rows=now[1])
                self._typist.type(self._keys_of(keys))
        except HungUp as error:
            self._stop(error)
        except EOFError:
            self._end_input()
        except BaseException as error:  # noqa: BLE001 - it is raised in the thread that serves
            self._stop(error)

    def _end_input(self) -> None:
        """Send end of file, repeatedly if needed: a program that changes the terminal's mode may miss it."""
        while not self._stopped.is_set():
            self._press(_END_OF_INPUT)
            self._stopped.wait(_AGAIN_S)
            try:
                self._terminal.read(timeout_s=0)
            except HungUp as error:
                self._stop(error)
            except EOFError:
                continue

    def _stop(self, trouble: BaseException) -> None:
        with self._descriptors:
            if not self._stopped.is_set():
                self._trouble = trouble
                os.eventfd_write(self._wake, 1)
                self._stopped.set()

    def _press(self, keys: str) -> None:
        if self._attendance is not None:
            self._attendance.keyed()
        data = keys.encode(errors="replace")
        writable = select.poll()
        writable.register(self._program.fd, select.POLLOUT)
        while data:
            try:
                with self._descriptors:
                    if self._stopped.is_set():
                        return
                    data = data[os.write(self._program.fd, data) :]
            except BlockingIOError:
                writable.poll(_PATIENCE_MS)
            except OSError:
                return  # the program has ended; the reader reports that


class _Harmless:
    """Passes on keys that enter a line by Enter only; Meta with a key, but not cursor keys, is taken away."""

    def __init__(self) -> None:
        self._escaped = False

    def __call__(self, keys: str) -> str:
        passed = []
        for key in keys:
            if self._escaped:
                self._escaped = False
                if key in "[O":
                    passed.append(_ESCAPE + key)
                continue
            if key == _ESCAPE:
                self._escaped = True
            elif key == _ENTERS_TOO:
                passed.append("\r")
            elif key != _MACROS:
                passed.append(key)
        return "".join(passed)


def _as_they_are(keys: str) -> str:
    return keys


class _Typist:
    """Follows what is typed, so that every entered line passes the terminal's guard."""

    def __init__(
        self,
        terminal: Terminal,
        screen: Screen,
        kind: Callable[[str, str], CommandKind],
        press: Callable[[str], None],
        *,
        prompt: re.Pattern[str] | None,
        help_keys: str,
        attendance: Attendance | None,
    ) -> None:
        self._terminal = terminal
        self._attendance = attendance
        self._screen = screen
        self._kind = kind
        self._press = press
        self._prompt = prompt
        self._help_keys = help_keys
        self._line = TypedLine(help_keys)
        self._command: AbstractContextManager[TypedCommand] | None = None
        self._lock = threading.Lock()

    def type(self, keys: str) -> None:
        """Pass keys on; pass an entered line on only if it is permitted."""
        rest = keys
        while (enter := _ENTER.search(rest)) is not None:
            self._pass(rest[: enter.start()])
            self._enter()
            rest = rest[enter.end() :]
        self._pass(rest)

    def finish(self) -> None:
        """The last command has ended."""
        if self._attendance is not None:
            self._attendance.finish()
        with self._lock:
            self._end_command()

    def _pass(self, keys: str) -> None:
        if keys:
            self._line.type(keys)
            (self._press if self._attendance is None else self._attendance.type)(keys)

    def _enter(self) -> None:
        found = self._prompt_and_line()
        again = self._prompt is not None and not self._line.plain
        self._line = TypedLine(self._help_keys)
        if found is None:
            self._refuse(_UNREADABLE)
            return
        prompt, line = found
        command = self._terminal.command(line, kind=self._kind(prompt, line))
        try:
            self._begin(command, is_blank=not line.strip())
        except CommandNotPermitted as error:
            self._refuse(str(error))
            return
        self._press(f"{_TAKE_AWAY}{line}\r" if again else "\r")

    def _begin(self, command: AbstractContextManager[TypedCommand], *, is_blank: bool) -> None:
        if self._attendance is None:
            with self._lock:
                self._end_command()
                command.__enter__()
                self._command = command
        elif not is_blank:
            self._attendance.enter(lambda held: held.enter_context(command))

    def _prompt_and_line(self) -> tuple[str, str] | None:
        """What is to be entered, and behind what; ``None`` if nobody can tell."""
        shown = self._screen.line
        if self._line.certain:
            return shown.removesuffix(self._line.text), self._line.text
        if self._prompt is None:
            line = _PROMPT.sub("", shown)
            return shown.removesuffix(line), line
        found = self._screen.behind(self._prompt, columns=self._terminal.columns)
        if found is None or any(key in found[1] for key in self._help_keys):
            return None
        return found

    def _refuse(self, words: str) -> None:
        self._terminal.write(f"\r\n{words}\r\n")
        self._press(_START_ANEW)

    def _end_command(self) -> None:
        if self._command is not None:
            self._command.__exit__(None, None, None)
            self._command = None
