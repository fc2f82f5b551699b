"""The pattern language of commands, and the possible next steps of a line within a pattern.

An example, on one line in the grammar::

    ip route {prefix!:ipv4} {mask!:mask} ( {via!:ipv4} | {out!:interface} [ {via!:ipv4} ] )
        [ {distance:1-255} ] < name {label:word} | tag {tag:1-99} >

- ``word``: a keyword
- ``{name:type}``: an argument; ``!`` after the name makes it a key, which identifies a stored line
- ``[ … ]``: optional
- ``( a | b )``: one of the alternatives
- ``< a | b >``: each alternative at most once, in any order, or none; ``< a | b >+``: at least one of them
- ``+`` after an element: once or more
- ``^``: the earliest place at which ``no`` may end; without it, after the last keyword or key argument outside brackets
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from pytest_netbench.platforms.cisco_ios.grammar.types import ArgType, resolve


@dataclass(frozen=True, eq=False)
class Keyword:
    """A keyword, which may be abbreviated."""

    word: str
    position: int


@dataclass(frozen=True, eq=False)
class Argument:
    """A value. ``key``: part of the identity of a config line."""

    name: str
    type: ArgType
    key: bool
    position: int


@dataclass(frozen=True, eq=False)
class Sequence:
    """Elements in order."""

    items: tuple[Node, ...]


@dataclass(frozen=True, eq=False)
class Maybe:
    """An optional element."""

    inner: Node


@dataclass(frozen=True, eq=False)
class Choice:
    """One of several alternatives."""

    options: tuple[Node, ...]


@dataclass(frozen=True, eq=False)
class AnyOrder:
    """Alternatives in any order, each at most once. ``needed``: at least one."""

    options: tuple[Node, ...]
    needed: bool = False


@dataclass(frozen=True, eq=False)
class Repeat:
    """An element that occurs once or more."""

    inner: Node


@dataclass(frozen=True, eq=False)
class Stop:
    """The earliest place at which ``no`` may end."""


Node: TypeAlias = Keyword | Argument | Sequence | Maybe | Choice | AnyOrder | Repeat | Stop
Element: TypeAlias = Keyword | Argument
Way: TypeAlias = tuple[Node, Any] | None
"""The rest of a pattern: a linked list of nodes; ``None`` is the end."""

_TOKEN = re.compile(
    r"\{(?P<name>\w+)(?P<key>!?):(?P<type>[\w-]+)\}(?P<again>\+?)|(?P<punct>[\[\]()<>|^])(?P<more>\+?)|(?P<word>[^\s\[\]()<>|^{}]+)"
)
_CLOSERS = {"[": "]", "(": ")", "<": ">"}


def steps(  # noqa: C901 - one branch per kind of node
    way: Way, *, stopped: bool = False
) -> Iterator[tuple[Element | None, Way, bool]]:
    """Yield possible next steps: (element or ``None`` for the end, rest, whether ``no`` might have ended here)."""
    if way is None:
        yield None, None, stopped
        return
    node, rest = way
    if isinstance(node, Keyword | Argument):
        yield node, rest, stopped
    elif isinstance(node, Stop):
        yield from steps(rest, stopped=True)
    elif isinstance(node, Sequence):
        for item in reversed(node.items):
            rest = (item, rest)
        yield from steps(rest, stopped=stopped)
    elif isinstance(node, Maybe):
        yield from steps((node.inner, rest), stopped=stopped)
        yield from steps(rest, stopped=stopped)
    elif isinstance(node, Choice):
        for option in node.options:
            yield from steps((option, rest), stopped=stopped)
    elif isinstance(node, Repeat):
        yield from steps((node.inner, (Maybe(node), rest)), stopped=stopped)
    else:
        for option in node.options:
            others = tuple(other for other in node.options if other is not option)
            yield from steps((option, (AnyOrder(others), rest)), stopped=stopped)
        if not node.needed:
            yield from steps(rest, stopped=stopped)


def elements(node: Node) -> Iterator[Element]:
    """Return the keywords and arguments of a part of a pattern."""
    if isinstance(node, Keyword | Argument):
        yield node
    elif isinstance(node, Maybe | Repeat):
        yield from elements(node.inner)
    elif not isinstance(node, Stop):
        for inner in node.items if isinstance(node, Sequence) else node.options:
            yield from elements(inner)


@dataclass(frozen=True)
class Pattern:
    """A parsed pattern."""

    text: str
    root: Sequence
    name: str
    """Its keywords outside brackets, e.g. ``ip route``."""


def parse(text: str, types: Mapping[str, ArgType]) -> Pattern:
    """Parse a pattern.

    Raises:
        ValueError: The pattern is malformed or names an unknown type.
    """
    items = _Reader(text, types).read()
    words = [item.word for item in items if isinstance(item, Keyword)]
    if not any(isinstance(item, Stop) for item in items):
        telling = (at for at, item in enumerate(items) if isinstance(item, Keyword) or getattr(item, "key", False))
        last = max(telling, default=len(items) - 1)
        items.insert(last + 1, Stop())
    return Pattern(text, Sequence(tuple(items)), " ".join(words))


class _Reader:
    def __init__(self, text: str, types: Mapping[str, ArgType]) -> None:
        self._text, self._types = text, types
        self._tokens = list(_TOKEN.finditer(text))
        if _TOKEN.sub("", text).strip():
            raise ValueError(
                f"malformed pattern {text!r}: {_TOKEN.sub('', text).strip()!r} is no part of the pattern language"
            )
        self._at = 0

    def read(self) -> list[Node]:
        items = self._sequence(closer=None)
        if self._at != len(self._tokens):
            raise ValueError(f"malformed pattern {self._text!r}: unexpected {self._tokens[self._at][0]!r}")
        return items

    def _sequence(self, closer: str | None) -> list[Node]:
        items: list[Node] = []
        while self._at < len(self._tokens):
            token = self._tokens[self._at]
            punct = token["punct"]
            if punct in {"|", closer} and closer is not None:
                return items
            self._at += 1
            if punct == "^":
                items.append(Stop())
            elif punct in _CLOSERS:
                items.append(self._group(punct))
            elif punct is not None:
                raise ValueError(f"malformed pattern {self._text!r}: unexpected {punct!r}")
            else:
                items.append(self._element(token))
        if closer is not None:
            raise ValueError(f"malformed pattern {self._text!r}: {closer!r} is missing")
        return items

    def _element(self, token: re.Match[str]) -> Node:
        position = self._at
        if token["word"]:
            return Keyword(token["word"], position)
        argument = Argument(token["name"], resolve(token["type"], self._types), bool(token["key"]), position)
        return Repeat(argument) if token["again"] else argument

    def _group(self, opener: str) -> Node:
        closer = _CLOSERS[opener]
        options: list[Node] = []
        while True:
            options.append(Sequence(tuple(self._sequence(closer))))
            token = self._tokens[self._at]
            self._at += 1
            if token["punct"] == closer:
                break
        if opener == "<":
            return AnyOrder(tuple(options), needed=bool(token["more"]))
        choice: Node = options[0] if len(options) == 1 else Choice(tuple(options))
        if token["more"]:
            choice = Repeat(choice)
        return Maybe(choice) if opener == "[" else choice
