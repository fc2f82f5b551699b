"""A parsed file as a tree that knows the line of every key and value."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from pytest_netbench.documents.problems import SyntaxProblem, Where

MAX_DEPTH: Final = 40
MAX_VALUES: Final = 50_000
_UNFIT: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


@dataclass(slots=True)
class Tree:
    """One value. ``value`` is a scalar, a list of trees, or a dict of trees; ``line`` is 1-based.

    ``lines`` has the line of each key of a mapping.
    """

    value: Any
    line: int
    lines: dict[str, int] = field(default_factory=dict)

    def plain(self) -> Any:
        """The value with plain dicts and lists in place of trees."""
        if isinstance(self.value, dict):
            return {key: tree.plain() for key, tree in self.value.items()}
        if isinstance(self.value, list):
            return [tree.plain() for tree in self.value]
        return self.value

    def line_of(self, where: Where, spelling: Mapping[str, str] = MappingProxyType({})) -> int:
        """The line of the value at ``where``, or of the nearest one around it that the file has.

        Steps that only the model has (the tag of a union, ``quality``) are skipped. ``spelling`` maps the model's field
        names to the file's.
        """
        tree, line = self, self.line
        for step in where:
            if isinstance(step, int) and isinstance(tree.value, list) and step < len(tree.value):
                tree = tree.value[step]
                line = tree.line
            elif isinstance(step, str) and isinstance(tree.value, dict):
                key = step if step in tree.value else spelling.get(step, step)
                if key in tree.value:
                    line = tree.lines[key]
                    tree = tree.value[key]
        return line

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


def put(mapping: Tree, key: str, value: Tree, line: int) -> None:
    """Add ``key`` to a mapping.

    Raises:
        SyntaxProblem: It is there already.
    """
    if key in mapping.value:
        raise SyntaxProblem(f"key {key!r} is given twice (first in line {mapping.lines[key]})", line)
    mapping.value[key] = value
    mapping.lines[key] = line


def text_of(value: str, line: int) -> str:
    r"""``value`` with line ends as ``\n``.

    Raises:
        SyntaxProblem: It has characters that no config, name or sentence can have.
    """
    if (bad := _UNFIT.search(value)) is not None:
        raise SyntaxProblem(f"character U+{ord(bad[0]):04X} cannot stand in a text", line)
    return value.replace("\r\n", "\n").replace("\r", "\n")
