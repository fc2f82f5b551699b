"""The sections of virtual terminal lines in the form in which IOS shows them. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from typing import TypeAlias

Tree: TypeAlias = tuple[str, tuple["Tree", ...]]
"""A line and the lines below it."""

_HEAD = re.compile(r"^line vty (\d{1,4})(?: (\d{1,4}))?$")
_FIRST_OTHER = 5
"""The first line that a device does not have by default: no section crosses it."""


def sections(tree: Sequence[Tree]) -> tuple[Tree, ...]:
    """Return a config in which each section of virtual terminal lines is as long as possible.

    ``line vty 0 15`` becomes ``line vty 0 4`` and ``line vty 5 15``; neighbouring sections with the same lines become
    one. Later sections of a line add to earlier ones, as they do when they are typed.
    """
    below: dict[int, tuple[Tree, ...]] = {}
    others: list[Tree] = []
    place = None
    for line, children in tree:
        found = _HEAD.match(line)
        if found is None:
            others.append((line, children))
            continue
        place = len(others) if place is None else place
        for number in range(int(found[1]), int(found[2] or found[1]) + 1):
            below[number] = tuple(dict.fromkeys((*below.get(number, ()), *children)))
    if place is None:
        return tuple(others)
    return (*others[:place], *_shown(below), *others[place:])


def _shown(below: dict[int, tuple[Tree, ...]]) -> list[Tree]:
    numbered = enumerate(sorted(below))
    runs = groupby(numbered, key=lambda at: (at[1] - at[0], at[1] < _FIRST_OTHER, frozenset(below[at[1]])))
    numbers = [[number for _, number in run] for _, run in runs]
    return [(f"line vty {run[0]}" + (f" {run[-1]}" if len(run) > 1 else ""), below[run[0]]) for run in numbers]
