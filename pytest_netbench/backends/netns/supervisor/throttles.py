"""Programs that get almost no time of a processor: they are stopped but for short moments. Standard library only.

All processes of a node can be stopped so as well, as the kernel does to those of a group whose quota is spent.
"""

from __future__ import annotations

import contextlib
import math
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from pytest_netbench.backends.netns.supervisor.daemons import Daemons
from pytest_netbench.backends.netns.supervisor.owner import Message

_SWEEP_S: Final = 0.03
"""Wall seconds after which processes are stopped that have begun while all others of their node were."""
_Place = tuple[str, str | None]
"""A node and a program of it, or none for all processes of the node."""


@dataclass
class _Throttle:
    """How long a program is stopped and runs, in wall seconds, and when that changes next."""

    stopped_s: float
    running_s: float
    is_stopped: bool
    changes_at: float
    sweeps_at: float = math.inf

    @property
    def next_at(self) -> float:
        """When something is to be done."""
        return min(self.changes_at, self.sweeps_at)


class Throttles:
    """Stops programs and lets them run, by time.

    Args:
        daemons: The programs of the lab.
        clock: Seconds, monotonic.
    """

    def __init__(self, daemons: Daemons, clock: Callable[[], float] = time.monotonic) -> None:
        self._daemons = daemons
        self._clock = clock
        self._throttles: dict[_Place, _Throttle] = {}

    def set(self, request: Message) -> Message:
        """Throttle a program from now on, or no longer; the answer says whether it runs.

        Without a program all processes of the node are throttled.

        Raises:
            OSError: It cannot be signalled.
        """
        place = request["node"], request["daemon"]
        stopped_s, running_s = request["stopped_s"], request["running_s"]
        self._throttles.pop(place, None)
        is_stopped = bool(stopped_s)
        runs = self._signal(place, is_stopped=is_stopped)
        if runs and is_stopped:
            one = _Throttle(stopped_s, running_s, is_stopped, self._clock() + stopped_s)
            self._throttles[place] = one
            self._sweep_later(place, one)
        return {"runs": runs}

    def wait_s(self) -> float | None:
        """Return the seconds until the next change, if there is one."""
        if not self._throttles:
            return None
        return max(0.001, min(one.next_at for one in self._throttles.values()) - self._clock())

    def tick(self) -> None:
        """Change what is due. A program that has ended is forgotten."""
        now = self._clock()
        for place, one in list(self._throttles.items()):
            if now < one.next_at:
                continue
            if now >= one.changes_at:
                one.is_stopped = not one.is_stopped
                one.changes_at = now + (one.stopped_s if one.is_stopped else one.running_s)
            self._sweep_later(place, one)
            runs = False
            with contextlib.suppress(ProcessLookupError):
                runs = self._signal(place, is_stopped=one.is_stopped)
            if not runs:
                del self._throttles[place]

    def _sweep_later(self, place: _Place, one: _Throttle) -> None:
        is_swept = one.is_stopped and place[1] is None
        one.sweeps_at = self._clock() + _SWEEP_S if is_swept else math.inf

    def _signal(self, place: _Place, *, is_stopped: bool) -> bool:
        node, daemon = place
        number = signal.SIGSTOP if is_stopped else signal.SIGCONT
        if daemon is None:
            self._daemons.signal_all(node, number)
            return True
        request = {"node": node, "daemon": daemon, "signal": number, "freezes": is_stopped}
        return bool(self._daemons.signal(request)["sent"])
