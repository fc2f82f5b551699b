"""The text of a running config."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.config.order import rank
from pytest_netbench.platforms.cisco_ios.config.tree import Entry, Section

_TOGETHER = frozenset({"line", "access-list", "ip access-list standard", "ip access-list extended", "zone security"})
"""Sections without a "!" between them."""

_AS_ONE = ("service timestamps log", "service timestamps debug")
"""Lines with places of their own, and no "!" between them."""


def render(config: Section) -> str:
    """Return the config as ``show running-config`` prints it below its head, including ``end``."""
    lines: list[str] = []
    before: tuple[int, bool] | None = None
    last = ""
    for entry in config:
        block = bool(entry.children is not None)
        group = (rank(config.mode, entry.text.replace(*_AS_ONE)), block)
        together = (
            entry.name in _TOGETHER
            and before is not None
            and group[1] == before[1]
            and lines[-1] != "!"
            and last == entry.name
        )
        if before is not None and (group != before or block) and not together and lines[-1] != "!":
            lines.append("!")
        lines += lines_of(entry)
        before, last = group, entry.name
    return "\n".join(["!", *lines, "!", "end", ""]) if lines else "!\nend\n"


def lines_of(entry: Entry, depth: int = 0) -> list[str]:
    """Return the lines of an entry and of its section."""
    if entry.match.command.render is not None:
        return [" " * depth + line for line in entry.match.command.render(entry)]
    lines = [" " * depth + line for line in entry.text.split("\n")[:1]] + entry.text.split("\n")[1:]
    for child in entry.body:
        if child.name == "address-family":
            lines.append(" " * (depth + 1) + "!")
        lines += lines_of(child, depth + 1)
    if entry.name == "address-family":
        lines.append(" " * depth + "exit-address-family")
    return lines
