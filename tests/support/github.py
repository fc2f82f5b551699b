"""Reads what a step prints as the runner of GitHub Actions does."""

from __future__ import annotations

import re
from dataclasses import dataclass

_DATA = (("%0D", "\r"), ("%0A", "\n"), ("%25", "%"))
_PROPERTY = (("%3A", ":"), ("%2C", ","), *_DATA)
_OLD = re.compile(r"##\[([^\]\s]+)[^\]]*\]")


@dataclass(frozen=True, kw_only=True)
class Command:
    """A command as the runner takes it."""

    name: str
    properties: dict[str, str]
    data: str


def commands(text: str) -> list[Command]:
    """Every command in ``text``."""
    return [command for line in text.splitlines() if (command := _command(line)) is not None]


def _command(line: str) -> Command | None:
    stripped = re.sub("^[\\s\u00ad\u200b-\u200f\ufeff]+", "", line)
    if stripped.startswith("::") and (end := stripped.find("::", 2)) >= 0:
        name, _, rest = stripped[2:end].partition(" ")
        pairs = [one.partition("=") for one in rest.split(",") if one]
        properties = {key.strip(): _unescaped(value, _PROPERTY) for key, _, value in pairs}
        # a real runner asks its list of commands; whatever could be a name counts here
        if re.fullmatch(r"[A-Za-z][\w-]*", name):
            return Command(name=name, properties=properties, data=_unescaped(stripped[end + 2 :], _DATA))
    if (old := _OLD.search(line)) is not None:
        return Command(name=old[1], properties={}, data=line[old.end() :])
    return None


def _unescaped(text: str, pairs: tuple[tuple[str, str], ...]) -> str:
    for escaped, plain in pairs:
        text = text.replace(escaped, plain)
    return text
