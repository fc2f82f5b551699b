"""What the braces of a Junos config show of its levels, and commands for a difference, for tests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_netbench.dialects.juniper_junos import JuniperJunosDialect
from pytest_netbench.dialects.juniper_junos.levels import Level, split
from pytest_netbench.dialects.juniper_junos.statements import TAGS
from pytest_netbench.dialects.juniper_junos.words import choices, spread, tokens, words
from pytest_netbench.dialects.syntax import Tree
from pytest_netbench.scorers.config_tree import nodes
from pytest_netbench.scorers.diff import diff, walk
from pytest_netbench.scorers.lines import Lines

SYNTAX = JuniperJunosDialect.syntax


def wrong_levels(text: str, table: Level | None = None) -> Iterator[str]:
    """Yield where the table splits words otherwise than the braces of a config.

    A brace opens a level wherever it stands, so the table must split there; and a header of a block is one level, so it
    must not split inside. A statement on one line may be several levels.
    """
    above: list[tuple[str, ...]] = [()]
    found: list[str] = []
    for sign in tokens(text):
        if sign not in ("{", "}", ";"):
            found.append(sign)
            continue
        if found:
            line = spread(choices([one for one in found if one not in (*TAGS, "replace:")]))[0]
            statement, start = (*above[-1], *line), len(above[-1])
            cuts, at = set[int](), 0
            for one in next(split(statement, table)):
                at += len(words(one))
                cuts.add(at)
            if start and start not in cuts:
                yield f"{' '.join(above[-1])} {{ {' '.join(line)}: not split"
            if sign == "{" and any(start < cut < len(statement) for cut in cuts):
                yield f"{' '.join(statement)} {{: split inside"
            if sign == "{":
                above.append(statement)
        if sign == "}":
            above.pop()
        found = []


def commands(before: Sequence[Tree], after: Sequence[Tree]) -> list[str]:
    """Return commands that make one config the other, by the diff of the command score.

    Lines of ordered lists are put in their place by ``insert``.
    """
    lines = Lines(JuniperJunosDialect())
    changes = [
        (path[-1].mark, tuple(one.line for one in path)) for path in walk(diff(lines, nodes(before), nodes(after)))
    ]
    removed = [path for mark, path in changes if mark == "-"]
    out = [one for path in removed if path[:-1] not in removed for one in SYNTAX.negate(path)]
    for mark, path in changes:
        if mark == "+":
            tagged = path[-1] in TAGS
            verb = {"inactive:": "deactivate", "protect:": "protect"}.get(path[-1], "set")
            out.append(" ".join([verb, *(path[:-1] if tagged else path)]))
    return [*out, *_in_order(lines, after, ())]


def _in_order(lines: Lines, tree: Sequence[Tree], above: tuple[str, ...]) -> Iterator[str]:
    last: dict[str, str] = {}
    for line, children in tree:
        block = lines.block(above, line)
        if block is not None:
            if block in last:
                yield " ".join(["insert", *above, line, "after", last[block]])
            last[block] = line
        yield from _in_order(lines, children, (*above, line))
