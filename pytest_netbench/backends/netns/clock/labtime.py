"""The clock of a lab: what it showed at each moment since the deployment, and moving it by events."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from pytest_netbench import deadline
from pytest_netbench.backends.netns.channel import Channel
from pytest_netbench.errors import LabError
from pytest_netbench.platforms.capabilities import Passed


class Slack(NamedTuple):
    """By how much a timer may be late so that timers fire together.

    Attributes:
        grain_s: In lab seconds.
        share: Of its time, 0 to 1; less than that counts.
    """

    grain_s: float = 0.25
    share: float = 0.05


BRINGING_UP: Final = Slack(1.0, 0.5)
"""Until a network is ready: no neighbor is lost that says three times in a dead time that it is there."""
EXACTLY: Final = Slack(0.0, 0.0)
"""None: whatever the machine does besides, the same daemons do the same at the same lab time."""
_USUAL: Final = Slack()
MOST_LAB_S = 7 * 86400.0
"""The most lab seconds that are passed at once."""
_LONGEST_S = 600.0


class PacedClock:
    """Implements ``platforms.capabilities.LabTime``.

    Args:
        factor: Lab seconds per wall second at first.
        channel: To the supervisor, which has the clock.
        date: What it showed first, in seconds since 1970; that of the machine by default.
    """

    def __init__(self, factor: float, channel: Channel, *, date: float | None = None) -> None:
        now = time.time()
        # since when, in wall and lab time, and lab seconds per wall second
        self._paces = [(now, now if date is None else date, factor)]
        self._channel = channel
        self._moving = threading.Lock()

    def change(self, factor: float, *, until: float | None = None) -> None:
        """Let lab time pass at another speed from now on. A lab that was halted goes on."""
        self._note(self._channel.call("scale", factor=factor, until=until), factor, until)

    def halt(self) -> None:
        self._note(self._channel.call("halt"), 0.0)

    def _note(self, answer: Mapping[str, Any], factor: float, until: float | None = None) -> None:
        while self._paces[-1][0] > time.time():  # the clock was to stand still then, but it goes on as is told now
            self._paces.pop()
        wall, lab = self._told(answer)
        self._paces.append((wall, lab, factor))
        if until is not None:
            self._paces.append((wall + max(0.0, until - lab) / factor, max(until, lab), 0.0))

    def _told(self, answer: Mapping[str, Any]) -> tuple[float, float]:
        """A moment in wall and lab time, as the supervisor has told it: what its answer took does not count."""
        now, moment = time.time(), answer["moment"]
        if moment is None:
            return now, self.at(now)
        wall = now - (time.monotonic() - moment[0])
        return max(wall, self._paces[-1][0]), max(moment[1], self._paces[-1][1])

    def at(self, moment: float) -> float:
        wall, lab, factor = next((one for one in reversed(self._paces) if one[0] <= moment), self._paces[0])
        return lab + (moment - wall) * factor

    def forward(self, lab_s: float, *, slack: Slack = _USUAL) -> Passed:
        if not 0 <= lab_s <= MOST_LAB_S:
            raise LabError(f"lab time passes by 0 to {MOST_LAB_S:g} seconds at once, not by {lab_s:g}")
        with self._moving:
            began = time.time()
            timeout_s = deadline.left(_LONGEST_S)
            answer = self._channel.call(
                "forward",
                lab_s=lab_s,
                **slack._asdict(),
                timeout_s=timeout_s,
            )
            lab, factor = self.at(began), self._paces[-1][2]  # it may have been changed meanwhile
            ended, date = self._told(answer)
            self._paces += [(began, lab, (date - lab) / (ended - began)), (ended, date, factor)]
        return Passed(
            lab_s=answer["lab_ns"] / 1e9,
            wall_s=ended - began,
            held_s=answer["held_ns"] / 1e9,
            moves=answer["moves"],
            looks=answer["looks"],
        )


class LabNeighbors:
    """Implements ``lab.turns.Neighbors``.

    Args:
        channel: To the supervisor.
    """

    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    def last(self, *, lasting: bool) -> None:
        self._channel.call("neighbors", lasting=lasting, forget=False)

    def forget(self) -> None:
        self._channel.call("neighbors", lasting=None, forget=True)
