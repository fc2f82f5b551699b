"""The place in a file of a line of a text that the file holds, however the text is written there."""

from __future__ import annotations

import re
from typing import Final

from pytest_netbench.documents.problems import Place
from pytest_netbench.documents.tree import Tree

_BREAK: Final = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
_ESCAPED_SPACE: Final = re.compile(r"\\[ntr]")


def place_in(root: Tree, text: Tree, number: int, offset: int = 0) -> Place:
    """Line and column of a line of ``text``.

    Args:
        root: The file, with its source.
        text: A scalar of it that is a text: a block (``|`` or ``>``), quoted, plain, or a string of JSON.
        number: The 1-based line of the text's value.
        offset: The 0-based character in that line.
    """
    value = text.value.split("\n")
    if not 1 <= number <= len(value):
        return text.line, text.column
    source = _BREAK.split(root.source)
    if text.block:
        return _in_block(source, text, number, value[number - 1], offset)
    return _in_scalar(source, text, value, number, offset)


def _in_block(source: list[str], text: Tree, number: int, line: str, offset: int) -> Place:
    """A literal block: each of its lines is one of the file, behind the block's indentation."""
    at = text.line + number
    written = source[at - 1] if at <= len(source) else ""
    indent = len(written) - len(line) if line and written.endswith(line) else _indent(written)
    return at, indent + min(offset, len(line)) + 1


def _in_scalar(source: list[str], text: Tree, value: list[str], number: int, offset: int) -> Place:
    """Any other text: its words stand in the file in the same order."""
    written = "\n".join(source[text.line - 1 : max(text.end[0], text.line)])
    written = _ESCAPED_SPACE.sub("  ", written)
    at = text.column - 1
    for line in value[: number - 1]:
        at = _behind(written, line.split(), at)
    wanted = value[number - 1]
    words = wanted[:offset].split()
    # a word that begins before the offset is found as a whole
    inside = 0
    if offset and words and not wanted[offset - 1].isspace():
        inside = len(words.pop())
    at = _behind(written, words, at)
    rest = wanted[len(wanted[:offset].rstrip()) - inside if inside else offset :].split()
    found = written.find(rest[0], at) if rest else at
    at = (found if found >= 0 else at) + inside
    return text.line + written.count("\n", 0, at), at - written.rfind("\n", 0, at)


def _behind(written: str, words: list[str], at: int) -> int:
    """The place behind ``words``, which follow each other from ``at`` on."""
    for word in words:
        found = written.find(word, at)
        at = found + len(word) if found >= 0 else at
    return at


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
