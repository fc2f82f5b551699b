"""The protocols of an interactive login to a node: the user's terminal, the console that serves it, and its files.

Owns no transport: ``lab/ssh`` implements ``Terminal``, each driver implements ``Console`` and ``FileStore``.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Literal, Protocol

CommandKind = Literal["read", "configure", "session"]
"""What an entered line does: read something, change the configuration, or only change the session's mode."""


class TypedCommand(Protocol):
    """A command under way at a terminal."""

    refused: str
    """The device's words, if it did not take the command. The console sets it."""

    @property
    def overdue(self) -> bool:
        """Whether it has taken so long that the console must interrupt it: the network stands still otherwise."""
        ...

    def paused(self) -> AbstractContextManager[None]:
        """Around a wait for keys: a network that stands still for its user does so meanwhile."""
        ...


class CommandNotPermitted(Exception):
    """A command may not be run: the budget is used up, or the trial has ended. The text is for the user."""


class HungUp(EOFError):
    """The user has left the terminal: there is no input, and output would be lost."""


class Terminal(Protocol):
    """The user's terminal as the console sees it: keys come in, text goes out."""

    @property
    def columns(self) -> int: ...

    @property
    def rows(self) -> int: ...

    @property
    def waiting(self) -> bool:
        """Whether unread keys are waiting. A console may then postpone work that is done once for many lines."""
        ...

    @property
    def stands_still(self) -> bool:
        """Whether the network stands still but for commands and ``moving``."""
        ...

    def moving(self) -> AbstractContextManager[TypedCommand]:
        """Around work that no line asks for, but for which the network must move. It is not recorded."""
        ...

    def read(self, *, timeout_s: float | None = None) -> str:
        """Keys in the order they were pressed, as many as there are; ``""`` if none came in time or the size changed.

        Raises:
            EOFError: No more keys will come; text may still be shown.
            HungUp: The user has left.
        """
        ...

    def write(self, text: str) -> None:
        r"""Show text. A new line is ``\r\n``, as on any terminal.

        Raises:
            HungUp: The user has left.
        """
        ...

    def command(self, line: str, *, kind: CommandKind = "read") -> AbstractContextManager[TypedCommand]:
        """Around the work for one entered line: counts it, and records it with all that is written meanwhile.

        Args:
            line: What was entered. A blank line is free; a password never goes in here.
            kind: What it asks for. Lines of kind ``session`` are recorded and free.

        Raises:
            CommandNotPermitted: It must not be run. The console says why and goes on.
        """
        ...


class Console(Protocol):
    """One session on a node's own command line, from login to logout; one thread serves it.

    The console does what a terminal line does: echo, line editing, ``?`` and Tab at once, paging, confirmations,
    Ctrl-C. It reads and writes a ``Terminal`` and does not know the transport.
    """

    def converse(self, terminal: Terminal) -> None:
        """Serve the user at the terminal until logout.

        Raises:
            EOFError: They hung up.
        """
        ...

    def execute(self, terminal: Terminal, command: str) -> int:
        """Run one command with no dialogue, as ``ssh host command`` does; returns its exit status."""
        ...


class FileStore(Protocol):
    """The files of a device as ``scp`` and ``sftp`` see them: one flat folder."""

    def names(self) -> Sequence[str]: ...

    def load(self, name: str) -> bytes:
        """Contents of a file.

        Raises:
            FileNotFoundError: There is none of that name.
        """
        ...

    def store(self, name: str, data: bytes) -> None:
        """Write a file whole.

        Raises:
            OSError: It cannot be kept, e.g. there is no room.
        """
        ...

    def remove(self, name: str) -> None:
        """Delete a file.

        Raises:
            FileNotFoundError: There is none of that name.
        """
        ...
