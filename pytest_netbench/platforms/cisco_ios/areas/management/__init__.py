"""Management: users, lines, banners, logging, NTP, SNMP, AAA and management-plane protection."""

from __future__ import annotations

from pytest_netbench.dialects.cisco_ios import interfaces
from pytest_netbench.platforms.cisco_ios.areas.management.grammar import COMMANDS, MODES, PORTS, TYPES
from pytest_netbench.platforms.cisco_ios.compile.context import Context
from pytest_netbench.platforms.cisco_ios.compile.state import CONTROL, merged
from pytest_netbench.platforms.cisco_ios.grammar.command import Area


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
