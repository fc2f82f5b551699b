"""Connections to the command line of a device, which end together."""

from __future__ import annotations

from collections.abc import Callable

from pytest_netbench.platforms.access import CliLine


class Connections:
    """Implements ``platforms.access.CommandLine``, and knows what it has opened.

    Args:
        open_line: Opens a line on which the device has shown its prompt.
        enable_secret: The password of privileged mode; empty if there is none.
    """

    def __init__(self, open_line: Callable[[], CliLine], enable_secret: str = "") -> None:
        self._open_line = open_line
        self._opened: list[CliLine] = []
        self.enable_secret = enable_secret

    def connect(self) -> CliLine:
        line = self._open_line()
        self._opened.append(line)
        return line

    def close(self) -> None:
        """End all connections. Idempotent."""
        while self._opened:
            self._opened.pop().close()


class ConsoleConnections(Connections):
    """The same of a console, also ``platforms.access.OneLine``: all connections show the same line."""

    one_line = True
