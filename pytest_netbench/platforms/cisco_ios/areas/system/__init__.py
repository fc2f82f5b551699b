"""The device itself: host name, version, services, navigation between modes, saving and loading the config."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas.system.compile import compile_system
from pytest_netbench.platforms.cisco_ios.areas.system.exec import EXEC
from pytest_netbench.platforms.cisco_ios.areas.system.grammar import COMMANDS, FACTORY, TYPES
from pytest_netbench.platforms.cisco_ios.areas.system.shows import SHOWS
from pytest_netbench.platforms.cisco_ios.grammar.command import Area

AREA = Area(
    name="system",
    types=TYPES,
    commands=(*COMMANDS, *EXEC, *SHOWS),
    factory=FACTORY,
    compile=compile_system,
    scope=(
        ("host name, saving, reload; do, no, default, ?, abbreviations, | include exclude begin section count", "yes"),
        ("show version, clock, logging, users, hosts, netbench unsupported", "yes"),
        ("debug", "no"),
    ),
    help={
        "show": "Show running system information",
        "ip": "Global IP configuration subcommands",
        "no": "Negate a command or set its defaults",
    },
)
