"""The service ``times``: fills the set of a time range while the range holds, by the clock of the lab.

Configuration: ``{"ranges": {set: {"absolute": [[first, end], …], "periodic": [[days, first, end], …]}}, "vrfs": […]}``.
Absolute times are in seconds since 1970, periodic ones in seconds of a day in UTC; Monday is day 0, and ``end`` is the
first second after. A range holds within all absolute times and, if there are any, one of the periodic ones.

State: ``{"holds": {set: whether}, "waiting"}``.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import Any

from pytest_netbench.platforms.cisco_ios.services.programs.common import batch
from pytest_netbench.platforms.cisco_ios.services.programs.common.host import Shared
from pytest_netbench.platforms.cisco_ios.services.programs.common.loop import Timer

DAY_S = 86_400
_TABLE = "inet netbench"
_PROTOCOLS = "{ ipv4, ipv6 }"
_LATE_S = 0.01
"""So long after a boundary the ranges are looked at: a timer may be early by what floats lose."""


class Service:
    """Fills and empties sets of the kernel."""

    def __init__(self, shared: Shared) -> None:
        self._loop = shared.loop
        self._ranges: Mapping[str, Any] = {}
        self._vrfs: tuple[str, ...] = ("",)
        self._held: dict[str, bool] = {}
        self._timer: Timer | None = None

    def configure(self, config: dict[str, Any]) -> None:
        self._ranges = config.get("ranges", {})
        self._vrfs = ("", *config.get("vrfs", ()))
        self._held = {}
        self._look()

    def state(self) -> dict[str, Any]:
        return {"holds": self._held, "waiting": []}

    def command(self, words: list[str]) -> str:
        raise ValueError(f"the service times knows no command {' '.join(words)!r}")

    def _look(self) -> None:
        """Change what has changed, and look again at the next boundary."""
        now = time.time()
        held = {name: holds(one, now) for name, one in self._ranges.items()}
        changed = {name: does for name, does in held.items() if self._held.get(name) != does}
        lines = "".join(_fill(name, does=does) for name, does in changed.items())
        for vrf in self._vrfs:
            batch.run("nft", lines, vrf=vrf, may_fail=bool(vrf))  # a VRF may be there in the config alone
        self._held = held
        if self._timer is not None:
            self._timer.cancel()
        coming = [moment for one in self._ranges.values() for moment in boundaries(one, now) if moment > now]
        wait_s = min([DAY_S, *(moment - now + _LATE_S for moment in coming)])
        self._timer = self._loop.after(wait_s, self._look) if self._ranges else None


def _fill(name: str, *, does: bool) -> str:
    return f"flush set {_TABLE} {name}\n" + (f"add element {_TABLE} {name} {_PROTOCOLS}\n" if does else "")


def holds(one: Mapping[str, Any], now: float) -> bool:
    """Whether a range holds."""
    day, second = time.gmtime(now).tm_wday, now % DAY_S
    periodic = one["periodic"]
    return all(first <= now < end for first, end in one["absolute"]) and (
        not periodic or any(day in days and first <= second < end for days, first, end in periodic)
    )


def boundaries(one: Mapping[str, Any], now: float) -> Iterator[float]:
    """Yield the moments at which a range may begin or end; of periodic times those of this day and the next."""
    for first, end in one["absolute"]:
        yield from (first, end)
    midnight = now - now % DAY_S
    for _, first, end in one["periodic"]:
        for day in (midnight, midnight + DAY_S):
            yield from (day + first, day + end)
