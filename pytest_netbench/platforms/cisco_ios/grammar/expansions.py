"""What a typed line stands for, without a session: its full forms in all modes."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.grammar.command import Match
from pytest_netbench.platforms.cisco_ios.grammar.grammar import EXEC, Grammar


def readings(grammar: Grammar, role: str, line: str) -> tuple[str, ...]:
    """The full forms of ``line``, each once.

    ``no`` stays in front. A line with ``default`` is also there as ``no``, since it removes what was configured.

    Args:
        grammar: The grammar.
        role: The node's role.
        line: As typed, with ``do`` or without it.
    """
    words = line.split()
    if not words:
        return ()
    first = words[0].lower()
    if first in {"do", "do-exec"}:
        return tuple(dict.fromkeys(_in_exec(grammar, role, line, skip=1)))
    found = _in_exec(grammar, role, line, skip=0)
    if first == "no":
        found += [f"no {text}" for text in _in_modes(grammar, role, line, skip=1)]
    else:
        found += _in_modes(grammar, role, line, skip=0)
    if len(first) > 2 and "default".startswith(first):
        found += [f"{word} {text}" for text in _in_modes(grammar, role, line, skip=1) for word in ("default", "no")]
    return tuple(dict.fromkeys(found))


def _in_exec(grammar: Grammar, role: str, line: str, *, skip: int) -> list[str]:
    match = grammar.reader(EXEC, role).read(line.partition("|")[0], skip=skip)
    return [match.text] if isinstance(match, Match) else []


def _in_modes(grammar: Grammar, role: str, line: str, *, skip: int) -> list[str]:
    matches = (
        grammar.reader(mode, role).read(line, skip=skip, partial=bool(skip)) for mode in grammar.modes if mode != EXEC
    )
    return [match.text for match in matches if isinstance(match, Match)]
