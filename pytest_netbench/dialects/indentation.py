"""Configs whose hierarchy is the indentation.

The only module that imports ciscoconfparse2 (GPL-3). Importing it takes more than a second of processor time, so texts
with only indented lines are parsed here, with the same result. ciscoconfparse2 parses texts with banners, certificates,
macros or comments in unusual places.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from pytest_netbench.dialects.base import Tree

_SPANS_LINES = re.compile(r"^\s*(set\s+)?banner\b|\^C|fail-message|\bmacro\b|\bcertificate\b|\bmenu\b", re.IGNORECASE)
_Line = tuple[str, list["_Line"]]


def parse(text: str) -> tuple[Tree, ...]:
    """Return the top-level lines of ``text`` with what stands under them; blank lines are left out."""
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    if not lines:
        return ()
    if is_plain(lines):
        return _by_indentation(lines)
    from ciscoconfparse2 import CiscoConfParse  # noqa: PLC0415  (0.6 s; it imports hypothesis)

    parsed: list[Any] = list(CiscoConfParse(lines, syntax="ios").objs)
    return _under(None, _by_parent(parsed))


def is_plain(lines: Sequence[str]) -> bool:
    """Whether indentation alone gives the hierarchy of ``lines``: nothing spans lines, no comment has or is a child."""
    if any(_SPANS_LINES.search(line) for line in lines):
        return False
    before = 0
    for line, after in zip(lines, (*lines[1:], ""), strict=True):
        indent = _indent(line)
        if line[indent] == "!" and (_indent(after) > indent or indent not in {0, before}):
            return False
        before = indent
    return True


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _by_indentation(lines: Sequence[str]) -> tuple[Tree, ...]:
    top: list[_Line] = []
    open_blocks: list[tuple[int, list[_Line]]] = [(-1, top)]
    for line in lines:
        indent = _indent(line)
        while open_blocks[-1][0] >= indent:
            open_blocks.pop()
        children: list[_Line] = []
        open_blocks[-1][1].append((line[indent:], children))
        open_blocks.append((indent, children))
    return _frozen(top)


def _frozen(lines: Sequence[_Line]) -> tuple[Tree, ...]:
    return tuple((text, _frozen(children)) for text, children in lines)


def _by_parent(parsed: Iterable[Any]) -> dict[int | None, list[Any]]:
    """Line number of the parent to its lines.

    ``children`` would not do: in a banner it names a line's children and their children too.
    """
    lines: dict[int | None, list[Any]] = {}
    for line in parsed:
        parent = None if line.parent is line else int(line.parent.linenum)
        lines.setdefault(parent, []).append(line)
    return lines


def _under(parent: int | None, lines: dict[int | None, list[Any]]) -> tuple[Tree, ...]:
    return tuple((line.text.strip(), _under(int(line.linenum), lines)) for line in lines.get(parent, ()))
