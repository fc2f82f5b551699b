"""A parsed file as a tree that knows the line and column of every key and value."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from pytest_netbench.documents.problems import Place, SyntaxProblem, Where

MAX_DEPTH: Final = 40
MAX_VALUES: Final = 50_000
_UNFIT: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


@dataclass(slots=True)
class Tree:
    """One value. ``value`` is a scalar, a list of trees, or a dict of trees; lines and columns are 1-based.

    ``lines`` and ``columns`` have the place of each key of a mapping. ``end`` is the line and column behind a scalar,
    and ``block`` tells whether it is a literal block (``|``). The root has the text of the whole file as ``source``.
    """

    value: Any
    line: int
    column: int = 1
    lines: dict[str, int] = field(default_factory=dict)
    columns: dict[str, int] = field(default_factory=dict)
    end: tuple[int, int] = (0, 0)
    block: bool = False
    source: str = ""

    def plain(self) -> Any:
        """The value with plain dicts and lists in place of trees."""
        if isinstance(self.value, dict):
            return {key: tree.plain() for key, tree in self.value.items()}
        if isinstance(self.value, list):
            return [tree.plain() for tree in self.value]
        return self.value

    def line_of(self, where: Where, spelling: Mapping[str, str] = MappingProxyType({})) -> int:
        """The line of the value at ``where``; see ``place_of``."""
        return self.place_of(where, spelling)[0]

    def place_of(
        self, where: Where, spelling: Mapping[str, str] = MappingProxyType({}), *, of_value: bool = False
    ) -> Place:
        """Line and column of the value at ``where``, or of the nearest one around it that the file has.

        Steps that only the model has (the tag of a union, ``quality``) are skipped.

        Args:
            where: Keys and indices.
            spelling: Maps the model's field names to the file's.
            of_value: Where the value begins, instead of its key.
        """
        tree, place = self, (self.line, self.column)
        for step in where:
            if isinstance(step, int) and isinstance(tree.value, list) and step < len(tree.value):
                tree = tree.value[step]
                place = (tree.line, tree.column)
            elif isinstance(step, str) and isinstance(tree.value, dict):
                key = step if step in tree.value else spelling.get(step, step)
                if key in tree.value:
                    place = (tree.lines[key], tree.columns[key])
                    tree = tree.value[key]
        return (tree.line, tree.column) if of_value else place

    def at(self, where: Where) -> Tree | None:
        """The value at ``where``, or ``None`` if the file has none there."""
        tree: Tree | None = self
        for step in where:
            if tree is None:
                return None
            if isinstance(step, int):
                tree = tree.value[step] if isinstance(tree.value, list) and step < len(tree.value) else None
            else:
                tree = tree.value.get(step) if isinstance(tree.value, dict) else None
        return tree

    def scalars(self, where: Where = ()) -> Iterator[tuple[Where, Tree]]:
        """Every scalar with its place."""
        if isinstance(self.value, dict):
            for key, tree in self.value.items():
                yield from tree.scalars((*where, key))
        elif isinstance(self.value, list):
            for index, tree in enumerate(self.value):
                yield from tree.scalars((*where, index))
        else:
            yield where, self


def put(mapping: Tree, key: str, value: Tree, place: Place) -> None:
    """Add ``key`` to a mapping; ``place`` is that of the key.

    Raises:
        SyntaxProblem: It is there already.
    """
    if key in mapping.value:
        raise SyntaxProblem(f"key {key!r} is given twice (first in line {mapping.lines[key]})", *place)
    mapping.value[key] = value
    mapping.lines[key], mapping.columns[key] = place


def text_of(value: str, place: Place) -> str:
    r"""``value`` with line ends as ``\n``.

    Raises:
        SyntaxProblem: It has characters that no config, name or sentence can have.
    """
    if (bad := _UNFIT.search(value)) is not None:
        raise SyntaxProblem(f"character U+{ord(bad[0]):04X} cannot stand in a text", *place)
    return value.replace("\r\n", "\n").replace("\r", "\n")
