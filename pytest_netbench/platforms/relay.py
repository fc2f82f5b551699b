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

from pytest_netbench.platforms.access import PtyProgram
from pytest_netbench.platforms.terminal import CommandKind, CommandNotPermitted, HungUp, Terminal, TypedCommand

_READ = 65_536
_TAIL = 4_096
_PATIENCE_MS = 100
_ENTER = re.compile(r"[\r\n]")
# A program with line editing also enters a line by Ctrl-O, by a macro (Ctrl-X), and by Meta-#.
_ENTERS_TOO = "\x0f"
_MACROS = "\x18"
_ESCAPE = "\x1b"
_PROMPT = re.compile(r"^.*?[>#$]\s")
_ESCAPES = re.compile(r"\x1b(\[[0-9;?]*[ -/]*[@-~]|.)|[\x00-\x08\x0b-\x1f]")
_END_OF_INPUT = "\x04"
# to the end of the line, kill it, and Enter, for a fresh prompt; an interrupt may come between two reads and wait
_START_ANEW = "\x05\x15\r"
_AGAIN_S = 1.0


class RelayConsole:
    """Implements ``platforms.terminal.Console``.

    Args:
        open_program: Starts the program in a window of (columns, rows).
        run_command: Runs one command with no dialogue: its output and exit status.
        kind: What a line asks for, from the prompt it was typed behind and the line.
        only_lines: The program takes nothing but lines. Keys that enter one past the guard do not reach it.
    """

    def __init__(
        self,
        *,
        open_program: Callable[[int, int], PtyProgram],
        run_command: Callable[[str], tuple[str, int]],
        kind: Callable[[str, str], CommandKind],
        only_lines: bool = False,
    ) -> None:
        self._only_lines = only_lines
        self._open_program = open_program
        self._run_command = run_command
        self._kind = kind

    def converse(self, terminal: Terminal) -> None:
        program = self._open_program(terminal.columns, terminal.rows)
        try:
            _Relay(program, terminal, self._kind, _Harmless() if self._only_lines else _as_they_are).run()
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
        keys_of: Callable[[str], str],
    ) -> None:
        self._keys_of = keys_of
        self._program = program
        self._terminal = terminal
        self._screen = _Screen()
        self._typist = _Typist(terminal, self._screen, kind, self._press)
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
            ready = dict(poll.poll())
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
            self._screen.show(text)
            self._terminal.write(text)

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


class _Screen:
    """The last line that the program has shown."""

    def __init__(self) -> None:
        self._tail = ""

    def show(self, text: str) -> None:
        self._tail = (self._tail + text)[-_TAIL:].rpartition("\n")[2]

    @property
    def line(self) -> str:
        """The last line, without control sequences."""
        return _ESCAPES.sub("", self._tail.rpartition("\r")[2] or self._tail)


class _Typist:
    """Follows what is typed, so that every entered line passes the terminal's guard."""

    def __init__(
        self,
        terminal: Terminal,
        screen: _Screen,
        kind: Callable[[str, str], CommandKind],
        press: Callable[[str], None],
    ) -> None:
        self._terminal = terminal
        self._screen = screen
        self._kind = kind
        self._press = press
        self._line = _Line()
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
        with self._lock:
            self._end_command()

    def _pass(self, keys: str) -> None:
        if keys:
            self._line.type(keys)
            self._press(keys)

    def _enter(self) -> None:
        shown = self._screen.line
        line = self._line.text if self._line.certain else _PROMPT.sub("", shown)
        self._line = _Line()
        with self._lock:
            self._end_command()
            command = self._terminal.command(line, kind=self._kind(shown.removesuffix(line), line))
            try:
                command.__enter__()
            except CommandNotPermitted as error:
                self._terminal.write(f"\r\n{error}\r\n")
                self._press(_START_ANEW)
                return
            self._command = command
        self._press("\r")

    def _end_command(self) -> None:
        if self._command is not None:
            self._command.__exit__(None, None, None)
            self._command = None


class _Line:
    """A line as simple keys make it; after others (history, cursor, completion) only the screen knows it."""

    def __init__(self) -> None:
        self.text = ""
        self.certain = True

    def type(self, keys: str) -> None:
        for key in keys:
            if key.isprintable():
                self.text += key
            elif key in "\x7f\x08":
                self.text = self.text[:-1]
            elif key in "\x03\x15":
                self.text, self.certain = "", True
            else:
                self.certain = False
