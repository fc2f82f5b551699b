"""Patterns of commands, and what an entered line may mean. Pure: knows no device."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final

_WILD: Final = re.compile(r"[*?\[]")
_BETWEEN: Final = re.compile(r"[;|&\n(){}`]")
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*=")
_BEFORE: Final = frozenset(
    [
        *("!", "builtin", "busybox", "command", "do", "doas", "elif", "else", "env", "exec", "if", "nice", "nohup"),
        *("setsid", "sudo", "then", "time", "until", "while", "xargs"),
    ]
)


@dataclass(frozen=True, kw_only=True)
class Meaning:
    """One command that a line may be.

    Attributes:
        words: In lower case.
        exact: Whether no word is abbreviated.
    """

    words: tuple[str, ...]
    exact: bool

    @classmethod
    def of(cls, text: str, *, exact: bool) -> Meaning:
        return cls(words=tuple(text.lower().split()), exact=exact)

    @property
    def text(self) -> str:
        """The command."""
        return " ".join(self.words)

    def is_allowed_by(self, pattern: str) -> bool:
        """Whether its first words are those of ``pattern``, written out."""
        return self._fits(pattern, abbreviated=False)

    def is_denied_by(self, pattern: str) -> bool:
        """Whether its first words are those of ``pattern``, or may be, if words may be abbreviated."""
        return self._fits(pattern, abbreviated=not self.exact)

    def _fits(self, pattern: str, *, abbreviated: bool) -> bool:
        wanted = pattern.lower().split()
        return len(self.words) >= len(wanted) and all(
            fnmatchcase(word, one) or (abbreviated and _WILD.split(one)[0].startswith(word))
            for word, one in zip(self.words, wanted, strict=False)
        )


def of_shell(line: str) -> list[Meaning]:
    """The simple commands of a shell's line, as far as one sees them from outside.

    Each is there with its options and without them. Programs such as ``ip`` take abbreviations.
    """
    found = []
    for simple in _BETWEEN.split(line):
        words = _words(simple)
        while words and (words[0] in _BEFORE or _ASSIGNMENT.match(words[0]) or words[0].startswith(("-", "$"))):
            words = words[1:]
        if words:
            name = words[0].rpartition("/")[2]
            plain = [word for word in words[1:] if not word.startswith("-")]
            found += [Meaning.of(" ".join([name, *rest]), exact=False) for rest in (words[1:], plain)]
    return list(dict.fromkeys(found))


def of_device(line: str, readings: Sequence[str]) -> list[Meaning]:
    """What a device's line means: its readings, or the line as it is if there are none."""
    if readings:
        return [Meaning.of(text, exact=True) for text in readings]
    words = line.split()
    if words[:1] and words[0].lower() in {"do", "do-exec"}:
        words = words[1:]
    return [Meaning.of(" ".join(words), exact=False)] if words else []


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text, comments=True)
    except ValueError:
        return text.split()
