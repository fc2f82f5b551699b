"""What ``show interfaces`` tells of an interface's traffic: when its last packets passed, and its rates, in lab time.

The kernel keeps the moments: every packet renews the element of its interface in a set with a timeout. Rates are means
that decay over five minutes, as on IOS. Between two looks the traffic counts as even.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from pytest_netbench.platforms.cisco_ios.apply import vrf as in_vrf
from pytest_netbench.platforms.cisco_ios.device.exec import Exec
from pytest_netbench.platforms.cisco_ios.shows.durations import elapsed
from pytest_netbench.platforms.cisco_ios.shows.ports import PortState

Side = Literal["rx", "tx"]
_WINDOW_S: Final = 300.0
_RATES: Final = "interface rates"
_LIFE_S: Final = 30 * 86_400.0
_ELEMENT = re.compile(r'"?([\w.-]+)"? expires ((?:\d+(?:ms|[dhms]))+)')
_PART = re.compile(r"(\d+)(ms|[dhms])")
_UNITS: Final = {"d": 86_400.0, "h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}


@dataclass(frozen=True)
class Rates:
    """Packets and bytes in a lab second, with the counters at the time they are of."""

    at: float
    counters: Mapping[tuple[Side, str], int]
    rates: Mapping[tuple[Side, str], float]

    def bits(self, side: Side) -> int:
        """Bits in a second."""
        return round(self.rates[side, "bytes"] * 8)

    def packets(self, side: Side) -> int:
        """Packets in a second."""
        return round(self.rates[side, "packets"])


def rates(at: Exec, state: PortState) -> Rates:
    """Return the rates of an interface over five minutes, and remember them."""
    kept: dict[str, Rates] = at.device.memory.setdefault(_RATES, {})
    now = at.device.now
    keys: list[tuple[Side, str]] = [(side, key) for side in ("rx", "tx") for key in ("packets", "bytes")]
    counters = {(side, key): state.counters.get(side, {}).get(key, 0) for side, key in keys}
    nothing = Rates(now - at.device.uptime_s, dict.fromkeys(keys, 0), dict.fromkeys(keys, 0.0))
    before = kept.get(state.name, nothing)
    passed = max(now - before.at, 1.0)
    weight = 1 - math.exp(-passed / _WINDOW_S)
    found = {
        key: before.rates[key] * (1 - weight) + max(0, counters[key] - before.counters[key]) / passed * weight
        for key in keys
    }
    kept[state.name] = Rates(now, counters, found)
    return kept[state.name]


def last_packets(at: Exec) -> Mapping[tuple[Side, str], float]:
    """Return how many lab seconds ago each interface, by its kernel name, received or sent its last packet."""
    found: dict[tuple[Side, str], float] = {}
    for vrf in in_vrf.names(at.node):
        listing = at.run_in_vrf(vrf, ["nft", "list", "table", "inet", "seen"]).stdout
        received, _, sent = listing.partition("set tx")
        sides: tuple[tuple[Side, str], ...] = (("rx", received), ("tx", sent))
        for side, text in sides:
            for name, left in _ELEMENT.findall(text):
                found[side, name] = ago_s(at, left)
    return found


def ago_s(at: Exec, left: str) -> float:
    """Return how many lab seconds ago an element of a set was renewed that has so much of its time left."""
    return at.device.lab_s(max(0.0, _LIFE_S - _seconds(left)))


def last(state: PortState, side: Side, seen: Mapping[tuple[Side, str], float]) -> str:
    """Return how long ago an interface received or sent its last packet, or ``never``."""
    if not state.counters.get(side, {}).get("packets", 0):
        return "never"
    # of frames that are switched only the count is known
    return elapsed(seen.get((side, state.interface.kernel), 0.0))


def _seconds(text: str) -> float:
    return sum(int(count) * _UNITS[unit] for count, unit in _PART.findall(text))
