"""The clock of a lab: what it showed at each moment since the deployment, and moving it by events."""

from __future__ import annotations

import threading
import time

from pytest_netbench import deadline
from pytest_netbench.backends.netns.channel import Channel
from pytest_netbench.errors import LabError
from pytest_netbench.platforms.capabilities import Passed

GRAIN_S = 0.25
"""By how many lab seconds a timer may be late so that timers fire together; never more than 5 % of its time."""
MOST_LAB_S = 7 * 86400.0
"""The most lab seconds that are passed at once."""
_LONGEST_S = 600.0


class PacedClock:
    """Implements ``platforms.capabilities.LabTime``.

    Args:
        factor: Lab seconds per wall second at first.
        channel: To the supervisor, which has the clock.
    """

    def __init__(self, factor: float, channel: Channel) -> None:
        now = time.time()
        self._paces = [(now, now, factor)]  # since when, in wall and lab time, and lab seconds per wall second
        self._channel = channel
        self._moving = threading.Lock()

    def change(self, factor: float) -> None:
        """Let lab time pass at another speed from now on."""
        self._channel.call("scale", factor=factor)
        now = time.time()
        self._paces.append((now, self.at(now), factor))

    def at(self, moment: float) -> float:
        wall, lab, factor = next((one for one in reversed(self._paces) if one[0] <= moment), self._paces[0])
        return lab + (moment - wall) * factor

    def forward(self, lab_s: float, *, grain_s: float = GRAIN_S) -> Passed:
        if not 0 <= lab_s <= MOST_LAB_S:
            raise LabError(f"lab time passes by 0 to {MOST_LAB_S:g} seconds at once, not by {lab_s:g}")
        with self._moving:
            began, factor = time.time(), self._paces[-1][2]
            timeout_s = deadline.left(_LONGEST_S)
            answer = self._channel.call(
                "forward",
                lab_s=lab_s,
                grain_s=grain_s,
                timeout_s=timeout_s,
            )
            ended, passed_s = time.time(), answer["lab_ns"] / 1e9
            lab = self.at(began)
            self._paces += [(began, lab, passed_s / (ended - began)), (ended, lab + passed_s, factor)]
        return Passed(
            lab_s=passed_s,
            wall_s=ended - began,
            held_s=answer["held_ns"] / 1e9,
            moves=answer["moves"],
            looks=answer["looks"],
        )
