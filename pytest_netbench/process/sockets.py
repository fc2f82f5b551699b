"""Whether a command lists the sockets that listen, as another one does. Pure."""

from __future__ import annotations

from collections.abc import Sequence

_PROGRAMS = ("ss", "netstat")
_LISTENING = frozenset("ln")
_PROTOCOLS = frozenset("tu")


def is_wider(asked: Sequence[str], wanted: Sequence[str], *, whole: bool) -> bool:
    """Whether a command lists at least the listening sockets that ``wanted`` lists, with numbers.

    Args:
        asked: Words of a command.
        wanted: Words of ``ss -Hlntu``, say.
        whole: Whether TCP and UDP must both be listed.
    """
    if list(wanted[:1]) != ["ss"] or "l" not in _flags(wanted) or not set(asked[:1]) & set(_PROGRAMS):
        return False
    flags, rest = _flags(asked), [word for word in asked[1:] if not word.startswith("-")]
    return flags >= _LISTENING and not rest and (not whole or flags >= _PROTOCOLS)


def _flags(words: Sequence[str]) -> frozenset[str]:
    return frozenset(letter for word in words if word.startswith("-") and word[1:2] != "-" for letter in word[1:])
