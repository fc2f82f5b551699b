"""Volatile parts of device output: what differs between two labs of one task, or between two looks at one lab.

Owns which parts of an output are left out when requests are compared. Each rule names its context, so that addresses,
configuration and states stay. Identities (MAC addresses, ephemeral ports, process ids) are numbered in the order of
their appearance, so that what belongs together still does. A counter of 0 stays 0, because it tells that nothing came.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import groupby
from typing import Final

SLOW_MS: Final = 30.0
"""Round trips are compared only by whether they take less."""

_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
_DAY = r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
_CLOCK = r"\d{1,2}:\d\d(?::\d\d(?:\.\d+)?)?"

_CONFIGURED = re.compile(
    r"^\s*(?:no )?(?:(?:accept|send)-lifetime|absolute|periodic|ip sla schedule|clock|event)\b|start-time"
)
"""Lines of configurations that have times."""


def _zero_stays(match: re.Match[str]) -> str:
    """Replace each number of the match that is not 0."""
    return re.sub(r"(?<![\w.])0*[1-9][\d.]*[KMGkmg]?(?![\w])", "<count>", match[0])


def _round_trip(match: re.Match[str]) -> str:
    """Replace minimum, average, maximum and so on by what the average tells."""
    numbers = match["numbers"].split("/")
    average = float(numbers[min(1, len(numbers) - 1)])
    return match["before"] + ("<rtt>" if average < SLOW_MS else "<slow rtt>")


_HOP: Final = re.compile(r"(?<![\w.])\d+(?:\.\d+)? (?:ms|msec)\b")
_JSON: Final = (
    r"\w*[dD]ue\w*Msecs?|\w*[uU]p[tT]ime\w*|deadTime\w*|\w*Last(?:Executed|Duration|Read|Write|Reset)\w*|bgpTimer(?:Last|Up)\w*"
    r"|last\w*Msecs?|bgpInUpdateElapsed\w*|(?:msg|messages?)(?:Rcvd|Sent)|\w*ExecutedCounter|\w*exthopGroupId"
    r"|\w*[sS]tateChange\w*|\w*[tT]ableVersion|lsaAge|seqNumber|checksum"
)
_STAMPS: Final = (
    re.compile(rf"[*.]?(?:{_DAY} )?{_MONTH} +\d{{1,2}} (?:\d{{4}} )?{_CLOCK}(?: [A-Z]{{3,4}})?(?: \d{{4}})?"),
    re.compile(rf"\b{_DAY} \d{{1,2}}-{_MONTH}-\d\d {_CLOCK}"),
    re.compile(rf"[*.]?{_CLOCK} [A-Z]{{3,4}} (?:{_DAY} )?{_MONTH} \d{{1,2}} \d{{4}}"),
    re.compile(r"\b\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?"),
)
_TIMES: Final = (
    re.compile(r"(?<![\w:.])(?<!imeout )\d{1,3}:\d\d:\d\d(?:\.\d+)?(?![\w:])"),
    re.compile(
        r"(?<![\w:.-])(?:\d+y\d+w(?:\d+d)?|\d+w\d+d(?:\d+h)?|\d+d\d+h(?:\d+m)?|\d+h\d+m(?:\d+s)?|\d+m\d+s)(?![\w:-])"
    ),
    re.compile(r"(?<![\w.])\d+\.\d{3}s\b|(?<=in )\d+\.\d+ (?:secs?|seconds)\b|(?<=after )\d+\.\d+ s\b"),
    re.compile(r"(?<=duration )\d+ usecs?\b"),
    re.compile(r"(?<=due in )\d+(?:\.\d+)?|(?<=[Ee]xpires in )\d+|(?<=LS age: )\d+(?: \(DoNotAge\))?"),
    re.compile(r"(?<=uptime is )\d+ \w+(?:, \d+ \w+)*|(?<=[Uu]p for )\d+ \w+"),
    re.compile(r"(?<= up )\s*(?:\d+ \w+, +)*(?:\d+ min|\d+:\d\d)|(?<=load average: ).*|^\d+\.\d+ \d+\.\d+$"),
)
_MEASURED: Final[tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...]] = (
    # ping and traceroute
    (re.compile(r"time[=<][\d.]+ ms"), "time=<rtt>"),
    (re.compile(r"(?<=packet loss, time )\d+ms"), "<time>"),
    (re.compile(r"(?P<before>(?:rtt|round-trip) min/avg/max\S* = )(?P<numbers>[\d./]+)"), _round_trip),
    (re.compile(r"^\s*\d+ +[\w.:*()-].*\d (?:ms|msec)\b.*"), lambda line: _HOP.sub("<rtt>", line[0])),
    (re.compile(r"(?<=Estimated round trip time: )\d+ ms"), "<rtt>"),
    # packets and bytes
    (re.compile(r"\b\d+ packets?, \d+ bytes|\b\d+ packets? (?:in|out)put, \d+ bytes"), _zero_stays),
    (re.compile(r"\bpackets \d+ bytes \d+|Sent \d+ bytes \d+ pkt"), _zero_stays),
    (re.compile(r"\(\d+ match(?:es)?\)|(?<=[Rr]eceived )\d+ (?:broad|multi)casts"), _zero_stays),
    (re.compile(r"\(\d+ (?:IP )?multicasts\)|\b\d+ (?:bits|packets)/sec"), _zero_stays),
    (re.compile(r"(?:offered|drop|input|output) rate \d+ bps"), _zero_stays),
    (re.compile(r"(?<=output\) )\d+/\d+|(?<=/total drops\) )\d+/\d+(?:/\d+)?"), _zero_stays),
    (re.compile(r"\b(?:Hits|Misses): \d+|Total active translations: \d+"), _zero_stays),
    (re.compile(r"^(?:\s*[\w.@-]+:)?(?:\s+\d+){4,}\s*$"), _zero_stays),
    (re.compile(r"^\s*\d+[KMG]?\s+\d+[KMG]?(?=\s+[A-Z]\w+\s+\S+\s+(?:--|opt)\s)"), _zero_stays),
    (re.compile(r"^(?:Ip|Icmp|Tcp|Udp)\w+\s+\d+(?=\s+\d+\.\d$)"), _zero_stays),
    (re.compile(r'"(?:packets|bytes)"\s*:\s*\d+'), _zero_stays),
    # routing protocols
    (re.compile(r"^(\S+\s+4\s+\d+)(?:\s+\d+){5}(?=\s)"), r"\1 <count>"),
    (re.compile(r"(?<=table version is )\d+|(?<=table version )\d+|(?<=RIB version )\d+"), "<count>"),
    (re.compile(r"^(\s*(?:Opens|Notifications|Updates|Keepalives|Route Refresh|Total):)\s+\d+\s+\d+"), r"\1 <count>"),
    (re.compile(r"^(\S+\s+\S+\s+)\d+ +0x8[0-9a-fA-F]{7} +0x[0-9a-fA-F]{4,6}"), r"\1<lsa>"),
    (re.compile(r"(?<=Seq Number: )(?:0x)?8[0-9a-fA-F]{7}|(?<=Checksum: )0x[0-9a-fA-F]+"), "<lsa>"),
    (re.compile(r"(?<=Sum )0x[0-9a-fA-F]+"), "<lsa>"),
    (re.compile(r"\b\d+(?= state changes?\b)|(?<=executed )\d+(?= times)"), "<count>"),
    (re.compile(r"^(\d+\s+\S+\s+[A-Z][a-z]+\d\S*\s+)\d+(?=\s+<time>\s)"), r"\1<time>"),  # EIGRP neighbors
    (re.compile(r"^(Internet\s+\S+\s+)\d+(?=\s+[0-9a-f.]{14})"), r"\1<time>"),
    (re.compile(rf'("(?:{_JSON})"\s*:\s*)(?:\d+|"[\d.<>\w]*")'), r"\1<count>"),
    # neighbors that answered, however long ago
    (re.compile(r"(?<=\s)(?:REACHABLE|STALE|DELAY|PROBE)\s*$"), "<resolved>"),
    (re.compile(r'"(?:REACHABLE|STALE|DELAY|PROBE)"'), '"<resolved>"'),
    (re.compile(r"(?:\bref \d+ )?\bused \d+/\d+/\d+ ?(?:probes \d+)?"), "<time>"),
    # processes
    (re.compile(r"^(\S+\s+\d+) +\d+\.\d +\d+\.\d +\d+ +\d+ (\S+) +\S+ +\S+ +\d+:\d\d "), r"\1 <count> \2 <time> "),
)


class Names:
    """Numbers identities in the order of their appearance, over all outputs of one conversation."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], int] = {}

    def of(self, kind: str, text: str) -> str:
        """The name of what ``text`` identifies, e.g. ``<mac 2>``."""
        number = self._known.setdefault((kind, text), 1 + sum(one == kind for one, _ in self._known))
        return f"<{kind} {number}>"


_MAC = re.compile(
    r"(?<![\w:.-])(?:[0-9a-f][26ae](?::[0-9a-f]{2}){5}|[0-9a-f][26ae][0-9a-f]{2}(?:\.[0-9a-f]{4}){2})(?![\w:])",
    re.IGNORECASE,
)
"""Locally administered: those that the kernel draws for a lab. A vendor's or a protocol's address stays."""
_ANY_MAC: Final = re.compile(
    r"\b(?:[0-9a-f]{2}(?::[0-9a-f]{2}){5}|[0-9a-f]{4}(?:\.[0-9a-f]{4}){2})\b|<mac \d+>", re.IGNORECASE
)
_NEIGHBOR: Final = re.compile(rf"^\s*[0-9a-f:.]+\s.*(?:{_ANY_MAC.pattern})", re.IGNORECASE)
_EUI = re.compile(r"(?<=:)[0-9a-f]{1,4}:[0-9a-f]{0,2}ff:fe[0-9a-f]{2}:[0-9a-f]{1,4}(?![\w:])", re.IGNORECASE)
"""The part of an IPv6 address that was made from a MAC address."""
_PORT = re.compile(r"(?<=[\d\]*][:.])(3276[89]|327[7-9]\d|32[89]\d\d|3[3-9]\d{3}|[45]\d{4}|6[0-5]\d{3})(?![\w.:])")
_PORT_IN_WORDS = re.compile(r"(?<=[Pp]ort: )(3[3-9]\d{3}|[45]\d{4}|6[0-5]\d{3})\b")
_ICMP_ID = re.compile(r"(?<=\d:)\d+(?=\s|$)")
_PID = re.compile(r"(?<=\bpid=)\d+")
_COLUMNS = re.compile(r"(?<=\S) {2,}|^ +(?=<)")
"""Columns are as wide as the longest number in them."""
_LINK = re.compile(r"(?<=@if)\d+")


def stable(text: str, names: Names) -> str:
    """Return an output of a device without its volatile parts. What is stable already stays as it is."""
    return "\n".join(_stable_line(line, names) for line in _neighbors_sorted(text.split("\n")))


def _neighbors_sorted(lines: list[str]) -> Iterator[str]:
    """Yield the lines; those of a table of MAC addresses, which come in any order, sorted by what else they say."""
    for is_neighbor, group in groupby(lines, key=lambda line: _NEIGHBOR.search(line) is not None):
        found = list(group)
        yield from sorted(found, key=lambda line: _ANY_MAC.sub("", _measured(line))) if is_neighbor else found


def _stable_line(line: str, names: Names) -> str:
    line = _MAC.sub(lambda match: _mac(match[0], names), _measured(line))
    line = _EUI.sub(lambda match: names.of("eui", match[0].lower()), line)
    for pattern in (_PORT, _PORT_IN_WORDS):
        line = pattern.sub(lambda match: names.of("port", match[0]), line)
    if line.startswith("icmp "):
        line = _ICMP_ID.sub(lambda match: names.of("icmp", match[0]), line)
    line = _PID.sub(lambda match: names.of("pid", match[0]), line)
    line = _LINK.sub(lambda match: names.of("link", match[0]), line)
    return _COLUMNS.sub(" ", line) if "<" in line else line


def _mac(text: str, names: Names) -> str:
    address = re.sub(r"[:.]", "", text).lower()
    return text if "000000" in address else names.of("mac", address)  # written by hand, e.g. 0200.0000.0011


@lru_cache(maxsize=20_000)  # a conversation is compared anew with each request
def _measured(line: str) -> str:
    """Return a line without times and counts."""
    if _CONFIGURED.search(line) is not None:
        return line
    for pattern in _STAMPS:
        line = pattern.sub("<date>", line)
    for pattern in _TIMES:
        line = pattern.sub("<time>", line)
    for pattern, replacement in _MEASURED:
        line = pattern.sub(replacement, line)
    return line
