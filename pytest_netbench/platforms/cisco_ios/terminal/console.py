"""The console of an IOS device: the session behind a terminal line."""

from __future__ import annotations

from contextlib import nullcontext

from pytest_netbench.platforms.cisco_ios.device.device import Device
from pytest_netbench.platforms.cisco_ios.device.exec import Ask, Interrupted
from pytest_netbench.platforms.cisco_ios.grammar.command import Match
from pytest_netbench.platforms.cisco_ios.grammar.grammar import EXEC
from pytest_netbench.platforms.cisco_ios.session.pipes import split_pipe
from pytest_netbench.platforms.cisco_ios.session.session import Session
from pytest_netbench.platforms.cisco_ios.terminal.editor import Editor, Typed
from pytest_netbench.platforms.cisco_ios.terminal.keys import ENTER, Keys
from pytest_netbench.platforms.cisco_ios.terminal.pager import Pager, Stopped
from pytest_netbench.platforms.terminal import CommandKind, CommandNotPermitted, Terminal, TypedCommand

_CONFIRM = "[confirm]"
# these only navigate within the session
_MOVES = {"configure terminal", "exit", "logout", "quit", "disable", "enable"}
# these wait for packets; others must not wait for them
_SLOW = ("ping", "traceroute")


class IosConsole:
    """Implements ``platforms.terminal.Console``.

    Args:
        device: The device of the console.
        enable_secret: The password that ``enable`` asks for.
        read_only: Whether configuration mode and commands that change the device are refused.
    """

    def __init__(self, device: Device, *, enable_secret: str, read_only: bool = False) -> None:
        self._device = device
        self._secret = enable_secret
        self._read_only = read_only

    def converse(self, terminal: Terminal) -> None:
        self._line(terminal).run()

    def _line(self, terminal: Terminal) -> _Line:
        return _Line(self._device, self._secret, terminal, read_only=self._read_only)

    def execute(self, terminal: Terminal, command: str) -> int:
        line = self._line(terminal)
        line.session.terminal_length = 0
        terminal.write("\r\n")
        for text in command.splitlines():
            line.enter(text)
        line.leave()
        return 0


class _Line:
    """One terminal line with its session."""

    def __init__(self, device: Device, enable_secret: str, terminal: Terminal, *, read_only: bool) -> None:
        self._device = device
        self._read_only = read_only
        self._terminal = terminal
        self._keys = Keys(terminal)
        self.session = Session(device, privileged=False, read_only=read_only, echo=True)
        self.session.enable_secret = enable_secret
        self.session.terminal_length = terminal.rows
        self.session.terminal_width = terminal.columns
        self._editor = Editor(terminal=terminal, keys=self._keys, help=self._help, complete=self._complete)

    def run(self) -> None:
        """Serve until the user logs out or disconnects."""
        self._terminal.write("\r\n")
        try:
            while not self.session.closed:
                typed = self._editor.read(self.session.prompt, literal=self.session.collecting)
                self._react(typed)
        finally:
            self.leave()

    def leave(self) -> None:
        """Apply what was configured, however the session ends."""
        with self._terminal.moving(), self._device.batch():
            self.session.interrupt()

    def enter(self, text: str) -> None:
        """Type one line."""
        kind = self._kind(text)
        try:
            with self._terminal.command(text, kind=kind) as typed:
                output = self._carry_out(text, typed)
                if kind == "configure" and self.session.refused:
                    typed.refused = output.strip("\n")
                if not self._keys.line_waiting:
                    # of several pasted lines, the last one applies them all
                    self._device.commit()
        except CommandNotPermitted as error:
            self._terminal.write(f"{error}\r\n")
        self._commit()

    def _commit(self) -> None:
        """Apply what no line has applied."""
        if self._device.has_changes and not self._keys.line_waiting:
            with self._terminal.moving():
                self._device.commit()

    def _react(self, typed: Typed) -> None:
        if typed.ended == "ctrl-c":
            self._interrupt()
            return
        if typed.text.strip() or self.session.collecting:
            self.enter(typed.text)
        if typed.ended == "ctrl-z":
            self._interrupt()

    def _interrupt(self) -> None:
        """Leave configuration mode: that may apply changes."""
        with nullcontext() if self.session.mode == EXEC else self._terminal.moving():
            self.session.interrupt()

    def _carry_out(self, text: str, typed: TypedCommand) -> str:
        pager = Pager(terminal=self._terminal, keys=self._keys, length=self._page_length(text), waiting=typed.paused)
        output: list[str] = []
        talk = self.session.stream(text)
        slow = self._slow(text)
        answer: str | None = None
        while True:
            try:
                with nullcontext() if slow else self._device.lock:
                    if slow and output and (self._keys.interrupted() or typed.overdue):
                        piece = talk.throw(Interrupted())
                    else:
                        piece = next(talk) if answer is None else talk.send(answer)
            except (StopIteration, Interrupted):
                return "".join(output)
            answer = None
            if isinstance(piece, Ask):
                with typed.paused():
                    answer = self._ask(piece)
                pager.turn()
                continue
            output.append(piece)
            try:
                pager.show(piece)
            except Stopped:
                talk.close()
                return "".join(output)

    def _page_length(self, text: str) -> int:
        shows = self.session.mode == EXEC or text.split()[:1] == ["do"]
        return self.session.terminal_length if shows else 0

    def _ask(self, ask: Ask) -> str:
        if ask.secret:
            return self._editor.read_secret(ask.prompt)
        if ask.prompt.rstrip().endswith(_CONFIRM):
            key = self._editor.read_key(ask.prompt)
            self._terminal.write("\r\n")
            return "" if key in {ENTER, "y", "Y"} else "n"
        typed = self._editor.read(ask.prompt, literal=True)
        return typed.text.rstrip() if typed.ended == "enter" else "n"

    def _help(self, line: str) -> str:
        with self._device.lock:
            return self.session.help(line)

    def _complete(self, line: str) -> str | None:
        with self._device.lock:
            return self.session.complete(line)

    def _kind(self, text: str) -> CommandKind:
        words = text.split()
        if self.session.mode != EXEC and not self.session.collecting:
            if words[:1] and words[0].lower() in {"do", "do-exec"}:
                return self._exec_kind(text, skip=1)
            moves = len(words) == 1 and (words[0].lower() == "end" or "exit".startswith(words[0].lower()))
            return "session" if moves or words[:1] == ["!"] else "configure"
        return "configure" if self.session.collecting else self._exec_kind(text)

    def _exec_kind(self, text: str, *, skip: int = 0) -> CommandKind:
        found = self._match(text, skip)
        if found is None:
            return "read"
        if self._read_only and found.name == "configure terminal":
            return "configure"
        if found.name in _MOVES or found.name.startswith("terminal "):
            return "session"
        return "configure" if found.command.changes else "read"

    def _slow(self, text: str) -> bool:
        words = text.split()
        skip = int(self.session.mode != EXEC and words[:1] == ["do"])
        if self.session.mode != EXEC and not skip:
            return False
        found = self._match(text, skip)
        return found is not None and found.name.startswith(_SLOW)

    def _match(self, text: str, skip: int) -> Match | None:
        reader = self._device.grammar.reader(EXEC, self._device.role, user=not self.session.privileged)
        found = reader.read(split_pipe(text)[0], skip=skip)
        return found if isinstance(found, Match) else None
