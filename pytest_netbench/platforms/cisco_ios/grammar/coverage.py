"""The coverage page of this IOS, generated from the grammar."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pytest_netbench.platforms.cisco_ios.grammar.command import Area, Command, ParsedCommand
from pytest_netbench.platforms.cisco_ios.grammar.grammar import Grammar
from pytest_netbench.platforms.cisco_ios.grammar.types import BASIC

_HEAD = """# IOS commands

This page lists the commands that the `cisco_ios` platform supports. It is generated from the grammar (`netbench
commands` prints it; a test compares it with this page). Other commands are refused with the device's own error. `*`
marks commands that are accepted without effect; the reason is below the table. See
[how it works](../explanation/ios.md).

Words may be abbreviated. `<1-255>` is a number, `A.B.C.D` an address, `WORD` a word, `LINE` the rest of the line. `[ ]`
is optional, `( | )` is one of several, `< | >` each at most once in any order, `+` once or more. Every command of a
configuration mode has a `no` and a `default` form.
"""


def page(grammar: Grammar) -> str:
    """Return the whole page in Markdown."""
    parts = [_HEAD, "## Areas\n", *_areas(grammar.areas)]
    for area in grammar.areas:
        known = [one for one in grammar.commands() if one.area is area]
        parts += [f"\n## {area.name.capitalize()}\n", *_modes(grammar, known)]
    return "\n".join(parts).rstrip("\n") + "\n"


def _areas(areas: Iterable[Area]) -> Iterator[str]:
    yield "| area | feature | support |"
    yield "|---|---|---|"
    for area in areas:
        for feature, how_far in area.scope:
            yield f"| {area.name} | {_cell(feature)} | {_cell(how_far)} |"


def _modes(grammar: Grammar, known: list[ParsedCommand]) -> Iterator[str]:
    by_mode: dict[tuple[str, ...], list[Command]] = {}
    for one in known:
        by_mode.setdefault(one.command.modes, []).append(one.command)
    types = {name: kind.shown for one in known for name, kind in one.area.types.items()}
    for modes, commands in by_mode.items():
        shown = ", ".join(grammar.mode(mode).help or mode for mode in modes)
        yield f"**{shown}**\n"
        yield "```text"
        yield from dict.fromkeys(f"{readable(one.pattern, types)}{'  *' if one.marked else ''}" for one in commands)
        yield "```\n"
        reasons = dict.fromkeys(one.marked for one in commands if one.marked)
        if reasons:
            yield f"\\* {'; '.join(str(reason) for reason in reasons)}.\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def readable(pattern: str, types: dict[str, str]) -> str:
    """Return a pattern with its arguments as ``?`` shows them."""
    shown = {**{name: kind.shown for name, kind in BASIC.items()}, **types}

    def one(found: re.Match[str]) -> str:
        kind = found["type"]
        return shown.get(kind, f"<{kind}>")

    return " ".join(re.sub(r"\{\w+!?:(?P<type>[\w-]+)\}", one, pattern).replace("^", "").split())
