"""How long the protocols of a config wait for a silent neighbor, in lab seconds. Pure text, no dialect's grammar."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

_DEFAULTS: Final = (
    (re.compile(r"router ospf6?\b|ip ospf \d+ area|ipv6 ospf", re.MULTILINE), 40.0),
    (re.compile(r"router bgp\b"), 180.0),
    (re.compile(r"router rip(ng)?\b"), 180.0),
    (re.compile(r"router isis\b"), 30.0),
    (re.compile(r"router eigrp\b"), 15.0),
    (re.compile(r"^\s+standby \d+ ip\b", re.MULTILINE), 10.0),
    (re.compile(r"^\s+vrrp \d+\b", re.MULTILINE), 4.0),
    (re.compile(r"^\s*ip sla \d+", re.MULTILINE), 70.0),  # a probe a minute, and its timeout
)
_CONFIGURED: Final = (
    (re.compile(r"\b(?:dead-interval|hold-time(?: eigrp \d+)?) (\d+)\s*$", re.MULTILINE), 1.0),
    (re.compile(r"\b(?:timers bgp|neighbor \S+ timers|standby(?: \d+)? timers) \d+ (\d+)\s*$", re.MULTILINE), 1.0),
    (re.compile(r"\b(?:ospf6?|ospfv3)(?: \d+)? hello-interval (\d+)\s*$", re.MULTILINE), 4.0),
    (re.compile(r"\bisis hello-interval(?: level-[12])? (\d+)\s*$", re.MULTILINE), 10.0),
)
LONGEST_LAB_S: Final = 240.0
"""More is not waited for, whatever an agent configures."""


def longest_hold_s(configs: Iterable[str]) -> float:
    """Return the longest time after which a protocol of these configs notices a silent neighbor; 0 without any."""
    return min(LONGEST_LAB_S, max((seconds for text in configs for seconds in _of(text)), default=0.0))


def _of(text: str) -> Iterator[float]:
    yield from (seconds for pattern, seconds in _DEFAULTS if pattern.search(text))
    yield from (float(number) * times for pattern, times in _CONFIGURED for number in pattern.findall(text))
