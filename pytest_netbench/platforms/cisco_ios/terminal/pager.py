"""Output of a command in pages, as a terminal line shows it."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.terminal.keys import ENTER, Keys
from pytest_netbench.platforms.terminal import Terminal

MORE = " --More-- "
_WIPE = "\b" * 9 + " " * 8 + "\b" * 9


class Stopped(Exception):
    """Whoever reads wants no more of it."""


class Pager:
    """Shows the output of one command.

    Args:
        terminal: Where.
        keys: Its keyboard.
        length: Lines of a page; 0 shows all at once.
    """

    def __init__(self, *, terminal: Terminal, keys: Keys, length: int) -> None:
        self._terminal = terminal
        self._keys = keys
        self._length = length
        self._room = length - 1

    def show(self, text: str) -> None:
        """Show ``text``; a page that is full waits for a key.

        Raises:
            Stopped: The key said so.
        """
        if self._length <= 0:
            self._terminal.write(text.replace("\n", "\r\n"))
            return
        while text:
            page, text = self._cut(text)
            self._terminal.write(page.replace("\n", "\r\n"))
            if text and self._room <= 0:
                self._more()

    def turn(self) -> None:
        """Whoever reads has typed something: the page begins anew."""
        self._room = self._length - 1

    def _cut(self, text: str) -> tuple[str, str]:
        """As many lines as there is room for, and the rest."""
        end = 0
        while self._room > 0 and end < len(text):
            newline = text.find("\n", end)
            if newline < 0:
                return text, ""
            end = newline + 1
            self._room -= 1
        return text[:end], text[end:]

    def _more(self) -> None:
        self._terminal.write(MORE)
        key = self._keys.next()
        self._terminal.write(_WIPE)
        if key == " ":
            self._room = self._length - 1
        elif key == ENTER:
            self._room = 1
        else:
            raise Stopped
