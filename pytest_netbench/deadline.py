"""The remaining time of the current work: the waiting caller sets the limit, and the loops of the work check it.

The limit belongs to the thread (and its context) that set it. Interpreters of agents' lines check it between steps, so
that no line occupies the process longer than its request may take.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from pytest_netbench.errors import TookTooLong


@dataclass(frozen=True)
class _Limit:
    at: float
    seconds: float
    cancelled: Callable[[], bool]


_limit: ContextVar[_Limit | None] = ContextVar("netbench_deadline", default=None)


@contextmanager
def within(seconds: float, *, cancelled: Callable[[], bool] = lambda: False) -> Iterator[None]:
    """Limit the work in the block to ``seconds``; a limit that is set already and ends sooner holds instead.

    Args:
        seconds: Wall seconds.
        cancelled: Whether the caller no longer waits for the work.
    """
    outer = _limit.get()
    at = time.monotonic() + seconds
    inner = _Limit(at, seconds, cancelled) if outer is None or at < outer.at else outer
    token = _limit.set(inner)
    try:
        yield
    finally:
        _limit.reset(token)


def check() -> None:
    """Return if the work under way may go on.

    Raises:
        TookTooLong: Its time is over, or the caller no longer waits.
    """
    limit = _limit.get()
    if limit is not None and (time.monotonic() > limit.at or limit.cancelled()):
        raise TookTooLong(limit.seconds)


def left(most: float) -> float:
    """Return the seconds that are left, at most ``most`` and never below 0."""
    limit = _limit.get()
    return most if limit is None else max(0.0, min(most, limit.at - time.monotonic()))
