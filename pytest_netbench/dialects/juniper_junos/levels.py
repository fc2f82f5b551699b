"""Where the words of a Junos statement split into levels, by the table ``levels.txt``. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Final

from pytest_netbench.dialects.juniper_junos.words import joined
from pytest_netbench.dialects.juniper_junos.words import words as words_of
from pytest_netbench.dialects.syntax import Path

_ENTRY: Final = re.compile(r"(?P<words>[^\s;]+)(?: (?P<keys>\d+))?(?P<inline>;)?(?P<blocks>(?: +@[\w-]+)*)")
_ANY: Final = "*"


@dataclass
class Level:
    """What may stand below a line: by its first word, the level that the word opens.

    Attributes:
        keys: How many words behind the first belong to the line.
        is_inline: Whether words behind the line are attributes beside it, not below it.
        below: Levels by the word that opens them; ``*`` for any other word.
    """

    keys: int = 0
    is_inline: bool = False
    below: dict[str, Level] = field(default_factory=dict)

    def opened_by(self, word: str) -> Level | None:
        """Return the level that a word opens, or ``None`` if the table does not know it."""
        return _EVERYWHERE.get(word) or self.below.get(word) or self.below.get(_ANY)


_GROUPS: Final = Level(keys=1, is_inline=True)
_EVERYWHERE: Final = {"apply-groups": _GROUPS, "apply-groups-except": _GROUPS, "apply-macro": Level(keys=1)}
"""Statements that may stand below each level."""


def read(text: str) -> Level:
    """Return the root of a table of levels in the notation of ``levels.txt``.

    Raises:
        ValueError: A line is not in that notation.
    """
    blocks: dict[str, Level] = {}
    included: list[tuple[Level, str]] = []
    open_levels: list[tuple[int, list[Level]]] = []
    for line in text.splitlines():
        entry = line.strip()
        if not entry or entry.startswith("#"):
            continue
        indent = len(line) - len(line.lstrip())
        if indent == 0:
            open_levels = [(-1, [blocks.setdefault(entry.removeprefix("@"), Level())])]
            continue
        while open_levels[-1][0] >= indent:
            open_levels.pop()
        names, level, uses = _entry(entry)
        added = [_added(above, name, level) for above in open_levels[-1][1] for name in names]
        included += [(one, use) for one in added for use in uses]
        open_levels.append((indent, added))
    for level, use in included:
        for word, below in blocks[use].below.items():
            level.below.setdefault(word, below)
    return blocks["root"]


def _added(above: Level, name: str, level: Level) -> Level:
    """The level of ``name`` below ``above``: that of an earlier entry, if there is one."""
    return above.below.setdefault(name, Level(keys=level.keys, is_inline=level.is_inline))


def _entry(entry: str) -> tuple[list[str], Level, list[str]]:
    found = _ENTRY.fullmatch(entry)
    if found is None:
        raise ValueError(f"{entry!r} is not in the notation of levels")
    uses = [one.removeprefix("@") for one in found["blocks"].split()]
    return found["words"].split("|"), Level(keys=int(found["keys"] or 0), is_inline=bool(found["inline"])), uses


@cache
def table() -> Level:
    """Return the root of the table of Junos."""
    return read(resources.files(__package__).joinpath("levels.txt").read_text(encoding="utf-8"))


def split(words: Sequence[str], root: Level | None = None) -> Iterator[Path]:
    """Yield the places that the words of one statement name: more than one if attributes share a line.

    Args:
        words: What stands behind ``set``, without quotes.
        root: The table, by default that of Junos.
    """
    level, above, at = table() if root is None else root, list[str](), 0
    if not words:
        return
    while at < len(words):
        opened = level.opened_by(words[at])
        if opened is None:
            yield (*above, joined(words[at:]))
            return
        end = at + 1 + opened.keys
        line = joined(words[at:end])
        if opened.is_inline:
            yield (*above, line)
        else:
            above.append(line)
            level = opened
        at = end
    if not (opened is not None and opened.is_inline):
        yield tuple(above)


def place(words: Sequence[str], index: int | None = None) -> Path:
    """Return the line that has the word at ``index``, by default the last one, with the lines above it."""
    paths = list(split(words))
    if not paths:
        return ()
    if index is None:
        return paths[-1]
    path, at = paths[0], 0
    for depth, line in enumerate(path):
        at += len(words_of(line))
        if at > index:
            return path[: depth + 1]
    return path
