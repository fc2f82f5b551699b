"""An event loop with descriptors and timers.

Timers use monotonic time, which is lab time if the clock library is preloaded. Descriptors are served before timers:
a process that got no CPU time reads a waiting hello before it declares the sender dead.
"""

from __future__ import annotations

import heapq
import itertools
import selectors
import time
from collections.abc import Callable

Call = Callable[[], object]


class Timer:
    """A call at a given time, unless it is cancelled."""

    __slots__ = ("call", "due", "order")

    def __init__(self, due: float, order: int, call: Call | None) -> None:
        self.due = due
        self.order = order
        self.call = call

    def __lt__(self, other: Timer) -> bool:
        return (self.due, self.order) < (other.due, other.order)

    def cancel(self) -> None:
        """Cancel the call. Idempotent."""
        self.call = None

    def left(self, now: float) -> float:
        """Seconds until the call; 0 if it was made or cancelled."""
        return max(0.0, self.due - now) if self.call else 0.0


class Loop:
    """Calls functions when descriptors are readable and when timers are due."""

    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()
        self._timers: list[Timer] = []
        self._order = itertools.count()
        self._stopped = False

    def now(self) -> float:
        """Seconds of lab time, from an arbitrary start."""
        return time.monotonic()

    def after(self, seconds: float, call: Call) -> Timer:
        """Make ``call`` once, ``seconds`` from now."""
        timer = Timer(self.now() + seconds, next(self._order), call)
        heapq.heappush(self._timers, timer)
        return timer

    def watch(self, fd: int, call: Call) -> None:
        """Make ``call`` whenever ``fd`` is readable."""
        self._selector.register(fd, selectors.EVENT_READ, call)

    def unwatch(self, fd: int) -> None:
        """Stop watching ``fd``; call this before closing it."""
        self._selector.unregister(fd)

    def stop(self) -> None:
        """Return from ``run`` after the current call."""
        self._stopped = True

    def run(self) -> None:
        """Serve until ``stop``."""
        while not self._stopped:
            self.turn(self._wait_s())

    def turn(self, wait_s: float | None) -> None:
        """Wait once, at most ``wait_s``, then make every call that is due."""
        for key, _ in self._selector.select(wait_s):
            # an earlier call of this turn may have closed it, and opened another with the same number
            if self._selector.get_map().get(key.fd) is key:
                key.data()
        now = self.now()
        while self._timers and self._timers[0].due <= now:
            timer = heapq.heappop(self._timers)
            call, timer.call = timer.call, None
            if call is not None:
                call()

    def _wait_s(self) -> float | None:
        while self._timers and self._timers[0].call is None:
            heapq.heappop(self._timers)
        return max(0.0, self._timers[0].due - self.now()) if self._timers else None
