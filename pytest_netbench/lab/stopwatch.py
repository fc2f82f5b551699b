"""The seconds in which verdicts wait for a lab: those of the wall, or others of which a lab has its own.

All waiting counts in wall seconds at the lab's time scale. Where the clock is moved by events, a second of waiting is
as many lab seconds as the scale says, and costs only what the daemons do in them.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from typing import Final, Protocol, runtime_checkable

from pytest_netbench.lab.protocols import Lab
from pytest_netbench.platforms.capabilities import LabTime


class Stopwatch(Protocol):
    """What tells and passes the seconds of waiting."""

    def now(self) -> float:
        """A moment, in seconds. Only differences mean something."""
        ...

    def sleep(self, seconds: float) -> None:
        """Let seconds pass.

        Raises:
            LabError: The lab broke.
        """
        ...

    def following_the_wall(self) -> contextlib.AbstractContextManager[None]:
        """Let seconds pass with the wall meanwhile, since something is measured that does not go by the lab's clock."""
        ...


@runtime_checkable
class HasStopwatch(Protocol):
    """A lab that has seconds of its own."""

    @property
    def stopwatch(self) -> Stopwatch: ...


class WallStopwatch:
    """Implements ``Stopwatch`` for labs whose time passes by itself."""

    def now(self) -> float:
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        threading.Event().wait(seconds)

    def following_the_wall(self) -> contextlib.AbstractContextManager[None]:
        return contextlib.nullcontext()


class EventStopwatch:
    """Implements ``Stopwatch`` for labs whose clock can be moved.

    Args:
        clock: The lab's.
        scale: Lab seconds per second of waiting.
    """

    def __init__(self, clock: LabTime, scale: float) -> None:
        self._clock, self._scale = clock, scale
        self._followed = 0
        self._lock = threading.Lock()

    def now(self) -> float:
        return self._clock.at(time.time()) / self._scale

    def sleep(self, seconds: float) -> None:
        if self._followed:
            threading.Event().wait(seconds)
        elif seconds > 0:
            self._clock.forward(seconds * self._scale)

    @contextlib.contextmanager
    def following_the_wall(self) -> Iterator[None]:
        with self._lock:
            self._followed += 1
        try:
            yield
        finally:
            with self._lock:
                self._followed -= 1


_WALL: Final = WallStopwatch()


def stopwatch_of(lab: Lab) -> Stopwatch:
    """Return the stopwatch of a lab, or the wall's."""
    return lab.stopwatch if isinstance(lab, HasStopwatch) else _WALL
