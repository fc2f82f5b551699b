"""The tape that models of this process are recorded on, or replayed from; one for each trial."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pytest_netbench.agents.cassettes.tapes import Tape

_of_thread: Final[ContextVar[Tape | None]] = ContextVar("netbench-tape", default=None)
_of_process: Tape | None = None
_replays = False


def insert(tape: Tape | None) -> None:
    """Use ``tape`` from now on; ``None``: neither record nor replay.

    Threads that are started with a copy of this context keep it: an agent that goes on after its trial has ended does
    not reach the tape of the next one.
    """
    global _of_process  # noqa: PLW0603  (agents make their models themselves; there is one run in a process)
    _of_process = tape
    _of_thread.set(tape)


def current() -> Tape | None:
    """The tape of this thread, else of the process."""
    return _of_thread.get() or _of_process


def only_replays(*, replays: bool) -> None:
    """Say whether no model is asked at all in this process."""
    global _replays  # noqa: PLW0603  (as above)
    _replays = replays


def replays() -> bool:
    """Whether all answers come from cassettes, so that no model client is needed."""
    return _replays
