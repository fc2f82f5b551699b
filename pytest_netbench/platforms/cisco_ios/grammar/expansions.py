"""What a typed line stands for, without a session: its full forms in all modes."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.grammar.book import EXEC, Book
from pytest_netbench.platforms.cisco_ios.grammar.command import Match


def readings(book: Book, role: str, line: str) -> tuple[str, ...]:
    """The full forms of ``line``, each once.

    ``no`` stays in front. A line with ``default`` is also there as ``no``, since it removes what was configured.

    Args:
        book: The grammar.
        role: The node's role.
        line: As typed, with ``do`` or without it.
    """
    words = line.split()
    if not words:
        return ()
    first = words[0].lower()
    if first in {"do", "do-exec"}:
        return tuple(dict.fromkeys(_in_exec(book, role, line, skip=1)))
    found = _in_exec(book, role, line, skip=0)
    if first == "no":
        found += [f"no {text}" for text in _in_modes(book, role, line, skip=1)]
    else:
        found += _in_modes(book, role, line, skip=0)
    if len(first) > 2 and "default".startswith(first):
        found += [f"{word} {text}" for text in _in_modes(book, role, line, skip=1) for word in ("default", "no")]
    return tuple(dict.fromkeys(found))


def _in_exec(book: Book, role: str, line: str, *, skip: int) -> list[str]:
    match = book.reader(EXEC, role).read(line.partition("|")[0], skip=skip)
    return [match.text] if isinstance(match, Match) else []


def _in_modes(book: Book, role: str, line: str, *, skip: int) -> list[str]:
    matches = (book.reader(mode, role).read(line, skip=skip, partial=bool(skip)) for mode in book.modes if mode != EXEC)
    return [match.text for match in matches if isinstance(match, Match)]
