"""Lines of a switch: commands in the words of bmv2's command line, and one form of what they set. Pure.

Entries have no handles here: a command names an entry by its match key.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pytest_netbench.dialects.p4.values import canonical

ARROW: Final = "=>"


@dataclass(frozen=True, kw_only=True)
class Line:
    """A command.

    Attributes:
        verb: Its first word, e.g. ``table_add``.
        name: The table, counter, register or program that it is about.
        action: The action of an entry or a default.
        match: The match key, a text for each field.
        parameters: What the action takes, and the priority of an entry behind it; or index and value of a register.
    """

    verb: str
    name: str
    action: str = ""
    match: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()


def _entry(verb: str, words: Sequence[str]) -> Line:
    if ARROW not in words:
        raise ValueError(f"{ARROW} is missing")
    at = list(words).index(ARROW)
    if at < 3:
        raise ValueError("the match key is missing")
    return Line(verb=verb, name=words[0], action=words[1], match=tuple(words[2:at]), parameters=tuple(words[at + 1 :]))


def _deletion(verb: str, words: Sequence[str]) -> Line:
    if len(words) < 2:
        raise ValueError("the match key is missing")
    return Line(verb=verb, name=words[0], match=tuple(words[1:]))


def _default(verb: str, words: Sequence[str]) -> Line:
    if len(words) < 2:
        raise ValueError("the action is missing")
    return Line(verb=verb, name=words[0], action=words[1], parameters=tuple(w for w in words[2:] if w != ARROW))


def _named(verb: str, words: Sequence[str]) -> Line:
    if len(words) != 1:
        raise ValueError("one name is expected")
    return Line(verb=verb, name=words[0])


def _register(verb: str, words: Sequence[str]) -> Line:
    if len(words) != 3:
        raise ValueError("a register, an index and a value are expected")
    return Line(verb=verb, name=words[0], parameters=tuple(words[1:]))


USAGES: Final[Mapping[str, str]] = {
    "program": "program NAME",
    "table_add": "table_add TABLE ACTION MATCH... => [PARAMETER...] [PRIORITY]",
    "table_modify": "table_modify TABLE ACTION MATCH... => [PARAMETER...] [PRIORITY]",
    "table_delete": "table_delete TABLE MATCH... [PRIORITY]",
    "table_clear": "table_clear TABLE",
    "table_set_default": "table_set_default TABLE ACTION [PARAMETER...]",
    "table_reset_default": "table_reset_default TABLE",
    "register_write": "register_write REGISTER INDEX VALUE",
    "register_reset": "register_reset REGISTER",
    "counter_reset": "counter_reset COUNTER",
}
"""By the first word of a command: how it is written."""
_PARSERS: Final[Mapping[str, Callable[[str, Sequence[str]], Line]]] = {
    "table_add": _entry,
    "table_modify": _entry,
    "table_delete": _deletion,
    "table_set_default": _default,
    "register_write": _register,
}


def parse(text: str) -> Line:
    """Return the command in a line.

    Raises:
        ValueError: It is none; the text says what was expected.
    """
    verb, *words = text.replace(ARROW, f" {ARROW} ").split() or [""]
    if verb not in USAGES:
        raise ValueError(f"unknown command {verb!r} (known: {', '.join(USAGES)})")
    if not words:
        raise ValueError(f"a name is missing (usage: {USAGES[verb]})")
    try:
        return _PARSERS.get(verb, _named)(verb, words)
    except ValueError as error:
        raise ValueError(f"{error} (usage: {USAGES[verb]})") from None


def short(name: str) -> str:
    """Return a name of a program without the control block that it is declared in."""
    return name.rpartition(".")[2]


def key(line: Line) -> str:
    """Return what names an entry or a default in its canonical form, up to the arrow."""
    if line.match:
        return " ".join(["entry", short(line.name), *map(canonical, line.match), ARROW])
    return f"default {short(line.name)} {ARROW}"


def form(line: Line) -> str:
    """Return the canonical form of a line: equal for lines that set the same. Handles are not part of it."""
    if line.verb in {"table_add", "table_modify", "table_set_default"}:
        return " ".join([key(line), short(line.action), *map(canonical, line.parameters)])
    return " ".join([line.verb, short(line.name), *map(canonical, (*line.match, *line.parameters))])
