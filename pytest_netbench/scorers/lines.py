"""Canonical config lines of a dialect, with names and sequence numbers marked, as the command score compares them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pytest_netbench.dialects.base import Dialect
from pytest_netbench.dialects.syntax import Syntax, Tree
from pytest_netbench.scorers.config_tree import ConfigNode, nodes

Name = tuple[str, str]
"""Kind and name: names of different kinds have nothing to do with each other."""

_POSITION = "sequence"
_ANY = "*"


@dataclass(frozen=True, kw_only=True)
class Slot:
    """A place in a line: a free name, or a position in an ordered list (``name`` is then a number as written)."""

    kind: str
    name: str

    @property
    def is_position(self) -> bool:
        """Whether only the rank of this number counts."""
        return self.kind.endswith(_POSITION)


@dataclass(frozen=True, kw_only=True)
class Template:
    """A line as its fixed words and its slots, in order."""

    parts: tuple[str | Slot, ...]

    @property
    def names(self) -> tuple[Name, ...]:
        """Free names in the line, left to right."""
        return tuple((part.kind, part.name) for part in self.parts if isinstance(part, Slot) and not part.is_position)

    def text(self, renamed: Mapping[Name, str], *, positions: bool) -> str:
        """The line with names replaced as ``renamed`` says; ``positions``: with the numbers as written, or a ``*``."""
        return "".join(part if isinstance(part, str) else _slot_text(part, renamed, positions) for part in self.parts)


def _slot_text(slot: Slot, renamed: Mapping[Name, str], positions: bool) -> str:
    if slot.is_position:
        return slot.name if positions else _ANY
    return renamed.get((slot.kind, slot.name), slot.name)


class Lines:
    """The lines of one dialect. Caches its answers, since the same lines come up repeatedly."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._patterns = [(kind, re.compile(pattern)) for kind, pattern in dialect.free_names()]
        self._templates: dict[str, Template] = {}
        self._blocks: dict[tuple[tuple[str, ...], str], str | None] = {}

    @property
    def syntax(self) -> Syntax:
        """How configs of the dialect are written."""
        return self._dialect.syntax

    def canonical(self, tree: Sequence[ConfigNode]) -> tuple[ConfigNode, ...]:
        """``tree`` in canonical lines, without lines that have no effect and their children."""
        return nodes(self._dialect.rearrange(self._normal(tree)))

    def _normal(self, tree: Sequence[ConfigNode]) -> tuple[Tree, ...]:
        return tuple(
            (line, self._normal(node.children))
            for node in tree
            if (line := self._dialect.normalise(node.line)) is not None
        )

    def template(self, line: str) -> Template:
        """``line`` taken apart; where two names overlap, the first that the dialect lists counts."""
        if line not in self._templates:
            self._templates[line] = self._take_apart(line)
        return self._templates[line]

    def block(self, parents: tuple[str, ...], line: str) -> str | None:
        """The ordered list ``line`` belongs to, if any."""
        key = (parents, line)
        if key not in self._blocks:
            self._blocks[key] = self._dialect.ordered_block(parents, line)
        return self._blocks[key]

    def masked(self, line: str) -> str:
        """``line`` with its positions masked."""
        return self.template(line).text({}, positions=False)

    def _take_apart(self, line: str) -> Template:
        found: list[tuple[int, int, str]] = []
        for kind, pattern in self._patterns:
            for match in pattern.finditer(line):
                start, end = match.span(1)
                if start < end and all(end <= other or start >= other_end for other, other_end, _ in found):
                    found.append((start, end, kind))
        parts: list[str | Slot] = []
        at = 0
        for start, end, kind in sorted(found):
            parts += [line[at:start], Slot(kind=kind, name=line[start:end])]
            at = end
        return Template(parts=(*parts, line[at:]))
