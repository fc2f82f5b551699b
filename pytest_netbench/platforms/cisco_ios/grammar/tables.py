"""Tables of commands, as areas write them.

A row is a pattern, a pattern with the help text of ``?``, or a command with further fields::

    COMMANDS = table(
        "ipv6 nd managed-config-flag",
        ("bandwidth {kbit:1-10000000}", "Set bandwidth informational parameter"),
        setting("ip redirects", "Enable sending ICMP Redirect messages", on=True),
        mode="if",
    )
    SHOWS = (show("ip arp", _arp, "IP ARP table"), action("clear arp-cache", _clear))
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeAlias, TypedDict, Unpack

from pytest_netbench.platforms.cisco_ios.grammar.command import Command, Edits, Renders, Runs

Row: TypeAlias = str | tuple[str, str] | Command


class Fields(TypedDict, total=False):
    """Fields of ``Command``."""

    mode: str | tuple[str, ...]
    name: str
    opens: str | None
    keeps_no: bool
    edit: Edits | None
    check: Edits | None
    render: Renders | None
    marked: str | None
    roles: tuple[str, ...]


def table(*rows: Row, **common: Unpack[Fields]) -> tuple[Command, ...]:
    """Return the commands of a table. All of them get the fields ``common``."""
    return tuple(replace(_command(row), **common) for row in rows)


def _command(row: Row) -> Command:
    if isinstance(row, Command):
        return row
    return setting(row) if isinstance(row, str) else setting(*row)


def setting(
    pattern: str, help: str = "", *, on: bool = False, default: str | tuple[str, ...] = (), **fields: Unpack[Fields]
) -> Command:
    """Return a command of a config mode.

    Args:
        pattern: See ``grammar/pattern.py``.
        help: The help text of ``?`` for its distinctive word.
        on: Whether the line, which has no arguments, applies by default: only its ``no`` form is stored.
        default: The default values as in ``Command``, or the only one.
        fields: Other fields of ``Command``.
    """
    if on:
        fields["keeps_no"], default = True, pattern
    return Command(pattern=pattern, help=help, default=(default,) if isinstance(default, str) else default, **fields)


def show(pattern: str, run: Runs, help: str = "", *, user: bool = True, roles: tuple[str, ...] = ()) -> Command:
    """Return the command ``show PATTERN``, which user exec mode also has unless ``user`` is false."""
    return Command(pattern=f"show {pattern}", mode="exec", run=run, help=help, user=user, roles=roles)


def action(
    pattern: str,
    run: Runs,
    help: str = "",
    *,
    changes: bool = True,
    user: bool = False,
    roles: tuple[str, ...] = (),
) -> Command:
    """Return another command of exec mode; one that changes the device unless ``changes`` is false."""
    return Command(pattern=pattern, mode="exec", run=run, help=help, changes=changes, user=user, roles=roles)
