"""Configs whose hierarchy is the indentation, and in which a word before a line removes it.

The only module that imports ciscoconfparse2 (GPL-3). Importing it takes more than a second of processor time, so texts
with only indented lines are parsed here, with the same result. ciscoconfparse2 parses texts with banners, certificates,
macros or comments in unusual places.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pytest_netbench.dialects.paths import config_paths
from pytest_netbench.dialects.syntax import Commit, Edit, Path, Tree

_SPANS_LINES = re.compile(r"^\s*(set\s+)?banner\b|\^C|fail-message|\bmacro\b|\bcertificate\b|\bmenu\b", re.IGNORECASE)
_Line = tuple[str, list["_Line"]]


@dataclass(frozen=True, kw_only=True)
class Indentation:
    """Implements ``syntax.Syntax`` for languages that indent what stands below a line.

    Attributes:
        removes: The word that removes the line behind it.
        is_typed: Whether commands are lines of a config. Otherwise a config shows a state, and ``removes`` only notes
            that a line is gone.
    """

    removes: str = "no"
    is_typed: bool = True
    commit: Commit = "line"

    def parse(self, text: str) -> tuple[Tree, ...]:
        return parse(text)

    def render(self, tree: Sequence[Tree]) -> str:
        return "".join(f"{line}\n" for line in _indented(tree, 0))

    def paths(self, text: str) -> Sequence[Path]:
        return tuple(config_paths(text))

    def edits(self, commands: Sequence[str]) -> Sequence[Edit]:
        return tuple(self._edit(path) for path in config_paths("\n".join(commands)))

    def _edit(self, path: Path) -> Edit:
        *parents, line = path
        word = f"{self.removes} "
        return Edit((*parents, line.removeprefix(word)), removes=line.startswith(word))

    def negate(self, path: Path) -> tuple[str, ...]:
        if not self.is_typed:
            return ()
        *parents, line = path
        word = f"{self.removes} "
        negated = line.removeprefix(word) if line.startswith(word) else word + line
        return tuple(f"{' ' * depth}{one}" for depth, one in enumerate((*parents, negated)))


TYPED: Final = Indentation()
"""Lines of a config are its commands, and ``no`` removes them."""
SHOWN: Final = Indentation(is_typed=False)
"""A config shows a state that is changed by commands of another kind."""


def parse(text: str) -> tuple[Tree, ...]:
    """Return the top-level lines of ``text`` with what stands under them; blank lines are left out."""
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    if not lines:
        return ()
    if is_plain(lines):
        return _by_indentation(lines)
    from ciscoconfparse2 import CiscoConfParse  # 0.6 s; it imports hypothesis

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


def _indented(tree: Sequence[Tree], depth: int) -> Iterator[str]:
    for line, children in tree:
        yield f"{' ' * depth}{line}"
        yield from _indented(children, depth + 1)
