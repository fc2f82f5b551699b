"""The tape that the models of a trial are recorded on, or replayed from."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from pytest_netbench.agents.cassettes.tapes import Replays, Tape
from pytest_netbench.agents.scopes import Scoped

_tape: Final = Scoped[Tape]("netbench-tape")


@contextmanager
def used(tape: Tape | None) -> Iterator[None]:
    """Record the models of this context on ``tape``, or replay them from it; ``None`` changes nothing.

    Trials that run side by side in one process, each in a thread of its own, have tapes of their own. A trial's agent
    has a copy of the trial's context: if it goes on after its trial has ended, it does not reach the tape of the next.
    """
    with _tape.used(_tape.of_context() if tape is None else tape):
        yield


def use_in_process(tape: Tape | None) -> None:
    """Record all models of this process on ``tape``, or replay them from it, also those in threads of an agent.

    Only for a process that works for one trial at a time: that of an agent, or that of pytest. ``None``: neither.
    """
    _tape.use_in_process(tape)


def current() -> Tape | None:
    """The tape of this context, else of this process."""
    return _tape.current()


def replays() -> bool:
    """Whether all answers come from cassettes, so that no model client is needed."""
    return isinstance(current(), Replays)
