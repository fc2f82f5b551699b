"""The remaining time of the current work: the waiting caller sets the limit, and the loops of the work check it.

The limit belongs to the thread (and its context) that set it. Interpreters of agents' lines check it between steps, so
that no line occupies the process longer than its request may take.

``poll`` has a time of its own, and does not check the limit.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TypeVar

from pytest_netbench.errors import TookTooLong

T = TypeVar("T")


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


def poll(
    look: Callable[[], T],
    *,
    until: Callable[[T], object],
    within_s: float,
    pause_s: float,
    clock: Callable[[], float] | None = None,
) -> T:
    """Look again and again until it is enough or the time is over; return what was seen last.

    Args:
        look: Looks once. It is called at least once.
        until: Whether what was seen is enough.
        within_s: Seconds of ``clock``. The last look begins at most one pause later.
        pause_s: Wall seconds between two looks.
        clock: Tells seconds; by default those of the wall.
    """
    now = clock or time.monotonic
    ends_at = now() + within_s
    while not until(seen := look()) and now() < ends_at:
        time.sleep(pause_s)
    return seen
