"""The hierarchical diff of two configs of one node: each line kept, added or removed, in its place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from pytest_netbench.scorers.alignment import align
from pytest_netbench.scorers.config_tree import ConfigNode
from pytest_netbench.scorers.lines import Lines

Mark = Literal[" ", "+", "-"]
Path = tuple[str, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class Change:
    """A line with its mark. A kept line only fixes the position of others; it is not a change."""

    mark: Mark
    line: str
    children: tuple[Change, ...] = ()


def diff(
    dialect: Lines, initial: Sequence[ConfigNode], final: Sequence[ConfigNode], parents: Path = ()
) -> tuple[Change, ...]:
    """Return the changes from ``initial`` to ``final``, both canonical. A line moved in an ordered list makes two."""
    before, after = blocks(dialect, initial, parents), blocks(dialect, final, parents)
    changes: list[Change] = []
    for key in dict.fromkeys([*before, *after]):
        old, new = before.get(key, []), after.get(key, [])
        pairs = _by_text(dialect, old, new) if key is None else _by_order(dialect, old, new)
        changes += _marked(dialect, old, new, pairs, parents)
    return tuple(changes)


def blocks(dialect: Lines, nodes: Sequence[ConfigNode], parents: Path) -> dict[str | None, list[ConfigNode]]:
    """``nodes`` by the ordered list they belong to; ``None`` is for those whose place does not matter."""
    found: dict[str | None, list[ConfigNode]] = {}
    for node in nodes:
        found.setdefault(dialect.block(parents, node.line), []).append(node)
    return found


def walk(changes: Sequence[Change], parents: tuple[Change, ...] = ()) -> Iterator[tuple[Change, ...]]:
    """Every added or removed line, with the lines above it before it."""
    for change in changes:
        path = (*parents, change)
        if change.mark != " ":
            yield path
        yield from walk(change.children, path)


def _by_text(dialect: Lines, old: Sequence[ConfigNode], new: Sequence[ConfigNode]) -> list[tuple[int, int]]:
    waiting: dict[str, list[int]] = {}
    for i, node in enumerate(old):
        waiting.setdefault(dialect.masked(node.line), []).append(i)
    pairs = []
    for j, node in enumerate(new):
        if same := waiting.get(dialect.masked(node.line)):
            pairs.append((same.pop(0), j))
    return sorted(pairs, key=lambda pair: pair[1])


def _by_order(dialect: Lines, old: Sequence[ConfigNode], new: Sequence[ConfigNode]) -> list[tuple[int, int]]:
    def weight(i: int, j: int) -> int:
        if dialect.masked(old[i].line) != dialect.masked(new[j].line):
            return 0
        common = (_paths(dialect, old[i].children) & _paths(dialect, new[j].children)).total()
        return 2 * (1 + common) + (old[i].line == new[j].line)

    return align(len(old), len(new), weight)


def _paths(dialect: Lines, nodes: Sequence[ConfigNode], parents: Path = ()) -> Counter[Path]:
    found: Counter[Path] = Counter()
    for node in nodes:
        path = (*parents, dialect.masked(node.line))
        found[path] += 1
        found += _paths(dialect, node.children, path)
    return found


def _marked(
    dialect: Lines,
    old: Sequence[ConfigNode],
    new: Sequence[ConfigNode],
    pairs: Sequence[tuple[int, int]],
    parents: Path,
) -> Iterator[Change]:
    """Kept lines in their order, before each of them what was removed there and then what was added there."""
    kept = {j: i for i, j in pairs}
    removed = [i for i in range(len(old)) if i not in kept.values()]
    for j, node in enumerate(new):
        if j not in kept:
            continue
        while removed and removed[0] < kept[j]:
            yield _all("-", old[removed.pop(0)])
        yield from (_all("+", new[at]) for at in _gap(j, kept))
        children = diff(dialect, old[kept[j]].children, node.children, (*parents, node.line))
        yield Change(mark=" ", line=node.line, children=children)
    yield from (_all("-", old[i]) for i in removed)
    yield from (_all("+", new[at]) for at in _gap(len(new), kept))


def _gap(end: int, kept: dict[int, int]) -> range:
    """Positions just before ``end`` that are not kept."""
    start = end
    while start > 0 and start - 1 not in kept:
        start -= 1
    return range(start, end)


def _all(mark: Mark, node: ConfigNode) -> Change:
    return Change(mark=mark, line=node.line, children=tuple(_all(mark, child) for child in node.children))
