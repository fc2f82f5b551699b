"""Management: users, lines, banners, logging, NTP, SNMP, AAA and management-plane protection."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas.management.compile import compile_management
from pytest_netbench.platforms.cisco_ios.areas.management.grammar import COMMANDS, MODES, TYPES
from pytest_netbench.platforms.cisco_ios.grammar.command import Area

AREA = Area(
    name="management",
    modes=MODES,
    types=TYPES,
    commands=COMMANDS,
    factory=("no aaa new-model", "line con 0", "line aux 0", "line vty 0 4", " login", " transport input none"),
    compile=compile_management,
    scope=(
        ("users, enable secret, lines, banners, ip host", "yes"),
        ("management-plane protection", "yes"),
        ("NTP, SNMP, AAA methods", "accepted, without effect"),
    ),
)
