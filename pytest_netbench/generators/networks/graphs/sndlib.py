"""Reads networks in SNDlib's native format, version 1.0.

Source: the format description of SNDlib (sndlib.zib.de, "Network input file" and "Format conventions"), and files with
recorded traffic, which have a section META. Sections and items are made of words and parentheses; line breaks mean
nothing but the end of a comment.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from typing import Final, NoReturn, TypeVar

from pytest_netbench.errors import UsageError
from pytest_netbench.generators.networks.graphs.graph import Demand, Graph, GraphLink, GraphNode

_HEADER: Final = re.compile(r"\?SNDlib\s+native\s+format;\s*type:\s*(\w+);\s*version:\s*(\S+)\s*")
_WORD: Final = re.compile(r"[()]|[^\s()]+")
_SECTIONS: Final = ("META", "NODES", "LINKS", "DEMANDS", "ADMISSIBLE_PATHS")
_UNLIMITED: Final = "UNLIMITED"
_MOST_CHARACTERS: Final = 4_000_000
_Item = TypeVar("_Item")


def read_sndlib(text: str, *, origin: str) -> Graph:
    """Return the network that ``text`` describes.

    Capacity and cost of a link are its preinstalled capacity, or that of its smallest module if none is preinstalled,
    and its routing cost. Zero means that the file says nothing about it.

    Args:
        text: The contents of a file of type ``network``.
        origin: Name of the file, for errors.

    Raises:
        UsageError: The text is no network of this format, or a network that is not connected.
    """
    return _Reader(text, origin).graph()


class _Reader:
    def __init__(self, text: str, origin: str) -> None:
        self._origin = origin
        self._line = 1
        if len(text) > _MOST_CHARACTERS:
            self._refuse(f"the file has more than {_MOST_CHARACTERS} characters")
        self._words: Iterator[tuple[str, int]] = self._read_words(text)
        self._nodes: dict[str, GraphNode] = {}
        self._links: dict[str, GraphLink] = {}
        self._demands: dict[str, Demand] = {}

    def graph(self) -> Graph:
        read = {"NODES": self._node, "LINKS": self._link, "DEMANDS": self._demand}
        while (section := self._next_or_none()) is not None:
            if section not in _SECTIONS:
                self._refuse(f"{section!r} is no section (known: {', '.join(_SECTIONS)})")
            self._expect("(")
            if section not in read:
                self._skip()
                continue
            while (name := self._next()) != ")":
                read[section](self._named(name))
        if len(self._nodes) < 2:
            self._refuse("the network has fewer than two nodes")
        found = Graph(
            nodes=tuple(self._nodes.values()),
            links=tuple(self._links.values()),
            demands=tuple(self._demands.values()),
        )
        if not found.is_connected:
            self._refuse("the network is not connected")
        return found

    def _read_words(self, text: str) -> Iterator[tuple[str, int]]:
        """Each word with the number of its line."""
        has_header = False
        for number, written in enumerate(text.splitlines(), start=1):
            line = written.split("#", 1)[0].strip()
            if line and not has_header:
                has_header = True
                self._line = number
                self._check_header(line)
            else:
                yield from ((word, number) for word in _WORD.findall(line))
        if not has_header:
            self._refuse("the file is empty")

    def _check_header(self, line: str) -> None:
        found = _HEADER.fullmatch(line)
        if found is None:
            self._refuse("the first line is not '?SNDlib native format; type: network; version: 1.0'")
        elif found.groups() != ("network", "1.0"):
            self._refuse(f"type {found[1]!r} in version {found[2]!r} is not read, only 'network' in '1.0'")

    def _node(self, name: str) -> None:
        x, y = self._numbers(2)
        while self._peeks("("):
            self._skip()
        self._add(self._nodes, name, GraphNode(name=name, x=x, y=y))

    def _link(self, name: str) -> None:
        one, other = self._pair()
        installed, _, cost, _ = (self._number(self._next()) for _ in range(4))
        self._expect("(")
        modules = []
        while (word := self._next()) != ")":
            modules.append(None if word == _UNLIMITED else self._number(word))
            self._number(self._next())
        capacity = installed or min((one for one in modules if one), default=None)
        self._add(self._links, name, GraphLink(name=name, one=one, other=other, capacity=capacity, cost=cost or None))

    def _demand(self, name: str) -> None:
        source, target = self._pair()
        unit, value = (self._number(self._next()) for _ in range(2))
        if self._next() in ("(", ")"):
            self._refuse(f"demand {name!r} has no maximum length of paths")
        self._add(self._demands, name, Demand(source=source, target=target, value=unit * value))

    def _pair(self) -> tuple[str, str]:
        self._expect("(")
        one, other = (self._named(self._next()) for _ in range(2))
        self._expect(")")
        for name in (one, other):
            if name not in self._nodes:
                self._refuse(f"there is no node {name!r}")
        if one == other:
            self._refuse(f"both ends are {one!r}")
        return one, other

    def _numbers(self, count: int) -> tuple[float, ...]:
        self._expect("(")
        found = tuple(self._number(self._next()) for _ in range(count))
        self._expect(")")
        return found

    def _number(self, word: str) -> float:
        try:
            found = float(word)
        except ValueError:
            self._refuse(f"{word!r} is no number")
        if not abs(found) < 1e15:
            self._refuse(f"{word!r} is no number that a network has")
        return found

    def _named(self, word: str) -> str:
        if word in ("(", ")"):
            self._refuse(f"{word!r} stands where a name is expected")
        return word

    def _add(self, known: dict[str, _Item], name: str, item: _Item) -> None:
        if name in known:
            self._refuse(f"there are two of the name {name!r}")
        known[name] = item

    def _skip(self) -> None:
        """Leave out everything up to the parenthesis that closes the one just read."""
        depth = 1
        while depth:
            depth += {"(": 1, ")": -1}.get(self._next(), 0)

    def _peeks(self, wanted: str) -> bool:
        """Whether the next word is ``wanted``; if it is, it is taken."""
        ahead = next(self._words, None)
        if ahead is None:
            return False
        if ahead[0] != wanted:
            self._words = chain([ahead], self._words)
        return ahead[0] == wanted

    def _expect(self, wanted: str) -> None:
        word = self._next()
        if word != wanted:
            self._refuse(f"{wanted!r} is expected, not {word!r}")

    def _next(self) -> str:
        word = self._next_or_none()
        if word is None:
            self._refuse("the file ends inside a section")
        return word

    def _next_or_none(self) -> str | None:
        word, self._line = next(self._words, (None, self._line))
        return word

    def _refuse(self, why: str) -> NoReturn:
        raise UsageError(f"{self._origin}, line {self._line}: {why}")
