"""Statements of configs with braces: their words from the root on, and the tags on their way. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from pytest_netbench.dialects.juniper_junos.words import choices, spread, tokens

TAGS: Final = ("inactive:", "protect:")
"""What stands before a statement that is not in force, and before one that nobody may change."""
_OF_LOADING: Final = ("replace:", "merge:", "create:", "active:", "unprotect:")
"""What only says how a text is loaded."""
_GONE: Final = "delete:"
_COMMENTS: Final = re.compile(r'"(?:\\.|[^"\\])*"|(?<![^\s{};])/\*.*?\*/', re.DOTALL)
_SHOWN_AROUND: Final = re.compile(
    r"^(?:\{[a-z]+(?::[\w-]+)*\}|\[edit[^\]\n]*\]|[\w.-]+@[\w.-]+[>#%].*|Last commit:.*|!.*)$", re.MULTILINE
)
"""Prompts, what a device shows before and behind them, and comments of programs that collect configs."""


@dataclass(frozen=True)
class Statement:
    """The words of a statement from the root on, and (position of a word, tag) of each tag on its way."""

    words: tuple[str, ...]
    tags: tuple[tuple[int, str], ...] = ()


@dataclass
class _Block:
    """A block that is open: the statements that its header stands for, and whether something stands in it."""

    heads: list[Statement]
    has_content: bool = False
    is_gone: bool = False


def bare(text: str) -> str:
    """Return the text of a config without its comments in ``/* */`` and the prompts around it."""
    without = _COMMENTS.sub(lambda found: found[0] if found[0].startswith('"') else " ", text)
    return _SHOWN_AROUND.sub("", without)


def statements(text: str) -> Iterator[Statement]:
    """Yield the statements of a config with braces, in order. One that is cut gives what can be read."""
    open_blocks = [_Block([Statement(())], has_content=True)]
    found: list[str] = []
    for sign in tokens(bare(text)):
        if sign not in ("{", "}", ";"):
            found.append(sign)
            continue
        if sign == "{":
            open_blocks.append(_opened(open_blocks[-1], found))
        else:
            yield from _ended(open_blocks[-1], found)
        if sign == "}" and len(open_blocks) > 1:
            yield from _empty(open_blocks.pop())
        found = []
    yield from _ended(open_blocks[-1], found)
    while len(open_blocks) > 1:
        yield from _empty(open_blocks.pop())


def _opened(above: _Block, found: list[str]) -> _Block:
    above.has_content = True
    heads, is_gone = _below(above, found)
    return _Block(heads, is_gone=is_gone)


def _ended(above: _Block, found: list[str]) -> Iterator[Statement]:
    if found:
        above.has_content = True
        made, is_gone = _below(above, found)
        if not is_gone:
            yield from made


def _empty(block: _Block) -> Iterator[Statement]:
    if not block.has_content and not block.is_gone:
        yield from block.heads


def _below(above: _Block, found: list[str]) -> tuple[list[Statement], bool]:
    """The statements that tokens below a block stand for, and whether they are to be deleted."""
    tags, rest = _tagged(found)
    made = [
        Statement((*head.words, *words), (*head.tags, *((len(head.words), tag) for tag in tags if tag in TAGS)))
        for head in above.heads
        for words in spread(choices(rest))
    ]
    return made, above.is_gone or _GONE in tags


def _tagged(found: list[str]) -> tuple[list[str], list[str]]:
    tags: list[str] = []
    while found and found[0] in (*TAGS, *_OF_LOADING, _GONE):
        tags.append(found[0])
        found = found[1:]
    return tags, found
