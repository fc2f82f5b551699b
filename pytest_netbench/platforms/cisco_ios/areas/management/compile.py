"""Compile the lines of the area ``management``."""

from __future__ import annotations

from pytest_netbench.dialects.cisco_ios import interfaces
from pytest_netbench.platforms.cisco_ios.areas.management.grammar import PORTS
from pytest_netbench.platforms.cisco_ios.compile.context import Context
from pytest_netbench.platforms.cisco_ios.compile.state import CONTROL, merged


def compile_management(context: Context) -> None:
    """Compile management-plane protection: if an interface is named, its protocols are accepted only there."""
    for _, body in context.config.sections("control-plane host"):
        allowed: dict[str, list[str]] = {}
        for entry in body.all("management-interface allow"):
            for word in entry.many("protocol"):
                allowed.setdefault(word, []).append(interfaces.kernel_name(entry["interface"]))
        if not allowed:
            continue
        for word, conditions in PORTS.items():
            for condition in conditions:
                names = [*allowed.get(word, []), "lo"]
                context.state.nft.rule(CONTROL, f"iifname != {merged(names)} {condition} drop")
