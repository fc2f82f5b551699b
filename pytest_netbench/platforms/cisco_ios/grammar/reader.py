"""The parser of command lines: which command a line is, or why it is invalid, and what may follow."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pytest_netbench import deadline
from pytest_netbench.platforms.cisco_ios.grammar import pattern
from pytest_netbench.platforms.cisco_ios.grammar.command import Match, ParsedCommand
from pytest_netbench.platforms.cisco_ios.grammar.types import Token

_WORDS = re.compile(r"\S+")


@dataclass(frozen=True)
class Refusal:
    """The reason why a line is invalid.

    ``kind``: ``invalid``, ``incomplete`` or ``ambiguous``; ``column``: that of the wrong word.
    """

    kind: str
    column: int = 0
    depth: int = 0


@dataclass(frozen=True, eq=False)
class _Thread:
    known: ParsedCommand
    way: pattern.Way
    parts: tuple[tuple[pattern.Element, Any, str], ...] = ()


def tokenize(line: str) -> list[Token]:
    """Split a line into words."""
    return [Token(found[0], found.start()) for found in _WORDS.finditer(line)]


class Reader:
    """Parses lines of one mode, for one role."""

    def __init__(self, commands: Iterable[ParsedCommand], *, help: Mapping[str, str] | None = None) -> None:
        self._commands = list(commands)
        self._help = help or {}

    @property
    def commands(self) -> Sequence[ParsedCommand]:
        """The commands of the mode."""
        return self._commands

    @cached_property
    def _first(self) -> dict[str, list[_Thread]]:
        """Patterns by the first letter of their first word; ``""`` for those that begin with an argument."""
        found: dict[str, list[_Thread]] = {}
        for known in self._commands:
            start = _Thread(known, (known.pattern.root, None))
            letters = {
                element.word[0].lower() if isinstance(element, pattern.Keyword) else ""
                for element, _, _ in pattern.steps(start.way)
                if element is not None
            }
            for letter in letters:
                found.setdefault(letter, []).append(start)
        return found

    def read(self, line: str, *, skip: int = 0, partial: bool = False) -> Match | Refusal:
        """Return the command that ``line`` is.

        Args:
            line: The line as typed.
            skip: The number of words to ignore at its beginning (``no``, ``do``).
            partial: ``no`` and ``default`` may end early.
        """
        tokens = tokenize(line)
        threads, at, refusal = self._walk(tokens, line, skip)
        if refusal is not None:
            return refusal
        depth = at - skip
        finished = [thread for thread in threads if any(e is None for e, _, _ in pattern.steps(thread.way))]
        if finished and depth:
            return Match(*_best(finished))
        if partial and depth:
            stopped = [t for t in threads if t.parts and _passed_stop(t)]
            if stopped:
                return Match(*_best(stopped), whole=False)
        return Refusal("incomplete", len(line), depth)

    def _walk(self, tokens: Sequence[Token], line: str, skip: int) -> tuple[list[_Thread], int, Refusal | None]:
        at = skip
        threads: list[_Thread] = []
        spans: dict[int, list[_Thread]] = {}
        if at < len(tokens):
            letter = tokens[at].text[0].lower()
            spans[at] = [*self._first.get(letter, ()), *self._first.get("", ())]
        while at < len(tokens):
            threads = spans.pop(at, [])
            if threads:
                refusal = self._advance(threads, tokens, at, line, spans)
                if refusal is not None and not spans:
                    return [], at, Refusal(refusal.kind, refusal.column, at - skip)
            at += 1
        ends = spans.pop(at, [])
        return ends, at, None if ends or not tokens[skip:] else Refusal("invalid", tokens[-1].column, at - skip - 1)

    def _advance(
        self, threads: Sequence[_Thread], tokens: Sequence[Token], at: int, line: str, spans: dict[int, list[_Thread]]
    ) -> Refusal | None:
        deadline.check()
        typed = tokens[at].text.lower()
        edges = [(t, e, way) for t in threads for e, way, _ in pattern.steps(t.way) if e is not None]
        near = [
            edge for edge in edges if isinstance(edge[1], pattern.Keyword) and edge[1].word.lower().startswith(typed)
        ]
        exact = [edge for edge in near if edge[1].word.lower() == typed]  # type: ignore[union-attr]
        took = False
        for thread, element, way in exact or near:
            assert isinstance(element, pattern.Keyword)
            spans.setdefault(at + 1, []).append(
                _Thread(thread.known, way, (*thread.parts, (element, True, element.word)))
            )
            took = True
        if not exact:
            for thread, element, way in edges:
                if isinstance(element, pattern.Argument):
                    found = element.type.read(tokens[at:], line)
                    if found is not None:
                        value, text, used = found
                        grown = _Thread(thread.known, way, (*thread.parts, (element, value, text)))
                        spans.setdefault(at + used, []).append(grown)
                        took = True
            if len({edge[1].word for edge in near}) > 1:  # type: ignore[union-attr]
                spans.clear()
                return Refusal("ambiguous", tokens[at].column)
        return None if took else Refusal("invalid", tokens[at].column)

    def help(self, line: str, *, skip: int = 0) -> list[tuple[str, str]] | Refusal:
        """Return possible next words: (word, description), sorted as IOS does; ``<cr>`` if the line may end.

        Without a space at its end, the words that complete its last word.
        """
        tokens = tokenize(line)
        stem = ""
        if line and not line[-1].isspace() and len(tokens) > skip:
            stem = tokens[-1].text.lower()
            tokens = tokens[:-1]
        if len(tokens) > skip:
            threads, _, refusal = self._walk(tokens, line, skip)
            if refusal is not None:
                return refusal
        else:
            threads = [_Thread(known, (known.pattern.root, None)) for known in self._commands]
        return self._offers(threads, stem)

    def _offers(self, threads: Sequence[_Thread], stem: str) -> list[tuple[str, str]]:
        keywords: dict[str, str] = {}
        others: dict[str, str] = {}
        ends = False
        for thread in threads:
            for element, _, _ in pattern.steps(thread.way):
                if element is None:
                    ends = True
                elif isinstance(element, pattern.Keyword):
                    if element.word.lower().startswith(stem):
                        keywords.setdefault(element.word, self._meaning(thread, element))
                elif not stem:
                    others.setdefault(
                        element.type.shown, element.type.help or self._help.get(f"{{{element.name}}}", "")
                    )
        offers = [*sorted(others.items()), *sorted(keywords.items())]
        return [*offers, ("<cr>", "")] if ends and not stem else offers

    def _meaning(self, thread: _Thread, element: pattern.Keyword) -> str:
        own = thread.known.command.help
        if own and element.word == thread.known.pattern.name.split()[-1]:
            return own
        return thread.known.area.help.get(element.word) or self._help.get(element.word, "")


def _passed_stop(thread: _Thread) -> bool:
    """Whether ``no`` may end here: after the stop, or with only optional elements before it."""
    way = thread.way
    optional = True
    while way is not None:
        node, way = way
        if isinstance(node, pattern.Stop):
            return optional
        optional = optional and isinstance(node, pattern.Maybe | pattern.AnyOrder)
    return True


def _best(threads: Sequence[_Thread]) -> tuple[ParsedCommand, tuple[tuple[pattern.Element, Any, str], ...]]:
    """Return the reading with the most keywords, the first among equals."""
    best = max(threads, key=lambda t: sum(isinstance(e, pattern.Keyword) for e, _, _ in t.parts))
    return best.known, best.parts
