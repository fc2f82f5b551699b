"""Mistakes in IOS configurations: ports without a cable that are used, addresses and masks that cannot be."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Final

from pytest_netbench.dialects.addresses import impossible, words, wrong_address, wrong_mask
from pytest_netbench.dialects.base import Mistake
from pytest_netbench.dialects.cisco_ios import interfaces
from pytest_netbench.documents.problems import unknown

_TEXT: Final = re.compile(
    r"\s*(!|(no )?(description|remark|banner|hostname|name|title|snmp-server|logging|username|action|event|alias)\b"
    r"|.*\bdescription\b)",
    re.IGNORECASE,
)
_VERSION: Final = re.compile(r"\s*(version|boot|crypto|object-group|aaa|\d+\.)", re.IGNORECASE)
_HEAD: Final = re.compile(
    r"(\s*)int(?:e(?:r(?:f(?:a(?:ce?)?)?)?)?)?\s+(?!range\b)([A-Za-z][A-Za-z-]*\s*[\d/.]+)\s*$", re.IGNORECASE
)
_PORT: Final = re.compile(
    r"\b((?:FastEthernet|(?:Ten|Forty)?GigabitEthernet|TwentyFiveGigE|HundredGigE|Ethernet|Serial)\d+(?:/\d+)*"
    r"(?:\.\d+)?)(?![\w./-])",
    re.IGNORECASE,
)
_SPARE: Final = re.compile(
    r"\s*(!|$|shutdown|(no )?(description|switchport|spanning-tree|duplex|speed|cdp|lldp|mdix|negotiation|media-type)\b"
    r"|no (ip|ipv6|shutdown|keepalive|mop)\b|exit)",
    re.IGNORECASE,
)
_UNUSED: Final = re.compile(r"\s*shut(d(o(wn?)?)?)?\s*$", re.IGNORECASE)


def mistakes(lines: Sequence[str], *, ports: Sequence[str], before: Sequence[str] = ()) -> list[Mistake]:
    """Mistakes in lines of a startup config, or in commands; see ``Proofreads``."""
    cabled = dict.fromkeys(name for port in ports if (name := _full(port)) is not None)
    heads = _heads(lines)
    spare = {at for at, (_, _, body) in heads.items() if _is_spare(body)}
    unused = {_parent(heads[at][0]) for at in spare} | {
        _parent(name) for name, _, body in _heads(before).values() if _is_spare(body)
    }
    found: list[Mistake] = []
    for number, line in enumerate(lines):
        if _TEXT.match(line):
            continue
        found += [Mistake(line=number, offset=at, message=message) for at, message in _addresses(line)]
        if number in heads:
            name, offset, _ = heads[number]
            named = [] if number in spare else [(name, offset)]
        else:
            named = [(name, one.start()) for one in _PORT.finditer(line) if (name := _full(one[1])) is not None]
        for name, offset in named:
            if interfaces.parse(name).kind in _VIRTUAL or _parent(name) in cabled:
                continue
            if number not in heads and _parent(name) in unused:
                continue
            found.append(Mistake(line=number, offset=offset, message=unknown("interface with a link", name, cabled)))
    return found


_VIRTUAL: Final = frozenset({"BDI", "BVI", "Dialer", "Loopback", "Null", "Port-channel", "Tunnel", "Vlan", "Async"})


def _heads(lines: Sequence[str]) -> dict[int, tuple[str, int, list[str]]]:
    """By line that opens an interface: its full name, the name's place, and the lines below it."""
    found: dict[int, tuple[str, int, list[str]]] = {}
    body: list[str] | None = None
    for number, line in enumerate(lines):
        head = _HEAD.match(line)
        name = None if head is None else _full(head[2])
        if head is not None and name is not None:
            body = []
            found[number] = (name, head.start(2), body)
        elif (line[:1].isspace() and line.strip() and body is not None) or (body is not None and _in_section(line)):
            body.append(line)
        else:
            body = None
    return found


def _in_section(line: str) -> bool:
    """Whether a line that is not indented, as in a list of commands, may belong to the interface above it."""
    return (
        re.match(r"(no )?(ip (address|ospf|nat|access-group|vrf|helper)|shut|desc|switchport|ipv6|standby)", line)
        is not None
    )


def _is_spare(body: Sequence[str]) -> bool:
    """Whether nothing needs a cable in the lines of a port."""
    return any(_UNUSED.match(line) for line in body) or (bool(body) and all(_SPARE.match(line) for line in body))


def _full(text: str) -> str | None:
    with suppress(ValueError):
        return interfaces.canonical(text)
    return None


def _parent(name: str) -> str:
    return str(interfaces.parse(name).parent)


def _addresses(line: str) -> Iterator[tuple[int, str]]:
    parts = words(line)
    named = [word.lower() for word, _ in parts]
    if named[:2] == ["ip", "address"] and len(parts) > 3 and parts[2][0][:1].isdecimal():
        for (word, at), wrong in ((parts[2], wrong_address), (parts[3], wrong_mask)):
            if (message := wrong(word)) is not None:
                yield at, message
    elif named[:2] == ["ipv6", "address"] and len(parts) > 2 and ":" in parts[2][0]:
        if (message := wrong_address(parts[2][0])) is not None:
            yield parts[2][1], message
    elif not _VERSION.match(line):
        yield from impossible(line)
