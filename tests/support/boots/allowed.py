"""What two boots of one file may print differently, each with its reason. Everything else must be equal."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple


class Allowed(NamedTuple):
    """A pattern of what may differ within a line, what stands in its place, and why it may."""

    why: str
    pattern: str
    instead: str = "…"
    commands: str = ""
    """A pattern of the commands to which this applies; by default all."""


_CLOCK: Final = "a clock"
_COUNTER: Final = "a counter"
_TCP: Final = "who opened the connection and from which port, which either side may win (RFC 4271, 6.8)"
_TRIED: Final = "a session that is down is tried again and again"
_NEIGHBORS: Final = "bgp neighbors"
ALLOWED: Final[Sequence[Allowed]] = (
    Allowed(_CLOCK, r"(?<![\w:.])\d+(?::\d\d){1,3}(?:\.\d+)?(?![\w:])"),
    Allowed(_CLOCK, r"(?<![\w:.-])(?:\d+[ywdhm]){1,2}(?:\d+(?:\.\d+)?[dhms])?(?![\w:.-])"),
    Allowed(_CLOCK, r"(?<![\w:.-])\d+\.\d+s\b"),
    Allowed(_CLOCK, r"\b\d+(?:\.\d+)? ?(?:msecs?|milliseconds?|usecs?|secs?|seconds?|minutes?)\b"),
    Allowed(_CLOCK, r"\b(?:Last SPF duration|SPF algorithm last executed|Hold time multiplier).*"),
    Allowed(_CLOCK, r"(Hello due in|Dead timer due in|Progressive change) .*", r"\1 …"),
    Allowed("a clock, and no line if it is below a millisecond", r"^ *(?:Latest RTT|Estimated round trip time).*", ""),
    Allowed(_CLOCK, r"expires \d+sec", "…"),
    Allowed(_COUNTER, r"SPF algorithm executed \d+ times"),
    Allowed(_COUNTER, r"\d+ state changes"),
    Allowed(_COUNTER, r" \(\d+ match(?:es)?\)", "", "access-lists"),
    Allowed(_COUNTER, r"direct_packets_stat \d+"),
    Allowed("of several link-local networks zebra uses any", r"^.*fe80::/64.*$", "", "ipv6 route|routes"),
    Allowed("how often an adjacency was tried", r"^ *Regressive change .*", "", "ospf neighbor"),
    Allowed(_COUNTER, r"Link State Retransmission List \d+"),
    Allowed(_COUNTER, r"^(\S+ +\d+ +\S+ .* \S+:\d\S+) +\d+ +\d+ +\d+$", r"\1", "ospf neighbor"),
    Allowed(
        _COUNTER,
        r"^ *(?:Opens|Notifications|Updates|Keepalives|Route Refresh|Capability|Total):? +\d+ +\d+$",
        "",
        _NEIGHBORS,
    ),
    Allowed(_COUNTER, r"(?:Inq|InQ|OutQ) depth is \d+", "…", _NEIGHBORS),
    Allowed(_CLOCK, r"\bUp +\d+ +(?=\S+$)", "Up … ", "isis neighbor"),
    Allowed("a sequence number and a clock", r"0x\w{8} +0x\w{4} +\d+ ", "… ", "isis database"),
    Allowed(_TRIED, r"BGP state = (?:Connect|Active|OpenSent|OpenConfirm)\b", "BGP state = …", _NEIGHBORS),
    Allowed(_TRIED, r"\b(?:Connect|Active|OpenSent|OpenConfirm)\b", "…", "bgp summary"),
    Allowed("whether a timer runs", r"^( *Thread .*) (?:on|off)$", r"\1 …", "ospf neighbor detail"),
    Allowed(_COUNTER, r"Connections established \d+; dropped \d+", "…", _NEIGHBORS),
    Allowed(_COUNTER, r"^ *Last reset .*", "", _NEIGHBORS),
    Allowed("a number that a table gives", r"Index \d+, Advertise bit \d+", "…", _NEIGHBORS),
    Allowed("a number that a table gives", r"Update group \d+, subgroup \d+", "…", _NEIGHBORS),
    Allowed(_TCP, r"(host: \S+, (?:Local|Foreign) port:) \d+", r"\1 …", _NEIGHBORS),
    Allowed(_TCP, r"^ *Message received that caused BGP to send a NOTIFICATION:$", "", _NEIGHBORS),
    Allowed(_TCP, r"^ *(?:[0-9A-F]{2,8} ?){1,4}$", "", _NEIGHBORS),
    Allowed(
        "whether a route came before the first keepalive", r"End-of-RIB sent after update: (?:Yes|No)", "…", _NEIGHBORS
    ),
    Allowed(
        "the path that came last stands first, beside the prefix",
        r"^([*>sdhirRS=am ]{2,5})\d\S+(?= +\d+\.\d+\.\d+\.\d+ )",
        r"\1",
        "bgp$|bgp ipv",
    ),
    Allowed("whether it was opened twice", r"R bit: (?:True|False)", "…", _NEIGHBORS),
    Allowed(_CLOCK, r"Last write (?:never|…)", "Last write …", _NEIGHBORS),
    Allowed("a number that is drawn", r"^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$", "…", "ovs-vsctl"),
    Allowed("a number that is drawn", r"xid=0x[0-9a-f]+", "…", "ovs-ofctl"),
    Allowed(_COUNTER, r"(duration|n_packets|n_bytes|idle_age|hard_age)=[\d.]+s?", r"\1=…", "ovs-ofctl"),
    Allowed("file descriptors of threads", r"Read thread: .*", "…", _NEIGHBORS),
    Allowed("a sum of sequence numbers", r"Checksum Sum 0x[0-9A-Fa-f]+"),
    Allowed(
        "ospfd keeps an LSA for a minute that its router withdrew", r"^ *\S+ +\S+ +3600 +0x8.*", "", "ospf database"
    ),
    Allowed("age, sequence number, checksum", r"^( *\S+ +\S+) +\d+ +0x8\w{7} +0x\w+", r"\1", "ospf database"),
    Allowed("an ARP entry, which traffic makes", r"^\S+/32 +attached +\S+$", "", "show ip cef"),
)
_COMPILED: Final = [(one, re.compile(one.pattern), re.compile(one.commands)) for one in ALLOWED]


def without(line: str, command: str) -> str:
    """Return ``line`` of what ``command`` prints with what may differ replaced."""
    for one, pattern, asked in _COMPILED:
        if asked.search(command):
            line = pattern.sub(one.instead, line)
    return line
