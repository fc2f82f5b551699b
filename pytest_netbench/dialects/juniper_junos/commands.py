"""Commands of the configuration mode of Junos: which statement each one means, wherever ``edit`` went. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from pytest_netbench.dialects.juniper_junos.configuration import Configuration
from pytest_netbench.dialects.juniper_junos.levels import place, split
from pytest_netbench.dialects.juniper_junos.statements import Statement
from pytest_netbench.dialects.juniper_junos.words import choices, joined, spread, tokens_of_line, words
from pytest_netbench.dialects.syntax import Edit, Path

TAGGED: Final = {
    "deactivate": ("inactive:", True),
    "activate": ("inactive:", False),
    "protect": ("protect:", True),
    "unprotect": ("protect:", False),
}
_CHANGES: Final = frozenset({"set", "delete", "insert", "rename", "copy", *TAGGED})
_MOVES: Final = frozenset({"edit", "top", "up", "exit", "quit"})
_WITHOUT_EFFECT: Final = frozenset({"annotate", "commit", "configure", "help", "ping", "run", "save", "show", "status"})
"""Commands that leave the statements of the candidate as they are."""
_BEFORE_OR_BEHIND: Final = {"before": False, "after": True}


_QUOTES: Final = re.compile(r'(?<!\\)"')


@dataclass(frozen=True)
class Command:
    """One change: the verb, the words from the root on, and for some verbs those of the other statement."""

    verb: str
    words: tuple[str, ...]
    link: str = ""
    other: tuple[str, ...] = ()

    @property
    def path(self) -> Path:
        """The line that the command is about, with the lines above it."""
        return place(self.words)

    @property
    def other_path(self) -> Path:
        """The line that ``insert``, ``rename`` or ``copy`` names behind its link word, in the place of the first."""
        last = words(self.path[-1])
        line = joined(self.other)
        if len(self.other) < len(last) and self.other[0] != last[0]:
            line = joined([*last[: len(last) - len(self.other)], *self.other])
        return (*self.path[:-1], line)


def is_change(line: str) -> bool:
    """Return whether a line is a command, and no line of a config with braces."""
    return line.split(maxsplit=1)[:1] != [] and line.split(maxsplit=1)[0] in (_CHANGES | _MOVES)


def logical_lines(lines: Sequence[str]) -> Iterator[str]:
    """Yield commands, of which a string in quotes may span several lines; comments and empty lines are left out."""
    at = 0
    while at < len(lines):
        end = _end(lines, at)
        line = "\n".join(lines[at:end]).strip()
        if line and not line.startswith(("#", "/*")):
            yield line
        at = end


def _end(lines: Sequence[str], start: int) -> int:
    """The first line behind the command that begins at ``start``: behind its quotes, if they are closed."""
    quotes = 0
    for at in range(start, len(lines)):
        quotes += len(_QUOTES.findall(lines[at]))
        if quotes % 2 == 0:
            return at + 1
        if lines[start].lstrip().startswith(("#", "/*")):
            break
    return start + 1


def changes(lines: Sequence[str], *, is_strict: bool = True) -> Iterator[Command]:
    """Yield what commands change, in order.

    Args:
        lines: The commands.
        is_strict: Whether what is no command is an error; otherwise it is left out.

    Raises:
        ValueError: A command changes the configuration in a way that its text does not tell, as ``load`` does.
    """
    above: list[tuple[str, ...]] = [()]
    for line in logical_lines([part for text in lines for part in text.split("\n")]):
        verb, *rest = tokens_of_line(line)
        at_once = above
        while verb in ("top", "up"):
            at_once, rest = _risen(at_once, verb, rest)
            if not rest:
                above = at_once
                break
            verb, *rest = rest
        if verb in ("top", "up") or verb in _WITHOUT_EFFECT:
            continue
        if verb == "edit":
            above = [*at_once, (*at_once[-1], *(word for words in spread(choices(rest))[:1] for word in words))]
        elif verb in ("exit", "quit"):
            above = above[:-1] if len(above) > 1 else above
        elif verb in _CHANGES:
            yield from _made(verb, at_once[-1], rest)
        elif is_strict:
            raise ValueError(
                f"{line!r} is no command whose changes can be told (known: {', '.join(sorted(_CHANGES | _MOVES))})"
            )


def _risen(above: list[tuple[str, ...]], verb: str, rest: list[str]) -> tuple[list[tuple[str, ...]], list[str]]:
    """The places that ``top`` or ``up [COUNT]`` leads to, and the words behind it."""
    if verb == "top":
        return [()], rest
    count, rest = (int(rest[0]), rest[1:]) if rest and rest[0].isdigit() else (1, rest)
    kept = place(above[-1])[:-count]
    return [*above[:-1], tuple(word for line in kept for word in words(line))], rest


def _made(verb: str, above: tuple[str, ...], rest: list[str]) -> Iterator[Command]:
    for found in spread(choices(rest)):
        link = next((at for at in range(len(found) - 2, 0, -1) if found[at] in _links(verb)), None)
        if link is not None:
            yield Command(verb, (*above, *found[:link]), found[link], found[link + 1 :])
        elif verb not in ("insert", "rename", "copy") and (above or found):
            yield Command(verb, (*above, *found))


def _links(verb: str) -> Sequence[str]:
    if verb == "insert":
        return tuple(_BEFORE_OR_BEHIND)
    return ("to",) if verb in ("rename", "copy") else ()


def edits(lines: Sequence[str]) -> Iterator[Edit]:
    """Yield what commands ask for; of ``insert`` that the line is there, as an edit has no order.

    Raises:
        ValueError: As ``changes``.
    """
    for one in changes(lines):
        if one.verb in ("delete", "rename"):
            yield Edit(one.path, removes=True)
        if one.verb in ("rename", "copy"):
            yield Edit(one.other_path)
        elif one.verb in ("set", "insert"):
            yield from (Edit(path) for path in split(one.words))
        elif one.verb in TAGGED:
            tag, is_on = TAGGED[one.verb]
            yield Edit((*one.path, tag), removes=not is_on)


def apply(config: Configuration, lines: Sequence[str], *, is_strict: bool = True) -> None:
    """Change a configuration as commands do. What a command names and is not there stays so.

    Raises:
        ValueError: As ``changes``.
    """
    for one in changes(lines, is_strict=is_strict):
        if one.verb == "set":
            config.add(Statement(one.words))
        elif one.verb == "delete":
            for path in split(one.words):
                config.remove(path)
        elif one.verb == "insert":
            config.move(one.path, one.other_path[-1], is_behind=_BEFORE_OR_BEHIND[one.link])
        elif one.verb in ("rename", "copy"):
            config.copy(one.path, one.other_path, is_moved=one.verb == "rename")
        else:
            tag, is_on = TAGGED[one.verb]
            config.tag(one.path, tag, is_on=is_on)
