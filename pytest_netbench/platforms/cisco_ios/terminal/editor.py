"""The line editor of an IOS terminal line: keys, their effect on the line, and the display."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from pytest_netbench.platforms.cisco_ios.terminal.keys import ENTER, Keys
from pytest_netbench.platforms.terminal import Terminal

LONGEST_LINE = 4_096
_HISTORY = 20
_BELL = "\a"

Ended = Literal["enter", "ctrl-c", "ctrl-z"]


@dataclass(frozen=True)
class Typed:
    """A line, and the key that ended it."""

    text: str
    ended: Ended


class Editor:
    """Reads lines with echo. Each editor has its own history.

    Args:
        terminal: The terminal to write to.
        keys: Its keyboard.
        help: Returns the output of ``?`` after a line.
        complete: Returns a line completed by Tab, or ``None``.
    """

    def __init__(
        self,
        *,
        terminal: Terminal,
        keys: Keys,
        help: Callable[[str], str],
        complete: Callable[[str], str | None],
    ) -> None:
        self._terminal = terminal
        self._keys = keys
        self._help = help
        self._complete = complete
        self._history: list[str] = []

    @property
    def history(self) -> tuple[str, ...]:
        """The entered lines, the oldest first."""
        return tuple(self._history)

    def read(self, prompt: str, *, literal: bool = False) -> Typed:
        """Show ``prompt`` and read a line.

        Args:
            prompt: The text before the line.
            literal: ``?`` and Tab are characters (an answer, a banner), and the line is not kept in the history.
        """
        line = _Line(self._terminal, prompt, () if literal else (*self._history, ""))
        self._terminal.write(prompt)
        while True:
            key = self._keys.next()
            ended = self._ends(key, line)
            if ended is not None:
                if not literal and line.text.strip() and ended != "ctrl-c":
                    self._history = [*self._history, line.text][-_HISTORY:]
                return Typed(line.text, ended)
            if not literal and key in "?\t":
                self._answer(key, line)
            elif key == "\x16":
                line.insert(self._keys.next())
            elif key.isprintable() or key == "\t":
                line.insert(key + self._keys.run())
            else:
                line.edit(key)

    def read_secret(self, prompt: str) -> str:
        """Show ``prompt`` and read a line without echo."""
        self._terminal.write(prompt)
        text = ""
        while (key := self._keys.next()) not in {ENTER, "\x03"}:
            if key in "\x7f\x08":
                text = text[:-1]
            elif key == "\x15":
                text = ""
            elif key.isprintable():
                text += key
        self._terminal.write("\r\n")
        return "" if key == "\x03" else text

    def read_key(self, prompt: str) -> str:
        """Show ``prompt`` and read one key."""
        self._terminal.write(prompt)
        return self._keys.next()

    def _ends(self, key: str, line: _Line) -> Ended | None:
        if key == ENTER:
            self._terminal.write("\r\n")
            return "enter"
        if key == "\x03":
            self._terminal.write("^C\r\n")
            return "ctrl-c"
        if key == "\x1a":
            line.edit("\x05")
            self._terminal.write("^Z\r\n")
            return "ctrl-z"
        return None

    def _answer(self, key: str, line: _Line) -> None:
        before = line.text[: line.cursor]
        if key == "?":
            line.edit("\x05")
            self._terminal.write("?\r\n" + self._help(before).replace("\n", "\r\n"))
            if before and not before[-1].isspace():
                self._terminal.write("\r\n")
        else:
            completed = self._complete(before)
            if completed is not None:
                line.replace_start(completed)
            self._terminal.write("\r\n")
        line.show()


class _Line:
    """The line being typed, and its display on the terminal."""

    def __init__(self, terminal: Terminal, prompt: str, history: tuple[str, ...]) -> None:
        self._terminal = terminal
        self._prompt = prompt
        self._history = list(history)
        self._at = len(history) - 1
        self._killed = ""
        self.text = ""
        self.cursor = 0

    def insert(self, text: str) -> None:
        room = LONGEST_LINE - len(self.text)
        if len(text) > room:
            self._terminal.write(_BELL)
            text = text[:room]
        rest = self.text[self.cursor :]
        self.text = self.text[: self.cursor] + text + rest
        self.cursor += len(text)
        self._terminal.write(text + rest + "\b" * len(rest))

    def edit(self, key: str) -> None:
        """Apply an editing key; ring the bell if it has no effect."""
        action = _ACTIONS.get(key)
        if action is None:
            self._terminal.write(_BELL)
        else:
            action(self)

    def replace_start(self, text: str) -> None:
        """Replace the text before the cursor by ``text``, without changing the display."""
        self.text = text + self.text[self.cursor :]
        self.cursor = len(text)

    def show(self) -> None:
        """Show prompt and line again."""
        rest = self.text[self.cursor :]
        self._terminal.write(self._prompt + self.text + "\b" * len(rest))

    def move(self, to: int) -> None:
        to = max(0, min(to, len(self.text)))
        if to < self.cursor:
            self._terminal.write("\b" * (self.cursor - to))
        else:
            self._terminal.write(self.text[self.cursor : to])
        self.cursor = to

    def delete(self, start: int, end: int) -> None:
        """Delete from ``start`` to ``end``."""
        start, end = max(0, start), min(end, len(self.text))
        if start >= end:
            return
        self.move(start)
        gone = end - start
        self.text = self.text[:start] + self.text[end:]
        rest = self.text[start:]
        self._terminal.write(rest + " " * gone + "\b" * (len(rest) + gone))

    def kill(self, start: int, end: int) -> None:
        self._killed = self.text[start:end]
        self.delete(start, end)

    def yank(self) -> None:
        self.insert(self._killed)

    def word_start(self) -> int:
        return len(self.text[: self.cursor].rstrip().rpartition(" ")[0]) + (
            1 if " " in self.text[: self.cursor].rstrip() else 0
        )

    def word_end(self) -> int:
        after = self.text[self.cursor :]
        blank = len(after) - len(after.lstrip())
        return self.cursor + blank + len(after.lstrip().split(" ", 1)[0])

    def transpose(self) -> None:
        if self.cursor == 0 or len(self.text) < 2:
            return
        at = min(self.cursor, len(self.text) - 1)
        first, second = self.text[at - 1], self.text[at]
        self.delete(at - 1, at + 1)
        self.insert(second + first)

    def recall(self, step: int) -> None:
        """Show another line of the history."""
        if not 0 <= self._at + step < len(self._history):
            self._terminal.write(_BELL)
            return
        self._history[self._at] = self.text
        self._at += step
        self.delete(0, len(self.text))
        self.insert(self._history[self._at])

    def again(self) -> None:
        self._terminal.write("\r\n")
        self.show()


_ACTIONS: dict[str, Callable[[_Line], None]] = {
    "\x01": lambda line: line.move(0),
    "\x02": lambda line: line.move(line.cursor - 1),
    "\x04": lambda line: line.delete(line.cursor, line.cursor + 1),
    "\x05": lambda line: line.move(len(line.text)),
    "\x06": lambda line: line.move(line.cursor + 1),
    "\x08": lambda line: line.delete(line.cursor - 1, line.cursor),
    "\x7f": lambda line: line.delete(line.cursor - 1, line.cursor),
    "\x0b": lambda line: line.kill(line.cursor, len(line.text)),
    "\x0c": lambda line: line.again(),
    "\x12": lambda line: line.again(),
    "\x0e": lambda line: line.recall(1),
    "\x10": lambda line: line.recall(-1),
    "\x14": lambda line: line.transpose(),
    "\x15": lambda line: line.kill(0, len(line.text)),
    "\x18": lambda line: line.kill(0, line.cursor),
    "\x17": lambda line: line.kill(line.word_start(), line.cursor),
    "\x19": lambda line: line.yank(),
    "\x1bb": lambda line: line.move(line.word_start()),
    "\x1bf": lambda line: line.move(line.word_end()),
    "\x1bd": lambda line: line.kill(line.cursor, line.word_end()),
}
