"""Paged output of a command on a terminal line."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

from pytest_netbench.platforms.cisco_ios.terminal.keys import ENTER, Keys
from pytest_netbench.platforms.terminal import Terminal

MORE = " --More-- "
_WIPE = "\b" * 9 + " " * 8 + "\b" * 9


class Stopped(Exception):
    """Raised when the reader stops the output."""


class Pager:
    """Shows the output of one command.

    Args:
        terminal: The terminal to write to.
        keys: Its keyboard.
        length: The number of lines of a page; 0 disables paging.
        waiting: Entered while it waits for a key.
    """

    def __init__(
        self,
        *,
        terminal: Terminal,
        keys: Keys,
        length: int,
        waiting: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        self._terminal = terminal
        self._keys = keys
        self._length = length
        self._waiting = waiting
        self._room = length - 1

    def show(self, text: str) -> None:
        """Show ``text``; wait for a key after each full page.

        Raises:
            Stopped: The key stops the output.
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
        """Start a new page, because the reader has typed something."""
        self._room = self._length - 1

    def _cut(self, text: str) -> tuple[str, str]:
        """Split off as many lines as there is room for; return them and the rest."""
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
        with self._waiting():
            key = self._keys.next()
        self._terminal.write(_WIPE)
        if key == " ":
            self._room = self._length - 1
        elif key == ENTER:
            self._room = 1
        else:
            raise Stopped
