"""What packets can match in Linux configurations: ``ip``, ``nft`` and ``tc`` commands, and the text of the state."""

from __future__ import annotations

import re
from typing import Final

from pytest_netbench.dialects.markings import DSCP
from pytest_netbench.dialects.match_values import (
    Collection,
    Filter,
    Forward,
    MatchValues,
    Protocol,
    Service,
    Span,
    between,
    span_of,
    spans_in,
)

_ADDRESS: Final = re.compile(r"(?:^|\s)(?:addr|address|a) (?:add|replace|change|a) (\S+)")
_DEVICE: Final = re.compile(r"\bdev (\S+)")
_VALUE: Final = r"(?:== |!= )?(['\"]?\{[^}]*\}['\"]?|\S+)"
_PORTS: Final = re.compile(rf"\b(?:(tcp|udp|th) )?[ds]port {_VALUE}")
_SOURCES: Final = re.compile(rf"\bip6? saddr {_VALUE}")
_TARGETS: Final = re.compile(rf"\bip6? daddr {_VALUE}")
_RULE: Final = re.compile(r"\bnft (?:add|insert) rule (?:ip6?|inet) (\S+ \S+)")
_MARK: Final = re.compile(rf"\bdscp (?:set )?{_VALUE}")
_TOS: Final = re.compile(r"\b(?:tos|dsfield|tclass) (0x[0-9a-f]+|\d+)\b")
_TRANSLATED: Final = re.compile(r"\bsnat (?:ip6? )?to (\S+)")
_FORWARDED: Final = re.compile(r"\bdnat (?:ip6? )?to (\[[^\]]+\]|[^\s:]+)(?::(\d+))?")


def read(config: str) -> MatchValues:
    """What ``config`` names that packets can meet."""
    found = Collection()
    lists: dict[str, tuple[dict[Span, None], dict[Span, None], dict[Service, None]]] = {}
    for raw in config.splitlines():
        line = " ".join(raw.split())
        if not line or line.startswith("#"):
            continue
        if (address := _ADDRESS.search(line)) is not None:
            device = _DEVICE.search(line)
            interface = "" if device is None else device[1]
            found.attach(interface, address[1], is_local=interface == "lo")
            continue
        sources, targets, services = _ends(line, _SOURCES), _ends(line, _TARGETS), _services(line)
        found.add_spans([*_words(line), *sources, *targets])
        found.services.update((one, None) for one in services)
        found.dscp.update((value, None) for value in _markings(line))
        _translate(line, found, targets, services)
        if (rule := _RULE.search(line)) is not None:
            named = lists.setdefault(rule[1], ({}, {}, {}))
            for known, new in zip(named, (sources, targets, services), strict=True):
                known.update((one, None) for one in new)  # type: ignore[attr-defined]
    for name, (sources_of, targets_of, services_of) in lists.items():
        if sources_of or targets_of or services_of:
            found.filters[Filter(name, tuple(sources_of), tuple(targets_of), tuple(services_of))] = None
    return found.done()


def _words(line: str) -> list[Span]:
    return [] if " saddr " in line or " daddr " in line else spans_in(line.split())


def _ends(line: str, pattern: re.Pattern[str]) -> list[Span]:
    found = []
    for match in pattern.finditer(line):
        for word in match[1].strip("{}'\" ").split(","):
            first, _, last = word.strip().partition("-")
            low, high = span_of(first), span_of(last or first)
            if low is not None and high is not None and (span := between(low, high)) is not None:
                found.append(span)
    return found


def _services(line: str) -> list[Service]:
    found = []
    for match in _PORTS.finditer(line):
        protocol: Protocol | None = "tcp" if match[1] == "tcp" else "udp" if match[1] == "udp" else None
        for word in match[2].strip("{}'\" ").split(","):
            first, _, last = word.strip().partition("-")
            if first.isdigit() and (last or first).isdigit() and int(last or first) <= 65535:
                found.append(Service(protocol, int(first), int(last or first)))
    return found


def _markings(line: str) -> list[int]:
    found = []
    for match in _MARK.finditer(line):
        for word in match[1].strip("{}'\" ").split(","):
            name = word.strip()
            value = DSCP.get(name)
            if value is None and re.fullmatch(r"0x[0-9a-f]+|\d+", name):
                value = int(name, 0)
            if value is not None and value < 64:
                found.append(value)
    return [*found, *(int(match[1], 0) >> 2 & 63 for match in _TOS.finditer(line))]


def _translate(line: str, found: Collection, targets: list[Span], services: list[Service]) -> None:
    if (translated := _TRANSLATED.search(line)) is not None:
        found.translated.update((span, None) for span in spans_in([translated[1]]))
    forwarded = _FORWARDED.search(line)
    inside = None if forwarded is None else span_of(forwarded[1].strip("[]"))
    if forwarded is None or inside is None:
        return
    for outside in targets:
        service = services[0] if services else None
        found.forwards[
            Forward(
                outside=outside,
                inside=inside,
                protocol=service.protocol if service else None,
                outside_port=service.first if service else None,
                inside_port=int(forwarded[2]) if forwarded[2] else None,
            )
        ] = None
        found.add_spans([inside])
