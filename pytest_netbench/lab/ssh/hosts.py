"""A served node: its console and files under a login, behind a guard."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from pytest_netbench.platforms.terminal import CommandKind, Console, FileStore


@dataclass(kw_only=True)
class Typed:
    """A command under way. ``refused``: the device's message if it refused it. ``output``: all that was shown."""

    refused: str = ""
    output: str = ""


class Guard(Protocol):
    """Decides which commands are permitted, and records their results. Used from several threads."""

    def enter(self, device: str, session: str, line: str, kind: CommandKind) -> AbstractContextManager[Typed]:
        """Around one command.

        Raises:
            CommandNotPermitted: It must not be run.
        """
        ...

    def broken(self, device: str, error: Exception) -> None:
        """Note that a console failed; the session has ended."""
        ...


@dataclass(frozen=True, kw_only=True)
class Host:
    """One node to be served. ``files`` is ``None`` if it has none to copy."""

    name: str
    username: str
    password: str
    console: Callable[[], Console]
    files: FileStore | None = None
