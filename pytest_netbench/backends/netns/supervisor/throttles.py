"""Programs that get almost no time of a processor: they are stopped but for short moments. Standard library only."""

from __future__ import annotations

import contextlib
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass

from pytest_netbench.backends.netns.supervisor.daemons import Daemons
from pytest_netbench.backends.netns.supervisor.owner import Message


@dataclass
class _Throttle:
    """How long a program is stopped and runs, in wall seconds, and when that changes next."""

    stopped_s: float
    running_s: float
    is_stopped: bool
    changes_at: float


class Throttles:
    """Stops programs and lets them run, by time.

    Args:
        daemons: The programs of the lab.
        clock: Seconds, monotonic.
    """

    def __init__(self, daemons: Daemons, clock: Callable[[], float] = time.monotonic) -> None:
        self._daemons = daemons
        self._clock = clock
        self._throttles: dict[tuple[str, str], _Throttle] = {}

    def set(self, request: Message) -> Message:
        """Throttle a program from now on, or no longer; the answer says whether it runs.

        Raises:
            OSError: It cannot be signalled.
        """
        place = request["node"], request["daemon"]
        stopped_s, running_s = request["stopped_s"], request["running_s"]
        self._throttles.pop(place, None)
        is_stopped = bool(stopped_s)
        runs = self._signal(place, is_stopped=is_stopped)
        if runs and is_stopped:
            self._throttles[place] = _Throttle(stopped_s, running_s, is_stopped, self._clock() + stopped_s)
        return {"runs": runs}

    def wait_s(self) -> float | None:
        """Return the seconds until the next change, if there is one."""
        if not self._throttles:
            return None
        return max(0.001, min(one.changes_at for one in self._throttles.values()) - self._clock())

    def tick(self) -> None:
        """Change what is due. A program that has ended is forgotten."""
        now = self._clock()
        for place, one in list(self._throttles.items()):
            if now < one.changes_at:
                continue
            one.is_stopped = not one.is_stopped
            one.changes_at = now + (one.stopped_s if one.is_stopped else one.running_s)
            runs = False
            with contextlib.suppress(ProcessLookupError):
                runs = self._signal(place, is_stopped=one.is_stopped)
            if not runs:
                del self._throttles[place]

    def _signal(self, place: tuple[str, str], *, is_stopped: bool) -> bool:
        node, daemon = place
        number = signal.SIGSTOP if is_stopped else signal.SIGCONT
        request = {"node": node, "daemon": daemon, "signal": number, "freezes": is_stopped}
        return bool(self._daemons.signal(request)["sent"])
