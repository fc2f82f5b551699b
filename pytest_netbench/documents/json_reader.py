"""JSON text to a tree. A little more than JSON: what the draft prints must load.

The draft's printed example has strings that run over several lines and a comma after a last member; both are accepted.
"""

from __future__ import annotations

import math
import re
from json.decoder import JSONDecodeError, scanstring  # type: ignore[attr-defined]
from typing import Any, Final

from pytest_netbench.documents.problems import Place, SyntaxProblem, Where
from pytest_netbench.documents.tree import MAX_DEPTH, MAX_VALUES, Tree, put, text_of

_SPACE: Final = re.compile(r"[ \t\r\n]*")
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_WORD: Final = re.compile(r"[A-Za-z]+")
_WORDS: Final = {"true": True, "false": False, "null": None}
_BLANKS: Final = " \t"
_CONFIGS: Final = ("startup_configs", "ground_truth_configs")


def read_json(text: str) -> Tree | None:
    """The one value in ``text``; ``None`` if there is none.

    Raises:
        SyntaxProblem: It is no JSON.
    """
    reader = _Reader(text)
    if reader.peek() == "":
        return None
    tree = reader.value(())
    if reader.peek():
        raise reader.problem("something follows the end of the document")
    return tree


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.values = 0
        self._counted = (0, 1)

    def place(self, at: int) -> Place:
        start, line = self._counted
        if at < start:
            start, line = 0, 1
        line += self.text.count("\n", start, at)
        self._counted = (at, line)
        return line, at - self.text.rfind("\n", 0, at)

    def problem(self, what: str) -> SyntaxProblem:
        return SyntaxProblem(f"invalid JSON: {what}", *self.place(min(self.at, len(self.text))))

    def peek(self) -> str:
        match = _SPACE.match(self.text, self.at)
        self.at = match.end() if match else self.at
        return self.text[self.at : self.at + 1]

    def value(self, where: Where) -> Tree:
        self.values += 1
        if len(where) > MAX_DEPTH or self.values > MAX_VALUES:
            limit = f"nested deeper than {MAX_DEPTH}" if len(where) > MAX_DEPTH else f"more than {MAX_VALUES} values"
            raise self.problem(f"{limit}: not supported")
        char = self.peek()
        if char == "{":
            return self.mapping(where)
        if char == "[":
            return self.sequence(where)
        place = self.place(self.at)
        if char == '"':
            return self.string(where)
        return Tree(self.bare(), *place)

    def mapping(self, where: Where) -> Tree:
        tree = Tree({}, *self.place(self.at))
        self.at += 1
        while self.peek() != "}":
            if self.peek() != '"':
                raise self.problem("expected a member's name in double quotes, or '}'")
            key = self.string(())
            if self.peek() != ":":
                raise self.problem(f"expected ':' after {key.value!r}")
            self.at += 1
            put(tree, key.value, self.value((*where, key.value)), (key.line, key.column))
            self.comma("}")
        self.at += 1
        return tree

    def sequence(self, where: Where) -> Tree:
        items: list[Tree] = []
        tree = Tree(items, *self.place(self.at))
        self.at += 1
        while self.peek() != "]":
            items.append(self.value((*where, len(items))))
            self.comma("]")
        self.at += 1
        return tree

    def comma(self, end: str) -> None:
        char = self.peek()
        if char == ",":
            self.at += 1
        elif char != end:
            raise self.problem(f"expected ',' or {end!r}")

    def string(self, where: Where) -> Tree:
        start, place = self.at, self.place(self.at)
        try:
            value, self.at = scanstring(self.text, start + 1, False)
        except JSONDecodeError as error:
            raise SyntaxProblem(f"invalid JSON: {error.msg}", *self.place(error.pos)) from None
        raw = self.text[start : self.at]
        if "\n" in raw:
            value = _unwrapped(raw, value, where)
        return Tree(text_of(value, place), *place, end=self.place(self.at))

    def bare(self) -> Any:
        if (match := _NUMBER.match(self.text, self.at)) is not None:
            self.at = match.end()
            return _number(match[0])
        match = _WORD.match(self.text, self.at)
        if match is None or match[0] not in _WORDS:
            raise self.problem(f"{match[0]!r} is no value" if match else "expected a value")
        self.at = match.end()
        return _WORDS[match[0]]


def _number(text: str) -> Any:
    if text.lstrip("-").isdigit() and len(text) <= 19:
        return int(text)
    number = float(text)
    return number if math.isfinite(number) else text


def _unwrapped(raw: str, value: str, where: Where) -> str:
    r"""A string printed over several lines, joined again.

    A whole config whose only line breaks are those of the file is text laid out as config; anywhere else, and where
    written ``\n`` separate the lines, a break of the file is only the page's width.
    """
    if where[:1] and where[0] in _CONFIGS and (len(where) == 2 or where[2:3] == ("configs",)) and "\\n" not in raw:
        return value
    lines = raw.split("\n")
    ends = [line.removesuffix("\r").rstrip(_BLANKS) for line in lines[:-1]]
    joined = " ".join([*ends[:1], *(line.lstrip(_BLANKS) for line in (*ends[1:], lines[-1]))])
    return str(scanstring(joined, 1, False)[0])
