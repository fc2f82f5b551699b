"""Mistakes in FRR configurations: interfaces that a node does not have, and addresses that cannot be."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from pytest_netbench.dialects.addresses import impossible, words, wrong_address
from pytest_netbench.dialects.base import Mistake
from pytest_netbench.documents.problems import unknown

_TEXT: Final = re.compile(
    r"\s*([!#]|(no )?(description|hostname|domainname|banner|log|frr|service)\b|.*\bdescription\b|.*\bremark\b)"
)
_NAMES: Final = (
    re.compile(r"\s*interface (\S+)(?! *vrf)"),
    re.compile(r"\s*(?:no )?passive-interface (?!default\b)(\S+)"),
    re.compile(r"\s*(?:no )?neighbor (\S+) interface\b"),
    re.compile(r"\s*(?:no )?ipv6 route \S+ fe80\S+ (\S+)"),
)
_OWN: Final = re.compile(r"(lo|dummy|vrf|pim|ppp|tun|wg|br|bond|vlan|vxlan|vni)[\w.-]*$")


def mistakes(lines: Sequence[str], *, ports: Sequence[str], before: Sequence[str] = ()) -> list[Mistake]:
    """Mistakes in lines of a startup config, or in commands; see ``Proofreads``."""
    vrfs = {parts[1] for line in (*before, *lines) if (parts := line.split())[:1] == ["vrf"] and len(parts) > 1}
    known = dict.fromkeys(ports)
    found = []
    for number, line in enumerate(lines):
        if _TEXT.match(line):
            continue
        found += [Mistake(line=number, offset=at, message=message) for at, message in _addresses(line)]
        for pattern in _NAMES:
            named = pattern.match(line)
            if named is None or named[1] in vrfs or named[1].partition(".")[0] in known or _OWN.match(named[1]):
                continue
            message = unknown("interface with a link", named[1], known)
            found.append(Mistake(line=number, offset=named.start(1), message=message))
    return found


def _addresses(line: str) -> Iterator[tuple[int, str]]:
    parts = words(line)
    if [word for word, _ in parts[:2]] in (["ip", "address"], ["ipv6", "address"]) and len(parts) > 2:
        word, at = parts[2]
        if (message := wrong_address(word)) is not None:
            yield at, message
        elif "/" not in word:
            yield at, f"{word!r} has no prefix length; write it like {word}/{24 if '.' in word else 64}"
    else:
        yield from impossible(line)
