"""When the packets of a flow arrived, and how much had arrived at a moment. Standard library only."""

from __future__ import annotations

from bisect import bisect_right

_NEAR = 0.25
_NEAR_S = 0.001
_LONGEST_BURST_S = 0.005


class Arrivals:
    """What arrived of a flow.

    A program that shapes a link, or the machine, can be held up: nothing arrives, then all that was due at once. So
    packets that arrive together count as if they had come evenly since those before them, and a moment within such a
    gap has its share of them. Of packets that are sent in bursts it can say nothing.

    Args:
        interval_s: Seconds from one packet sent to the next.
    """

    def __init__(self, interval_s: float) -> None:
        self._near_s = min(_NEAR_S, _NEAR * interval_s)
        self._ends: list[float] = []
        self._totals: list[int] = []
        self._began = 0.0

    @property
    def last(self) -> float:
        """Moment of the last arrival, 0 if there is none."""
        return self._ends[-1] if self._ends else 0.0

    def add(self, moment: float, size: int) -> None:
        """Add ``size`` bytes, which arrived at a moment that is not before the last one."""
        total = size + (self._totals[-1] if self._totals else 0)
        if self._ends and moment - self._ends[-1] < self._near_s and moment - self._began < _LONGEST_BURST_S:
            self._ends[-1], self._totals[-1] = moment, total
        else:
            self._began = moment
            self._ends.append(moment)
            self._totals.append(total)

    def between(self, begin: float, end: float) -> float:
        """Return the bytes that arrived between two moments."""
        return self._until(end) - self._until(begin)

    def _until(self, moment: float) -> float:
        after = bisect_right(self._ends, moment)
        if after == 0:
            return 0
        if after == len(self._ends):
            return self._totals[-1]
        share = (moment - self._ends[after - 1]) / (self._ends[after] - self._ends[after - 1])
        return self._totals[after - 1] + share * (self._totals[after] - self._totals[after - 1])
