"""``interface range``: the interfaces that a line names."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pytest_netbench.dialects.cisco_ios import interfaces
from pytest_netbench.platforms.cisco_ios.areas.interfaces.grammar import MOST_INTERFACES
from pytest_netbench.platforms.cisco_ios.config.edit import Edit
from pytest_netbench.platforms.cisco_ios.grammar.command import INVALID, Match
from pytest_netbench.platforms.cisco_ios.grammar.types import ArgType, Token


def _read_range(tokens: Sequence[Token], line: str) -> tuple[tuple[str, ...], str, int] | None:
    text = re.sub(r"\s*([-,])\s*", r"\1", line[tokens[0].column :].strip())
    text = re.sub(r"([A-Za-z])\s+(\d)", r"\1\2", text)
    names: list[str] = []
    for part in text.split(","):
        found = re.fullmatch(r"([A-Za-z-]+(?:\d+/)*)(\d+)(?:-([A-Za-z-]*(?:\d+/)*)(\d+))?", part.strip())
        if found is None or (found[3] and not _same_stem(found[1], found[3])):
            return None
        first, last = int(found[2]), int(found[4] or found[2])
        if len(names) + last - first >= MOST_INTERFACES:
            return None
        try:
            names += [interfaces.canonical(f"{found[1]}{number}") for number in range(first, last + 1)]
        except ValueError:
            return None
    return (tuple(dict.fromkeys(names)), text, len(tokens)) if names else None


def _same_stem(first: str, last: str) -> bool:
    if not last[0].isalpha():
        return first.endswith(last)
    try:
        return interfaces.parse(f"{first}1").parent == interfaces.parse(f"{last}1").parent
    except ValueError:
        return False


RANGE = ArgType("INTERFACE-RANGE", _read_range, "Interfaces such as Gi0/1 - 3 , Gi1/0")


def open_range(edit: Edit, match: Match) -> str | None:
    """Enter, reset or remove the interfaces of a range."""
    if match.negated or match.reset:
        return INVALID
    names: tuple[str, ...] = match["ranges"]
    known = {entry["name"] for entry in edit.config.all("interface")}
    if any(name not in known and not interfaces.parse(name).is_virtual for name in names):
        return INVALID
    for name in names:
        edit.keep(edit.read(f"interface {name}", like=match))
    return None
