"""A candidate configuration of Junos in memory, which statements and commands change. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from pytest_netbench.dialects.juniper_junos.levels import place, split
from pytest_netbench.dialects.juniper_junos.statements import TAGS, Statement
from pytest_netbench.dialects.syntax import Path, Tree


@dataclass
class _Line:
    below: dict[str, _Line] = field(default_factory=dict)


class Configuration:
    """A tree of lines, in the levels of the table. The tag of a line is a line below it, the first one."""

    def __init__(self) -> None:
        self._root: Final = _Line()

    def add(self, statement: Statement) -> None:
        """Set a statement, and give it its tags."""
        for path in split(statement.words):
            self._made(path)
        for index, tag in statement.tags:
            self.tag(place(statement.words, index), tag)

    def remove(self, path: Path) -> None:
        """Remove a line, or all lines in its place that begin with its words."""
        above = self._at(path[:-1])
        for line in self._meant(above, path):
            del above.below[line]

    def tag(self, path: Path, tag: str, *, is_on: bool = True) -> None:
        """Give lines that are there a tag, or take it from them."""
        above = self._at(path[:-1])
        for line in self._meant(above, path):
            below = above.below[line].below
            below.pop(tag, None)
            if is_on:
                below[tag] = _Line()

    def move(self, path: Path, other: str, *, is_behind: bool) -> None:
        """Move a line before or behind another one in its place; without one of both, nothing changes."""
        above = self._at(path[:-1])
        if path[-1] not in above.below or other not in above.below or other == path[-1]:
            return
        moved = above.below.pop(path[-1])
        order = list(above.below)
        order.insert(order.index(other) + is_behind, path[-1])
        below = {**above.below, path[-1]: moved}
        above.below = {line: below[line] for line in order}

    def copy(self, path: Path, new: Path, *, is_moved: bool) -> None:
        """Give what is below a line to another line in the same place, which stands behind it or in its stead."""
        above = self._at(path[:-1])
        if path[:-1] != new[:-1] or path[-1] not in above.below or new[-1] in above.below:
            return
        source = above.below[path[-1]]
        copied = source if is_moved else _copy(source)
        below: dict[str, _Line] = {}
        for line, one in above.below.items():
            below |= {new[-1]: copied} if is_moved and line == path[-1] else {line: one}
        above.below = below if is_moved else {**below, new[-1]: copied}

    def tree(self) -> tuple[Tree, ...]:
        """Return the lines, each with what is below it."""
        return _frozen(self._root)

    def _made(self, path: Path) -> _Line:
        at = self._root
        for line in path:
            at = at.below.setdefault(line, _Line())
        return at

    def _at(self, path: Path) -> _Line:
        at = self._root
        for line in path:
            at = at.below.get(line, _Line())
        return at

    @staticmethod
    def _meant(above: _Line, path: Path) -> list[str]:
        if path[-1:] and path[-1] in above.below:
            return [path[-1]]
        return [line for line in above.below if path and line.startswith(f"{path[-1]} ")]


def _copy(line: _Line) -> _Line:
    return _Line({text: _copy(below) for text, below in line.below.items()})


def _frozen(line: _Line) -> tuple[Tree, ...]:
    in_order = sorted(line.below.items(), key=lambda item: TAGS.index(item[0]) if item[0] in TAGS else len(TAGS))
    return tuple((text, _frozen(one)) for text, one in in_order)
