"""From one EOS config to another by commands: those of a diff, and a model of what a device does with them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from pytest_netbench.dialects.arista_eos import AristaEosDialect
from pytest_netbench.dialects.syntax import Edit, Path, Tree
from pytest_netbench.scorers.config_tree import ConfigNode, parse_tree
from pytest_netbench.scorers.diff import Change, diff, walk
from pytest_netbench.scorers.lines import Lines

DIALECT = AristaEosDialect()
SYNTAX = DIALECT.syntax
LINES = Lines(DIALECT)
_NAMES_AN_ENTRY: Final = re.compile(r"(?:.* )?(?:seq )?\d+|banner \w+|comment|code.*|action bash")
_NUMBER: Final = re.compile(r"(?:^|seq |permit |deny )(\d+)(?: |$)")


def canonical(text: str) -> tuple[Tree, ...]:
    """A config as the command score compares it."""
    return _trees(LINES.canonical(parse_tree(text, SYNTAX)))


def commands(before: str, after: str) -> list[str]:
    """The commands of the diff between two configs: what is removed, innermost first, then what is added."""
    changes = diff(LINES, *(LINES.canonical(parse_tree(text, SYNTAX)) for text in (before, after)))
    removed = [path for path in _paths(changes, "-") if not _is_below(path, changes)]
    return [
        *(command for path in removed for command in SYNTAX.negate(path)),
        *(command for path in _paths(changes, "+") for command in SYNTAX.render(_nested(path)).splitlines()),
    ]


def apply(tree: Sequence[Tree], edits: Sequence[Edit]) -> tuple[Tree, ...]:
    """What a config is after edits.

    A line without a removal of it enters; one with a removal takes that back. A removal takes the line, or the entry or
    banner that is named by its first words, or else is noted.
    """
    block = _thawed(tree)
    for edit in edits:
        *parents, line = edit.path
        at = block
        for parent in parents:
            at = at.setdefault(parent, {})
        if edit.removes:
            gone = [line] if line in at else _entries(at, line)
            for one in gone:
                del at[one]
            if not gone:
                at[f"no {line}"] = {}
        elif f"no {line}" in at:
            del at[f"no {line}"]
        else:
            at.setdefault(line, {})
    return _frozen(block)


def masked(tree: Sequence[Tree], above: Path = ()) -> list[tuple[Path, str]]:
    """Every line, with its parents, without positions; sorted, but for those of ordered lists."""
    free = sorted(LINES.masked(line) for line, _ in tree if LINES.block(above, line) is None)
    fixed = [LINES.masked(line) for line, _ in sorted(tree, key=_number) if LINES.block(above, line) is not None]
    own = [(tuple(map(LINES.masked, above)), line) for line in (*free, *fixed)]
    below = [masked(children, (*above, line)) for line, children in tree]
    return [*own, *(one for lines in sorted(below) for one in lines)]


def _entries(block: Iterable[str], words: str) -> list[str]:
    return [one for one in block if _NAMES_AN_ENTRY.fullmatch(words) and one.startswith((f"{words} ", f"{words}\n"))]


def _number(tree: Tree) -> int:
    found = _NUMBER.search(tree[0])
    return int(found[1]) if found else 0


def _paths(changes: Sequence[Change], mark: str) -> Iterator[Path]:
    return (tuple(one.line for one in path) for path in walk(changes) if path[-1].mark == mark)


def _is_below(path: Path, changes: Sequence[Change]) -> bool:
    return any(path[: len(one)] == one and path != one for one in _paths(changes, "-"))


def _nested(path: Path) -> tuple[Tree, ...]:
    line, *below = path
    return ((line, _nested(tuple(below)) if below else ()),)


def _trees(found: Sequence[ConfigNode]) -> tuple[Tree, ...]:
    return tuple((one.line, _trees(one.children)) for one in found)


def _thawed(tree: Sequence[Tree]) -> dict:
    block: dict = {}
    for line, children in tree:
        block.setdefault(line, {}).update(_thawed(children))
    return block


def _frozen(block: dict) -> tuple[Tree, ...]:
    return tuple((line, _frozen(children)) for line, children in block.items())
