"""The clock page: what ``native/labtime.c`` maps into the daemons of a lab.

Owns the layout and the writing of the page. Runs inside the supervisor, so it imports the standard library only.
"""

from __future__ import annotations

import math
import mmap
import os
import threading
import time
from collections.abc import Callable

_NEVER_NS = 2**63 - 1
_SECOND_NS = 10**9


class LabClock:
    """Lab time of one lab: it passes ``factor`` times as fast as the wall, and never jumps.

    The page is ``{uint64 sequence; int64 base_real_ns; int64 base_lab_ns; double factor; int64 epoch_ns; int64
    base_line_ns; int64 most_lab_ns}`` in native byte order. The lab's monotonic clock shows ``base_lab_ns +
    (CLOCK_MONOTONIC - base_real_ns) * factor``, at most ``most_lab_ns``, and its real-time clock ``epoch_ns`` more.
    What travels over shaped links goes by ``base_line_ns + CLOCK_MONOTONIC - base_real_ns``, and stands still where
    the lab's clocks do. A reader that sees an odd sequence number, or a different one after reading, reads again.
    """

    SIZE = 56
    SLOTS_SIZE = 64 + 4095 * 64
    """Bytes of the slots (see ``native/labtime.h``)."""

    def __init__(self, *, page: mmap.mmap, factor: float, date: float) -> None:
        view = memoryview(page)
        # Cast views store a field with one machine instruction; struct's standard mode would go byte by byte.
        self._sequence = view[0:8].cast("Q")
        self._bases = view[8:24].cast("q")
        self._factor = view[24:32].cast("d")
        self._epoch = view[32:40].cast("q")
        self._line = view[40:48].cast("q")
        self._most = view[48:56].cast("q")
        self._most[0] = _NEVER_NS
        self._pace = factor
        self._paced = False
        self.slots = os.memfd_create("netbench-slots", os.MFD_CLOEXEC)
        """Descriptor of what daemons say of their threads."""
        os.ftruncate(self.slots, self.SLOTS_SIZE)
        self._lock = threading.Lock()
        self._fence = threading.Lock()
        # daemons tell ages as differences of whole seconds: in each lab their seconds begin at the same moments
        first = -(-time.monotonic_ns() // _SECOND_NS) * _SECOND_NS
        self._epoch[0] = int(date * 1e9) - first
        self._bases[0] = self._line[0] = time.monotonic_ns()
        self._publish(factor, lambda _: first)

    @classmethod
    def create(cls, path: str, factor: float, *, date: float | None = None) -> LabClock:
        """Make the page at ``path`` and start lab time at the next whole second of the monotonic clock.

        Args:
            path: A file that does not exist yet; daemons find it by ``NETBENCH_CLOCK``.
            factor: Lab seconds per wall second.
            date: What the lab's real-time clock shows first, in seconds since 1970; the machine's date by default.

        Raises:
            ValueError: ``factor`` is not a positive number.
            OSError: The file cannot be made.
        """
        _check(factor)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
        try:
            os.posix_fallocate(descriptor, 0, cls.SIZE)
            page = mmap.mmap(descriptor, cls.SIZE)
        finally:
            os.close(descriptor)
        return cls(page=page, factor=factor, date=time.time() if date is None else date)

    @property
    def factor(self) -> float:
        """Lab seconds per wall second while nobody moves the clock by events."""
        return self._pace

    def hand_over(self) -> None:
        """Leave the page to the pacer until ``take_back``.

        Raises:
            ValueError: It has the page.
        """
        if self._paced:
            raise ValueError("the clock is being moved already")
        self._paced = True

    def take_back(self) -> None:
        """Go on at the usual speed from where the pacer left the clock."""
        self._paced = False
        with memoryview(mmap.mmap(self.slots, self.SLOTS_SIZE)) as slots, slots[0:4].cast("I") as paced:
            paced[0] = 0  # a pacer that was killed has left it, and perhaps a page that is being written
        self._sequence[0] += self._sequence[0] & 1
        self._publish(self._pace, self._lab_ns)

    def set_factor(self, factor: float, *, until: float | None = None) -> None:
        """Go on from the present lab time at another speed. Daemons that wait notice within a tenth of a second.

        Args:
            factor: Lab seconds per wall second.
            until: What ``CLOCK_REALTIME`` of the lab shows when it stands still by itself.

        Raises:
            ValueError: ``factor`` is not a positive number.
        """
        _check(factor)
        self._pace = factor
        most = _NEVER_NS if until is None else round(until * 1e9) - self._epoch[0]
        if not self._paced:
            self._publish(factor, self._lab_ns, most)

    def halt(self) -> None:
        """Let lab time stand still until ``set_factor``.

        Raises:
            ValueError: The pacer has the page.
        """
        if self._paced:
            raise ValueError("the clock is being moved")
        self._publish(0.0, self._lab_ns)

    def lab_now(self) -> float:
        """Lab seconds on the clock that daemons see as ``CLOCK_MONOTONIC``."""
        with self._lock:
            return self._lab_ns(time.monotonic_ns()) / 1e9

    def moment(self) -> tuple[float, float]:
        """Return a moment of the machine's monotonic clock, and what the lab's ``CLOCK_REALTIME`` showed then."""
        with self._lock:
            now = time.monotonic_ns()
            return now / 1e9, (self._lab_ns(now) + self._epoch[0]) / 1e9

    def _lab_ns(self, now: int) -> int:
        return min(self._bases[1] + int((now - self._bases[0]) * self._factor[0]), self._most[0])

    def _passed(self, now: int) -> int:
        """Wall nanoseconds in which lab time has passed since the page was written."""
        factor = self._factor[0]
        return min(now - self._bases[0], int((self._most[0] - self._bases[1]) / factor)) if factor else 0

    def _publish(self, factor: float, lab_ns: Callable[[int], int], most: int = _NEVER_NS) -> None:
        with self._lock:
            self._sequence[0] += 1
            self._order_stores()
            # Read after the sequence is odd: a reader that used the old page took its moment before this one.
            now = time.monotonic_ns()
            base_lab = lab_ns(now)
            self._line[0] += self._passed(now)
            self._bases[0], self._bases[1], self._factor[0] = now, base_lab, factor
            self._most[0] = most
            self._order_stores()
            self._sequence[0] += 1

    def _order_stores(self) -> None:
        """Keep the stores before from being seen after those that follow: Python has no fence but a lock is one."""
        with self._fence:
            pass


def _check(factor: float) -> None:
    if not (math.isfinite(factor) and factor > 0):
        raise ValueError(f"a time scale must be a positive number, not {factor!r}")
