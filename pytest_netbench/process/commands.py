"""Whether a command of an agent shows what another command would have shown. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

_JOINTS: Final = re.compile(r"\s*(?:;|&&|\|\||\n)\s*")
_PLAIN: Final = frozenset({"show", "list", "ls", "dev", "sh"})
"""Words of ``ip`` that change nothing of what it prints."""
_SAME_FORM: Final = frozenset({"-4", "-d", "-c=never", "-color=never"})
_LEAST: Final = 2
"""Letters of an abbreviation; ``ip`` has shorter ones."""
Expand = Callable[[str], str]
"""Gives the full name of an interface; other words as they are."""


@dataclass(frozen=True, kw_only=True)
class Part:
    """One command of a line.

    Attributes:
        words: Its words, with the full names of interfaces.
        is_filtered: Whether its output goes through another program.
        is_alone: Whether the line has no other command.
    """

    words: tuple[str, ...]
    is_filtered: bool
    is_alone: bool


def parts_of(line: str, expand: Expand) -> Iterator[Part]:
    """Return the commands of a line, without what reads their output."""
    lines = [one for one in _JOINTS.split(line.strip()) if one]
    for one in lines:
        first, bar, _ = one.partition("|")
        words = tuple(expand(word) for word in first.replace("2>&1", "").replace("2>/dev/null", "").split())
        yield Part(words=_reduced(words), is_filtered=bool(bar), is_alone=len(lines) == 1)


def is_same(asked: Sequence[str], wanted: Sequence[str]) -> bool:
    """Whether words of a command ask for the same as others, with abbreviations."""
    return len(asked) == len(wanted) and _begins(asked, wanted)


def is_wider(asked: Sequence[str], wanted: Sequence[str]) -> bool:
    """Whether a command asks for all things of a kind, and the other one for one of them, which it names last."""
    if len(asked) < 2 and list(asked) != ["ip"]:
        return False
    return len(asked) == len(wanted) - 1 and _begins(asked, wanted)


def about(text: str, name: str) -> Iterator[str]:
    """Return what an output says of a thing: the blocks whose first line names it. A line with no indent begins one."""
    named = re.compile(rf"(?<![\w./:-]){re.escape(name)}(?![\w/-]|\.\d)")
    block: list[str] = []
    for line in [*text.splitlines(), ""]:
        if not line.startswith((" ", "\t")):
            if block and named.search(block[0]):
                yield "\n".join(block) + "\n"
            block = []
        block.append(line)


def _begins(asked: Sequence[str], wanted: Sequence[str]) -> bool:
    short = 1 if wanted and wanted[0] == "ip" else _LEAST
    return all(_abbreviates(one, other, short) for one, other in zip(asked, wanted, strict=False))


def _abbreviates(word: str, full: str, least: int) -> bool:
    if word == full:
        return True
    if any(one.isdigit() for one in word + full):
        return False
    shorter, longer = sorted((word, full), key=len)
    return len(shorter) >= least and longer.startswith(shorter)


def _reduced(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words without those that make no difference; of ``ip`` there are many."""
    if not words or words[0] != "ip":
        return words
    kept = [word for word in words[1:] if word not in _SAME_FORM]
    options = [word for word in kept if word.startswith("-")]
    rest = [word for word in kept if not word.startswith("-")]
    rest = rest[:1] + [word for word in rest[1:] if word not in _PLAIN and not (word == "s" and len(word) == 1)]
    return ("ip", *options, *rest)
