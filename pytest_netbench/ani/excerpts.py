"""Excerpts of running configurations: the sections that begin with some words, and pages. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil
from typing import Final

LINES_OF_A_PAGE: Final = 200


def section(text: str, words: str) -> str:
    """Return the lines that nothing indents and that begin with ``words``, each with the indented lines below it."""
    return "".join(_sections(text, words.lower().split()))


def _sections(text: str, words: list[str]) -> Iterator[str]:
    is_asked = False
    for line in text.splitlines(keepends=True):
        if not line[:1].isspace():
            is_asked = line.lower().split()[: len(words)] == words
        if is_asked:
            yield line


def pages(text: str) -> int:
    """Return how many pages a text has, at least one."""
    return max(1, ceil(len(text.splitlines()) / LINES_OF_A_PAGE))


def page(text: str, number: int) -> str:
    """Return a page of a text, counted from 1; empty behind the last one."""
    first = (number - 1) * LINES_OF_A_PAGE
    return "".join(text.splitlines(keepends=True)[first : first + LINES_OF_A_PAGE])
