"""RIP for IPv4 and IPv6."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas.rip.compile import compile_rip, members, six_members
from pytest_netbench.platforms.cisco_ios.areas.rip.grammar import COMMANDS, MODES, TYPES
from pytest_netbench.platforms.cisco_ios.areas.rip.shows import SHOWS
from pytest_netbench.platforms.cisco_ios.grammar.command import Area

AREA = Area(
    name="rip",
    types=TYPES,
    modes=MODES,
    commands=(*COMMANDS, *SHOWS),
    compile=compile_rip,
    scope=(
        ("RIP: networks, versions, passive interfaces, neighbors, timers, redistribution, default route", "yes"),
        ("RIP: automatic summarization between the classful networks of a router's interfaces", "yes"),
        ("RIP: authentication by key chain, in text or MD5", "yes"),
        ("RIP: offset lists", "yes"),
        ("RIP: summary addresses", "refused"),
        ("RIP for IPv6: one process", "yes"),
    ),
)

__all__ = ["AREA", "members", "six_members"]
