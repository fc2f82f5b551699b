"""The shortest dead time of a network, whichever protocol it belongs to. Configs are text: no dialect's grammar.

A dead time is how long a protocol waits for a silent neighbor: dead interval, hold time, detection time. It bounds the
speed of lab time, since a daemon that is not run for that long loses its neighbors (see ``pace``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from pytest_netbench.platforms.linux import balancer

# What protocols use that are configured without timers, in seconds.
_BFD_S: Final = 0.9
_DEFAULTS: Final = (
    (re.compile(r"router eigrp\b"), 15.0),
    (re.compile(r"standby \d+ (ip|ipv6)\b"), 10.0),
    (re.compile(r"vrrp \d+ (ip|ipv6|version|address-family)\b"), 3.6),
    (re.compile(r"controller listen \d+$"), 4.0),  # of our OpenFlow controller, for a switch that is silent
    (re.compile(r"ovs-vsctl\b.* set-controller\b"), 10.0),
)
_SERVERS_S: Final[Mapping[str, float]] = {"lb": balancer.CONNECT_S}
_HELLO: Final = (
    (re.compile(r"(?P<of>(?:ip ospf|ipv6 ospf6|ipv6 ospf|ospfv3)(?: \d+)?) hello-interval (?P<s>\d+)$"), 4.0),
    (re.compile(r"(?P<of>isis) hello-interval (?:level-[12] )?(?P<s>\d+)"), 10.0),
    (re.compile(r"(?P<of>ip(?:v6)? hello-interval eigrp \d+) (?P<s>\d+)$"), 3.0),
)
_DEAD: Final = (
    re.compile(r"(?P<of>(?:ip ospf|ipv6 ospf6|ipv6 ospf|ospfv3)(?: \d+)?) dead-interval (?P<s>\d+)$"),
    re.compile(r"(?P<of>ip(?:v6)?) hold-time eigrp \d+ (?P<s>\d+)$"),
    re.compile(r"(?P<of>)timers bgp \d+ (?P<s>\d+)"),
    re.compile(r"(?P<of>)neighbor \S+ timers \d+ (?P<s>\d+)"),
)
_MINIMAL: Final = re.compile(r"(ip ospf|ipv6 ospf6?|ospfv3) dead-interval minimal\b")
_STANDBY: Final = re.compile(r"standby (?:\d+ )?timers (?:msec )?\d+ (?P<ms>msec )?(?P<hold>\d+)")
_VRRP: Final = re.compile(r"(?:vrrp \d+ )?timers advertise (?P<ms>msec )?(?P<every>\d+)")
_VRRP_FRR: Final = re.compile(r"vrrp \d+ advertisement-interval (?P<ms>\d+)")
_BFD_IOS: Final = re.compile(r"bfd interval (\d+) min_rx (\d+) multiplier (\d+)")
_BFD_SHORT: Final = re.compile(r"(?:neighbor \S+|ip ospf|ipv6 ospf6|isis) bfd (\d+) (\d+) (\d+)")
_BFD_USED: Final = re.compile(
    r"(bfd all-interfaces|neighbor \S+ (fall-over )?bfd|(ip ospf|ipv6 ospf6?|isis) bfd|peer \S+)\b"
)
_BFD_LINE: Final = re.compile(r"(?P<what>detect-multiplier|receive-interval|transmit-interval) (?P<n>\d+)$")
_OPENS: Final = re.compile(r"(interface|router|vrf|bfd$|route-map|line|exit|end|peer|profile)\b")
# The advertisement interval of VRRP counts three times, and the skew less than once more.
_VRRP_TIMES: Final = 3.6


def shortest_dead_s(configs: Iterable[str], servers: Iterable[str] = ()) -> float | None:
    """The shortest dead time of all configs and kinds of servers in seconds, or ``None`` if none of them has any."""
    found = [seconds for text in configs for block in _blocks(text) for seconds in _of(block)]
    return min([*found, *(_SERVERS_S[kind] for kind in servers if kind in _SERVERS_S)], default=None)


def _blocks(text: str) -> Iterator[list[str]]:
    """Lines with the line that opens their block: people write blocks without indentation, too."""
    block: list[str] = []
    for raw in text.splitlines():
        line = " ".join(raw.split())
        if not line or line[0] in "!#":
            continue
        if _OPENS.match(line):
            yield block
            block = []
        block.append(line)
    yield block


def _of(block: list[str]) -> Iterator[float]:
    for kind in (_intervals, _gateways, _bfd):
        yield from (seconds for seconds in kind(block) if seconds > 0)
    for line in block:
        yield from (seconds for pattern, seconds in _DEFAULTS if pattern.match(line) and not _has_timers(line, block))


def _has_timers(line: str, block: list[str]) -> bool:
    """Whether the group that ``line`` configures has timers of its own in the block."""
    words = line.split()[:2]
    return any(other.split()[:2] == words and ("timers" in other or "interval" in other) for other in block)


def _intervals(block: list[str]) -> Iterator[float]:
    """Hello and dead intervals; a hello interval alone sets the dead interval to a multiple of it."""
    dead = {}
    for line in block:
        for pattern in _DEAD:
            if found := pattern.match(line):
                dead[found["of"]] = True
                yield float(found["s"])
        if _MINIMAL.match(line):
            yield 1.0
    for line in block:
        for pattern, times in _HELLO:
            found = pattern.match(line)
            if found and found["of"] not in dead:
                yield float(found["s"]) * (_multiplier(block) if found["of"] == "isis" else times)


def _multiplier(block: list[str]) -> float:
    found = [re.match(r"isis hello-multiplier (?:level-[12] )?(\d+)", line) for line in block]
    return min((float(one[1]) for one in found if one), default=10.0)


def _gateways(block: list[str]) -> Iterator[float]:
    """HSRP and VRRP."""
    for line in block:
        if found := _STANDBY.match(line):
            yield int(found["hold"]) / (1000 if found["ms"] else 1)
        elif found := _VRRP.match(line):
            yield int(found["every"]) * _VRRP_TIMES / (1000 if found["ms"] else 1)
        elif found := _VRRP_FRR.match(line):
            yield int(found["ms"]) * _VRRP_TIMES / 1000


def _bfd(block: list[str]) -> Iterator[float]:
    """Detection times of BFD: a multiple of the longer of both intervals."""
    own = {"detect-multiplier": 3, "receive-interval": 300, "transmit-interval": 300}
    given = False
    used = False
    for line in block:
        if found := _BFD_LINE.match(line):
            own[found["what"]], given = int(found["n"]), True
        elif found := _BFD_IOS.match(line):
            yield int(found[3]) * max(int(found[1]), int(found[2])) / 1000
        elif found := _BFD_SHORT.match(line):
            yield int(found[1]) * max(int(found[2]), int(found[3])) / 1000
        elif _BFD_USED.match(line):
            used = True
    if given:
        yield own["detect-multiplier"] * max(own["receive-interval"], own["transmit-interval"]) / 1000
    elif used:
        yield _BFD_S
