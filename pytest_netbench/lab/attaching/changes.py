"""The commands that make one configuration the other, line by line. Pure; for languages that remove by a word."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_netbench.dialects.syntax import Path, Tree


@dataclass(frozen=True, kw_only=True)
class Changes:
    """What is between two configurations.

    Attributes:
        removed: Lines with those above them, the last first.
        added: What is missing, with the lines above it.
    """

    removed: tuple[Path, ...] = ()
    added: tuple[Tree, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.removed or self.added)

    def commands(self, dialect: Any, bare: Callable[[str], str] = str) -> list[str]:
        """As commands, the removals first.

        Args:
            dialect: Of the configurations.
            bare: The part of a line that removes it.
        """
        gone = [line for *above, last in self.removed for line in dialect.syntax.negate((*above, bare(last)))]
        return [*gone, *_typed(self.added, 0)]

    def __str__(self) -> str:
        lines = [f"- {' / '.join(path)}" for path in reversed(self.removed)]
        return "\n".join([*lines, *(f"+ {' / '.join(path)}" for path in _ends(self.added, ()))])


def changes(
    dialect: Any, before: Sequence[Tree], after: Sequence[Tree], stays: Callable[[Path], bool], above: Path = ()
) -> Changes:
    """Return what is to be removed from ``before`` and added, so that it is ``after``.

    Args:
        dialect: Of both.
        before: What is there.
        after: What shall be there.
        stays: Whether a line is left as it is, with all below it.
        above: The lines above both.
    """
    old = {line: below for line, below in before if not stays((*above, line))}
    new = {line: below for line, below in after if not stays((*above, line))}
    moved = _moved(dialect, list(old), list(new), above)
    removed: list[Path] = [(*above, line) for line in old if line not in new or line in moved]
    added: list[Tree] = []
    for line, below in new.items():
        if line not in old or line in moved:
            added.append((line, below))
            continue
        inner = changes(dialect, old[line], below, stays, (*above, line))
        removed += reversed(inner.removed)
        if inner.added:
            added.append((line, inner.added))
    return Changes(removed=tuple(reversed(removed)), added=tuple(added))


def _moved(dialect: Any, old: list[str], new: list[str], above: Path) -> set[str]:
    """Lines of ordered lists that have another order or other lines: such a list is written anew."""

    def lists(lines: list[str]) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for line in lines:
            key = dialect.ordered_block(tuple(dialect.normalise(one) or one for one in above), line)
            if key is not None:
                found.setdefault(key, []).append(line)
        return found

    before, after = lists(old), lists(new)
    return {line for key, lines in before.items() if lines != after.get(key, lines) for line in (*lines, *after[key])}


def _typed(tree: Sequence[Tree], depth: int) -> Iterator[str]:
    for line, below in tree:
        yield f"{' ' * depth}{line}"
        yield from _typed(below, depth + 1)
        if below and depth:
            yield f"{' ' * depth}exit"


def _ends(tree: Sequence[Tree], above: Path) -> Iterator[Path]:
    for line, below in tree:
        if below:
            yield from _ends(below, (*above, line))
        else:
            yield (*above, line)
