"""The seconds in which verdicts wait for a lab: those of the wall, or others of which a lab has its own.

All waiting counts in wall seconds at the lab's time scale. Where the clock is moved by events, a second of waiting is
as many lab seconds as the scale says, and costs only what the daemons do in them. Where the lab stands still between
the requests of an agent, no second passes meanwhile.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol, runtime_checkable

from pytest_netbench.lab.protocols import Lab
from pytest_netbench.lab.request import Clock
from pytest_netbench.platforms.capabilities import LabTime


class Stopwatch(Protocol):
    """What tells and passes the seconds of waiting."""

    @property
    def mode(self) -> Clock:
        """How lab time passes."""
        ...

    @property
    def is_cheap(self) -> bool:
        """Whether seconds that are slept cost less than those in which somebody looks at the lab."""
        ...

    def now(self) -> float:
        """A moment, in seconds. Only differences mean something."""
        ...

    def wall_s(self) -> float:
        """A moment in wall seconds, without those in which the lab stood still. Only differences mean something."""
        ...

    def lab_s(self) -> float:
        """A moment in lab seconds. Only differences mean something."""
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


class Stamp(NamedTuple):
    """A moment in wall seconds of the monotonic clock and in lab seconds. Only differences mean something."""

    wall_s: float
    lab_s: float

    def since(self, other: Stamp) -> Stamp:
        """Return how long before this moment the other was."""
        return Stamp(self.wall_s - other.wall_s, self.lab_s - other.lab_s)


@runtime_checkable
class HasStopwatch(Protocol):
    """A lab that has seconds of its own."""

    @property
    def stopwatch(self) -> Stopwatch: ...


class WallStopwatch:
    """Implements ``Stopwatch`` for labs whose time passes by itself.

    Args:
        lab_s: Tells the lab seconds.
    """

    mode: Clock = "scaled"
    is_cheap = False

    def __init__(self, lab_s: Callable[[], float]) -> None:
        self._lab_s = lab_s

    def now(self) -> float:
        return time.monotonic()

    def wall_s(self) -> float:
        return time.monotonic()

    def lab_s(self) -> float:
        return self._lab_s()

    def sleep(self, seconds: float) -> None:
        threading.Event().wait(seconds)

    def following_the_wall(self) -> contextlib.AbstractContextManager[None]:
        return contextlib.nullcontext()


class StandingStopwatch(WallStopwatch):
    """Implements ``Stopwatch`` for labs that stand still between requests.

    Args:
        lab_s: Tells the lab seconds.
        wall_s: Tells the wall seconds in which the lab did not stand still.
        scale: Lab seconds per second of waiting.
    """

    mode: Clock = "calls"

    def __init__(self, lab_s: Callable[[], float], *, wall_s: Callable[[], float], scale: float) -> None:
        super().__init__(lab_s)
        self._wall_s, self._scale = wall_s, scale

    def now(self) -> float:
        return self.lab_s() / self._scale

    def wall_s(self) -> float:
        return self._wall_s()


class EventStopwatch:
    """Implements ``Stopwatch`` for labs whose clock can be moved.

    Args:
        clock: The lab's.
        scale: Lab seconds per second of waiting.
        forward: Moves the clock by lab seconds, if not as usual.
    """

    mode: Clock = "events"
    is_cheap = True

    def __init__(self, clock: LabTime, scale: float, *, forward: Callable[[float], object] | None = None) -> None:
        self._clock, self._scale = clock, scale
        self._forward = forward or clock.forward
        self._followed = 0
        self._lock = threading.Lock()

    def now(self) -> float:
        return self.lab_s() / self._scale

    def wall_s(self) -> float:
        return time.monotonic()

    def lab_s(self) -> float:
        return self._clock.at(time.time())

    def sleep(self, seconds: float) -> None:
        if self._followed:
            threading.Event().wait(seconds)
        elif seconds > 0:
            self._forward(seconds * self._scale)

    @contextlib.contextmanager
    def following_the_wall(self) -> Iterator[None]:
        with self._lock:
            self._followed += 1
        try:
            yield
        finally:
            with self._lock:
                self._followed -= 1


def stamp_of(lab: Lab) -> Stamp:
    """Return the present moment."""
    return Stamp(time.monotonic(), stopwatch_of(lab).lab_s())


def stopwatch_of(lab: Lab) -> Stopwatch:
    """Return the stopwatch of a lab, or the wall's."""
    if isinstance(lab, HasStopwatch):
        return lab.stopwatch
    return WallStopwatch(lambda: time.monotonic() * lab.time_scale)
