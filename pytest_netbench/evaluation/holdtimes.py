"""How long the protocols of a config wait for a silent neighbor, in lab seconds. Pure text, no dialect's grammar."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

_Patterns = Sequence[tuple[re.Pattern[str], float]]

_WATCHED: Final = (
    (re.compile(r"router ospf6?\b|ip ospf \d+ area|ipv6 ospf", re.MULTILINE), 40.0),
    (re.compile(r"router bgp\b"), 180.0),
    (re.compile(r"router isis\b"), 30.0),
    (re.compile(r"router eigrp\b"), 15.0),
)
_UNWATCHED: Final = (
    (re.compile(r"router rip(ng)?\b"), 180.0),
    (re.compile(r"^\s+standby \d+ ip\b", re.MULTILINE), 10.0),
    (re.compile(r"^\s+vrrp \d+\b", re.MULTILINE), 4.0),
    (re.compile(r"^\s*ip sla \d+", re.MULTILINE), 70.0),  # a probe a minute, and its timeout
)
_CONFIGURED_UNWATCHED: Final = ((re.compile(r"\bstandby(?: \d+)? timers \d+ (\d+)\s*$", re.MULTILINE), 1.0),)
_CONFIGURED: Final = (
    *_CONFIGURED_UNWATCHED,
    (re.compile(r"\b(?:dead-interval|hold-time(?: eigrp \d+)?) (\d+)\s*$", re.MULTILINE), 1.0),
    (re.compile(r"\b(?:timers bgp|neighbor \S+ timers) \d+ (\d+)\s*$", re.MULTILINE), 1.0),
    (re.compile(r"\b(?:ospf6?|ospfv3)(?: \d+)? hello-interval (\d+)\s*$", re.MULTILINE), 4.0),
    (re.compile(r"\bisis hello-interval(?: level-[12])? (\d+)\s*$", re.MULTILINE), 10.0),
)
LONGEST_LAB_S: Final = 240.0
"""More is not waited for, whatever an agent configures."""


def longest_hold_s(configs: Iterable[str]) -> float:
    """Return the longest time after which a protocol of these configs notices a silent neighbor; 0 without any."""
    return _longest(configs, (*_WATCHED, *_UNWATCHED), _CONFIGURED)


def longest_unwatched_s(configs: Iterable[str]) -> float:
    """Return the same for protocols that can work on a return of routes while readiness misses nothing; 0 without any.

    Of the others readiness sees each session that is not up and each database that differs.
    """
    return _longest(configs, _UNWATCHED, _CONFIGURED_UNWATCHED)


def _longest(configs: Iterable[str], defaults: _Patterns, configured: _Patterns) -> float:
    found = (seconds for text in configs for seconds in _of(text, defaults, configured))
    return min(LONGEST_LAB_S, max(found, default=0.0))


def _of(text: str, defaults: _Patterns, configured: _Patterns) -> Iterator[float]:
    yield from (seconds for pattern, seconds in defaults if pattern.search(text))
    yield from (float(number) * times for pattern, times in configured for number in pattern.findall(text))
