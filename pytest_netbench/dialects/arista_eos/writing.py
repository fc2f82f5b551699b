"""How EOS writes hierarchy, removal and texts of several lines. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from pytest_netbench.dialects.syntax import Commit, Edit, Path, Tree

_INDENT: Final = " " * 3
# a text follows, up to a line EOF; the text may look like any other line
_BEGINS_TEXT: Final = re.compile(r"banner (?:login|motd|exec)|comment|code(?: unit \S+)?|action bash")
_END_OF_TEXT: Final = "EOF"
_REMOVES: Final = re.compile(r"(?:no|default) (?=\S)")
# what is enough to remove a line, and all that its command takes
_ENOUGH: Final = (
    re.compile(r"(banner (?:login|motd|exec))\b.*", re.DOTALL),
    re.compile(r"(comment|code(?: unit \S+)?|action bash)\n.*", re.DOTALL),
    re.compile(r"((?:seq )?\d+) (?:permit|deny|remark|match)\b.*"),
    re.compile(r"((?:ip|ipv6) prefix-list \S+ seq \d+) .*"),
)
_Line = tuple[str, list["_Line"]]


@dataclass(frozen=True)
class EosSyntax:
    """Implements ``syntax.Syntax``.

    A banner, a comment or a script is one line of the tree, with its text and ``EOF`` in it as they were written.
    """

    commit: Commit = "line"

    def parse(self, text: str) -> tuple[Tree, ...]:
        top: list[_Line] = []
        open_blocks: list[tuple[int, list[_Line]]] = [(-1, top)]
        for indent, line in _lines(text):
            is_comment = line.startswith("!")
            if not is_comment:
                while open_blocks[-1][0] >= indent:
                    open_blocks.pop()
            children: list[_Line] = []
            next(block for at, block in reversed(open_blocks) if at < indent).append((line, children))
            if not is_comment:
                open_blocks.append((indent, children))
        return _frozen(top)

    def render(self, tree: Sequence[Tree]) -> str:
        return "".join(f"{line}\n" for line in _rendered(tree, 0))

    def paths(self, text: str) -> Sequence[Path]:
        return tuple(_walk(self.parse(text), ()))

    def edits(self, commands: Sequence[str]) -> Sequence[Edit]:
        return tuple(_edit(path) for path in self.paths("\n".join(commands)))

    def negate(self, path: Path) -> tuple[str, ...]:
        *parents, line = path
        return tuple(f"{_INDENT * depth}{one}" for depth, one in enumerate((*parents, _negated(line))))


SYNTAX: Final = EosSyntax()


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the indentation of each line that is not blank, and its words; a text of several lines as one."""
    raw = text.expandtabs().splitlines()
    at = 0
    while at < len(raw):
        line = raw[at].strip()
        end = _end_of_text(raw, at) if _BEGINS_TEXT.fullmatch(line) else at
        if line:
            yield len(raw[at]) - len(raw[at].lstrip()), "\n".join([line, *raw[at + 1 : end + 1]])
        at = end + 1


def _end_of_text(raw: Sequence[str], at: int) -> int:
    """Return the index of the line that ends the text which begins at ``at``; that is ``at`` if the text is cut."""
    return next((end for end in range(at + 1, len(raw)) if raw[end].strip() == _END_OF_TEXT), at)


def _frozen(lines: Sequence[_Line]) -> tuple[Tree, ...]:
    return tuple((text, _frozen(children)) for text, children in lines)


def _rendered(tree: Sequence[Tree], depth: int) -> Iterator[str]:
    for line, children in tree:
        yield f"{_INDENT * depth}{line}"
        yield from _rendered(children, depth + 1)


def _walk(tree: Sequence[Tree], above: Path) -> Iterator[Path]:
    for line, children in tree:
        yield (*above, line)
        yield from _walk(children, (*above, line))


def _edit(path: Path) -> Edit:
    *parents, line = path
    word = _REMOVES.match(line)
    return Edit((*parents, line[word.end() :]), removes=True) if word else Edit(path)


def _negated(line: str) -> str:
    if line.startswith("no "):
        return line.removeprefix("no ")
    found = next((one for pattern in _ENOUGH if (one := pattern.fullmatch(line))), None)
    return f"no {found[1] if found else line}"
