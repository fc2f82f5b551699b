"""A served node: its console and files under a login, behind a guard."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Protocol

from pytest_netbench.platforms.terminal import CommandKind, Console, FileStore


class Pausable(Protocol):
    """What may stand still while a command waits for its user."""

    def paused(self) -> AbstractContextManager[None]: ...


@dataclass(kw_only=True)
class Typed:
    """A command under way, or other work for which the network moves.

    ``refused``: the device's message if it refused it. ``output``: all that was shown. ``until``: the moment of the
    monotonic clock at which it is to be interrupted. ``turn``: lets the network stand still while it waits.
    """

    refused: str = ""
    output: str = ""
    until: float = math.inf
    turn: Pausable | None = None

    @property
    def overdue(self) -> bool:
        return time.monotonic() > self.until

    def paused(self) -> AbstractContextManager[None]:
        return nullcontext() if self.turn is None else self.turn.paused()


class Guard(Protocol):
    """Decides which commands are permitted, and records their results. Used from several threads."""

    @property
    def stands_still(self) -> bool:
        """Whether the network stands still but for commands and ``moving``."""
        ...

    def moving(self) -> AbstractContextManager[Typed]:
        """Around work that is no command, but for which the network must move."""
        ...

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
