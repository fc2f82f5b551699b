"""What commands print that differs from one network to the next of the same kind: ages, counters, ports. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

_MASKS: Final = tuple(
    (re.compile(pattern), mask)
    for pattern, mask in (
        # addresses of interfaces that nobody chose
        (r"\b(?:[0-9a-f]{2}:){5}[0-9a-f]{2}\b", "<mac>"),
        (r"\bfe80::[0-9a-f:]+", "<link-local>"),
        # ages, as 00:12:55, 1d02h03m and 1d 02:03:04, and timers
        (r"\b(?:\d+d )?\d+:\d\d:\d\d\b|\b(?:\d+[wdhms]){2,}\b", "<time>"),
        (r"\b(\d+\.\d{3}s|\d+ usecs)(?= |$|\()", "<time>"),
        (r"\b(due in|LS age:) \d+( seconds)?", r"\1 <time>"),
        (r"(Last update:) \w{3} \w{3} +\d.*", r"\1 <time>"),
        # numbers that the kernel gives
        (r"\bifindex \d+", "ifindex <number>"),
        # how often OSPF computed, and its link states: they are sent anew from time to time
        (r"(Hold time multiplier is currently) \d+|(SPF algorithm executed) \d+", r"\1\2 <count>"),
        (r"(LS Seq Number:) [0-9a-f]{8}|(Checksum:|Checksum Sum) 0x[0-9a-f]+", r"\1\2 <count>"),
        (r"\b\d+ 0x8[0-9a-f]{7} 0x[0-9a-f]{4}\b", "<time> <count> <count>"),
        # sessions of BGP: how they came to be, and what was sent
        (r"^( +(?:Opens|Notifications|Updates|Keepalives|Route Refresh|Capability|Total):) .*", r"\1 <count>"),
        (r"^(\S+ 4 \d+) \d+ \d+ \d+ (?=\d+ \d+ )", r"\1 <count> <count> <count> "),
        (r"\b((?:Local|Foreign) port:|FD used:) \d+", r"\1 <number>"),
        (r"^( +Connections established) .*|^( +Last reset) .*", r"\1\2 <past>"),
        (r"^( +End-of-RIB sent after update:) .*", r"\1 <past>"),
        (r"\b(Update group) \d+, subgroup \d+", r"\1 <number>"),
        (r"\b(version) \d+(?=$| \()", r"\1 <count>"),
        (r"\b\d+ (?:bytes|KiB|MiB)(?= of memory)", "<count>"),
    )
)
_LEFT_OUT: Final = re.compile(
    r"Estimated round trip time: "
    r"| +Message received that caused BGP to send a NOTIFICATION:| +[0-9A-F]{8}(?: [0-9A-F]+)*$"
)
_SPACES: Final = re.compile(r"(?<=\S) {2,}")


def lasting(lines: Iterable[str]) -> Iterator[str]:
    """The lines with what does not last replaced by words in angle brackets, and columns one space apart.

    Empty lines, and lines that are there or not by chance, are left out.
    """
    for line in lines:
        text = _SPACES.sub(" ", line.rstrip())
        if not text or _LEFT_OUT.match(text):
            continue
        for pattern, mask in _MASKS:
            text = pattern.sub(mask, text)
        yield text
