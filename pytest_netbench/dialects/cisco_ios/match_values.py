"""What packets can match in IOS configurations: addresses, access lists, object groups, NAT, markings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from pytest_netbench.dialects.cisco_ios.ports import TCP_PORTS, UDP_PORTS
from pytest_netbench.dialects.cisco_ios.spans import ranges, spans_of
from pytest_netbench.dialects.markings import DSCP, PRECEDENCES
from pytest_netbench.dialects.match_values import (
    Collection,
    Filter,
    Forward,
    MatchValues,
    Protocol,
    Service,
    Span,
    span_of,
    spans_in,
)

_LIST: Final = re.compile(r"ip(?:v6)? access-list (?:standard |extended )?(\S+)$")
_NUMBERED: Final = re.compile(r"access-list (\d+) ((?:permit|deny) .*)$")
_GROUP: Final = re.compile(r"object-group (?:network|service) (\S+)$")
_ENTRY: Final = re.compile(r"(?:\d+ |sequence \d+ )?(?:permit|deny) (.*)$")
_STATIC: Final = re.compile(
    r"ip nat inside source static (?:(tcp|udp) )?(\S+) (?:(\d+) )?"
    r"(?:interface ([A-Za-z-]+ ?[\d/.]+)|(\d\S+))(?: (\d+))?"
)
_MARK: Final = re.compile(
    r"\b(?:match|set)(?: ip)? dscp ((?:[a-z]+\d*|\d+| )+)$|\bset-dscp-transmit (\S+)|\bdscp (\S+)$"
)
_PRECEDENCE: Final = re.compile(r"\bprecedence ((?:[a-z]+|\d| )+)$")
_PORT_WORDS: Final = {"eq": 1, "neq": 1, "gt": 1, "lt": 1, "range": 2}
_APPLICATIONS: Final[dict[str, tuple[Protocol, int]]] = {
    "http": ("tcp", 80),
    "https": ("tcp", 443),
    "ssh": ("tcp", 22),
    "telnet": ("tcp", 23),
    "ftp": ("tcp", 21),
    "smtp": ("tcp", 25),
    "dns": ("udp", 53),
    "ntp": ("udp", 123),
    "snmp": ("udp", 161),
    "tftp": ("udp", 69),
    "sip": ("udp", 5060),
}
_SILENT: Final = ("description ", "remark ", "!", "banner ", "hostname ", "version ", "no ")


def read(config: str) -> MatchValues:
    """What ``config`` names that packets can meet."""
    return _Reader().read(config.splitlines())


class _Reader:
    def __init__(self) -> None:
        self._found = Collection()
        self._interface = ""
        self._list = ""
        self._group = ""
        self._entries: dict[str, list[str]] = {}
        self._groups: dict[str, tuple[list[Span], list[Service]]] = {}

    def read(self, lines: Iterable[str]) -> MatchValues:
        for raw in lines:
            line = " ".join(raw.split())
            if line and not line.startswith(_SILENT):
                self._enter(line)
                self._take(line)
        for name, entries in self._entries.items():
            self._found.filters[self._filter(name, entries)] = None
        return self._found.done()

    def _enter(self, line: str) -> None:
        if line.startswith("interface "):
            self._interface, self._list, self._group = line.removeprefix("interface "), "", ""
        elif (found := _LIST.match(line)) is not None:
            self._list, self._group = found[1], ""
        elif (found := _GROUP.match(line)) is not None:
            self._group, self._list = found[1], ""
            self._groups.setdefault(self._group, ([], []))

    def _take(self, line: str) -> None:
        words = line.split()
        if line.startswith(("ip address ", "ipv6 address ")):
            self._address(words)
            return
        if words[0] in ("standby", "vrrp") and "ip" in words[:3]:
            self._found.shared.update((span, None) for span in _single(words))
            return
        self._mark(line)
        self._nat(line, words)
        spans = list(spans_of([word for word in words if word != "mask"]))
        services = list(_services(words))
        self._found.add_spans(spans)
        self._found.services.update((service, None) for service in services)
        if (numbered := _NUMBERED.match(line)) is not None:
            self._entries.setdefault(f"access-list {numbered[1]}", []).append(numbered[2])
        elif self._list and _ENTRY.match(line):
            self._entries.setdefault(f"access-list {self._list}", []).append(line)
        elif self._group:
            addresses, ports = self._groups[self._group]
            addresses.extend(spans)
            ports.extend(services)

    def _address(self, words: Sequence[str]) -> None:
        if words[0] == "ipv6":
            self._found.attach(self._interface, words[2])
        elif len(words) > 3:
            self._found.attach(self._interface, f"{words[2]}/{words[3]}")

    def _mark(self, line: str) -> None:
        for found in _MARK.finditer(line):
            for word in (found[1] or found[2] or found[3]).split():
                if (value := DSCP.get(word, int(word) if word.isdigit() else -1)) in range(64):
                    self._found.dscp[value] = None
        if (precedence := _PRECEDENCE.search(line)) is not None:
            for word in precedence[1].split():
                value = PRECEDENCES.get(word, int(word) if word.isdigit() else -1)
                if value in range(8):
                    self._found.dscp[value * 8] = None

    def _nat(self, line: str, words: Sequence[str]) -> None:
        if (found := _STATIC.match(line)) is not None:
            inside, outside = span_of(found[2]), span_of(found[5] or "")
            protocol: Protocol | None = "tcp" if found[1] == "tcp" else "udp" if found[1] else None
            if inside is not None and (outside is not None or found[4]):
                self._found.forwards[
                    Forward(
                        outside=outside,
                        inside=inside,
                        interface=found[4],
                        protocol=protocol,
                        outside_port=int(found[6]) if found[6] else None,
                        inside_port=int(found[3]) if found[3] else None,
                    )
                ] = None
                for port in {found[3], found[6]} - {None}:
                    self._found.services[Service(protocol, int(port), int(port))] = None
        elif line.startswith("ip nat pool "):
            self._found.translated.update((span, None) for span in ranges(words))

    def _filter(self, name: str, entries: Sequence[str]) -> Filter:
        sources: dict[Span, None] = {}
        targets: dict[Span, None] = {}
        services: dict[Service, None] = {}
        for entry in entries:
            found = _ENTRY.match(entry)
            words = found[1].split() if found is not None else []
            if words and not _is_end(words):
                services.update((one, None) for one in self._services_of(words))
                words = words[2 if words[0] == "object-group" else 1 :]
            source, rest = self._end(words)
            target, rest = self._end(_without_ports(rest))
            sources.update((one, None) for one in source)
            targets.update((one, None) for one in target)
        return Filter(name, tuple(sources), tuple(targets), tuple(services))

    def _services_of(self, words: Sequence[str]) -> list[Service]:
        if words[0] == "object-group" and len(words) > 1:
            return self._groups.get(words[1], ([], []))[1]
        return list(_services(words))

    def _end(self, words: Sequence[str]) -> tuple[list[Span], Sequence[str]]:
        """The addresses of one end of an entry, and the words after it."""
        if not words or words[0] == "any":
            return [], words[1:]
        if words[0] == "object-group" and len(words) > 1:
            return self._groups.get(words[1], ([], []))[0], words[2:]
        size = 2 if len(words) > 1 and (words[0] == "host" or span_of(words[1]) is not None) else 1
        return [span for span in spans_of(words[:size]) if not span.is_everything], words[size:]


def _is_end(words: Sequence[str]) -> bool:
    return words[0] in ("any", "host") or span_of(words[0]) is not None


def _without_ports(words: Sequence[str]) -> Sequence[str]:
    return words[1 + _PORT_WORDS[words[0]] :] if words and words[0] in _PORT_WORDS else words


def _single(words: Iterable[str]) -> list[Span]:
    return [span for span in spans_in(words) if span.first == span.last]


def _services(words: Sequence[str]) -> Iterable[Service]:
    protocol: Protocol | None = "tcp" if "tcp" in words else "udp" if "udp" in words else None
    if "tcp-udp" in words:
        protocol = None
    for at, word in enumerate(words):
        count = _PORT_WORDS.get(word, 0)
        ports = [_port(one, protocol) for one in words[at + 1 : at + 1 + count]]
        if count and len(ports) == count and None not in ports:
            first, last = ports[0] or 0, ports[-1] or 0
            yield Service(protocol, first, last)
    if words[:2] == ["match", "protocol"] and len(words) > 2 and words[2] in _APPLICATIONS:
        name, port = _APPLICATIONS[words[2]]
        yield Service(name, port, port)


def _port(word: str, protocol: str | None) -> int | None:
    if word.isdigit():
        return int(word) if int(word) <= 65535 else None
    tables = (UDP_PORTS, TCP_PORTS) if protocol == "udp" else (TCP_PORTS, UDP_PORTS)
    return next((table[word] for table in tables if word in table), None)
