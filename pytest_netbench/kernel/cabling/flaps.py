"""Cables that lose their carrier again and again. Standard library only."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from pytest_netbench.kernel.cabling.cables import Cables, Message


@dataclass
class _Flap:
    """A cable, how long it is down and up, in wall seconds, and when it changes next."""

    place: Message
    down_s: float
    up_s: float
    is_cut: bool
    changes_at: float


class Flaps:
    """Cuts cables and restores them, by time.

    Args:
        cables: The cables of the lab.
        clock: Seconds, monotonic.
    """

    def __init__(self, cables: Cables, clock: Callable[[], float] = time.monotonic) -> None:
        self._cables = cables
        self._clock = clock
        self._flaps: dict[tuple[int, int], _Flap] = {}

    def start(self, request: Message) -> Message:
        """Cut a cable now, and let it flap from then on."""
        place = {"link": request["link"], "port": request["port"]}
        down_s = request["down_s"]
        answer = self._cables.cut({**place, "cut": True})
        flap = _Flap(place, down_s, request["up_s"], is_cut=True, changes_at=self._clock() + down_s)
        self._flaps[request["link"], request["port"]] = flap
        return answer

    def cut(self, request: Message) -> Message:
        """Cut a cable or restore it for good."""
        self._flaps.pop((request["link"], request["port"]), None)
        return self._cables.cut(request)

    def wait_s(self) -> float | None:
        """Return the seconds until the next change, if there is one."""
        if not self._flaps:
            return None
        return max(0.001, min(flap.changes_at for flap in self._flaps.values()) - self._clock())

    def tick(self) -> None:
        """Change what is due."""
        now = self._clock()
        for flap in self._flaps.values():
            if now >= flap.changes_at:
                flap.is_cut = not flap.is_cut
                flap.changes_at = now + (flap.down_s if flap.is_cut else flap.up_s)
                self._cables.cut({**flap.place, "cut": flap.is_cut})
