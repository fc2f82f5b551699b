"""Running config text to a tree of lines. The only module that imports ciscoconfparse2 (GPL-3).

Knows nothing of platforms: the hierarchy is the indentation.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class ConfigNode:
    """A line as the device printed it, without indentation, and the lines under it."""

    line: str
    children: tuple[ConfigNode, ...] = ()


def parse_tree(text: str) -> tuple[ConfigNode, ...]:
    """The top-level lines of ``text`` with what stands under them; blank lines are left out."""
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    if not lines:
        return ()
    from ciscoconfparse2 import CiscoConfParse  # noqa: PLC0415  (0.6 s; it imports hypothesis)

    parsed: list[Any] = list(CiscoConfParse(lines, syntax="ios").objs)
    return _under(None, _by_parent(parsed))


def _by_parent(parsed: Iterable[Any]) -> dict[int | None, list[Any]]:
    """Line number of the parent to its lines.

    ``children`` would not do: in a banner it names a line's children and their children too.
    """
    lines: dict[int | None, list[Any]] = {}
    for line in parsed:
        parent = None if line.parent is line else int(line.parent.linenum)
        lines.setdefault(parent, []).append(line)
    return lines


def _under(parent: int | None, lines: dict[int | None, list[Any]]) -> tuple[ConfigNode, ...]:
    return tuple(
        ConfigNode(line=line.text.strip(), children=_under(int(line.linenum), lines)) for line in lines.get(parent, ())
    )
