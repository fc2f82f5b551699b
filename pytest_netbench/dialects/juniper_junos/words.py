"""Words of Junos texts: what is quoted, what is a comment, what is a list. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Final

_QUOTED: Final = r'"(?:\\.|[^"\\])*"'
_OPEN_QUOTE: Final = r'"[^\n]*'
_BRACKETS: Final = r"\[[^\s\[\]]*\]"
"""Brackets inside a word, as in ``ge-0/0/[0-3]``."""
_COMMENT: Final = r"/\*.*?(?:\*/|\Z)|\#[^\n]*"
_WILDCARD: Final = r"<[^>\s]*>"
_IN_BRACES: Final = re.compile(
    rf"{_COMMENT}|{_QUOTED}|{_OPEN_QUOTE}|[{{}};\[\]]|{_WILDCARD}(?:{_BRACKETS}|[^\s{{}};\[\]\"])*"
    rf"|(?:[^\s{{}};\[\]\"]|(?<=\S){_BRACKETS})+",
    re.DOTALL,
)
_IN_A_LINE: Final = re.compile(
    rf'{_QUOTED}|{_OPEN_QUOTE}|[\[\]]|{_WILDCARD}(?:{_BRACKETS}|[^\s\[\]])*|(?:[^\s\[\]"]|(?<=\S){_BRACKETS}|(?<=\S)")+',
    re.DOTALL,
)
_PLAIN: Final = re.compile(r"(?!!|/\*|[a-z]+:$)[\w.,/:@%+=~*<>!^-]+(?:\[[\w-]*\][\w.,/:@%+=~*<>!^-]*)*")
_QUOTE: Final = '"'
_ESCAPES: Final = re.compile(r'\\.|"|\\\Z', re.DOTALL)
_ESCAPED: Final = {'"': '\\"', "\\": ""}

Choices = list[str | list[str]]
"""Words, of which a list stands for each of its members: ``members [ a b ]``."""


def tokens(text: str) -> Iterator[str]:
    """Yield words, strings in quotes, braces, brackets and semicolons of a text with braces, without its comments."""
    return (one for one in _IN_BRACES.findall(text) if not one.startswith(("#", "/*")))


def tokens_of_line(line: str) -> list[str]:
    """Return words, strings in quotes and brackets of a ``set`` line, or of a line of a tree."""
    return _IN_A_LINE.findall(line)


def words(line: str) -> tuple[str, ...]:
    """Return the words of a line of a tree, without quotes."""
    return tuple(unquoted(one) for one in tokens_of_line(line))


def unquoted(token: str) -> str:
    """Return what a token says, with its escapes, so that it can stand between quotes."""
    if re.fullmatch(_QUOTED, token, re.DOTALL):
        return token[1:-1]
    return _ESCAPES.sub(lambda found: _ESCAPED.get(found[0], found[0]), token.removeprefix(_QUOTE))


def joined(parts: Sequence[str]) -> str:
    """Return words as a line in which only words that need quotes have them: ``a "b c"`` for ``"a" "b c"``."""
    return " ".join(part if _PLAIN.fullmatch(part) else f'"{part}"' for part in parts)


def choices(found: Sequence[str]) -> Choices:
    """Return the words of tokens, with what is between brackets as lists."""
    out: Choices = []
    inside: list[str] | None = None
    for sign in found:
        if sign == "[" and inside is None:
            inside = []
        elif sign == "]" and inside is not None:
            out.append(inside)
            inside = None
        else:
            (out if inside is None else inside).append(unquoted(sign))
    return out if inside is None else [*out, inside]


def spread(found: Choices) -> list[tuple[str, ...]]:
    """Return the statements that words with lists stand for: ``members [ a b ]`` is ``members a`` and ``members b``."""
    return list(product(*([one] if isinstance(one, str) else one for one in found if one != [])))
