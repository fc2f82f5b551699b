"""``show ip policy``."""

from __future__ import annotations

from pytest_netbench.dialects.cisco_ios import interfaces
from pytest_netbench.platforms.cisco_ios.device.exec import Exec
from pytest_netbench.platforms.cisco_ios.grammar.command import Match


def show_policy(at: Exec, _match: Match) -> str:
    """Show the route map of each interface with policy routing."""
    rows = []
    local = at.config.get("ip local policy route-map")
    if local is not None:
        rows.append(("local", local["map"]))
    for one in at.device.context().interfaces:
        entry = one.section.get("ip policy route-map")
        if entry is not None:
            rows.append((interfaces.parse(one.name).short, entry["map"]))
    lines = [f"{'Interface':<14} Route map", *(f"{name:<14} {used}" for name, used in rows)]
    return "\n".join([*lines, ""])
