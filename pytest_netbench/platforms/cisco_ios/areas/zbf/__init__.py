"""The zone-based firewall: zones, zone pairs, and policies that inspect, pass or drop packets between zones."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas.zbf import grammar, protocols, shows
from pytest_netbench.platforms.cisco_ios.areas.zbf.compile import compile_zones
from pytest_netbench.platforms.cisco_ios.grammar.command import Area

AREA = Area(
    name="zbf",
    modes=grammar.MODES,
    types=protocols.TYPES,
    commands=(*grammar.COMMANDS, *shows.COMMANDS),
    compile=compile_zones,
    help={
        "zone": "Security zone",
        "zone-member": "Apply zone name",
        "zone-pair": "Zone pair command",
        "inspect": "Configure CBAC inspection",
        "pass": "Pass the packet",
        "drop": "Drop the packet",
    },
    scope=(
        ("zone security, zone-member, zone-pair, including self", "yes"),
        ("class-map type inspect: access lists, protocols by port, other classes", "yes"),
        ("policy-map type inspect: inspect, pass, drop, with log", "yes"),
        ("parameter-map type inspect, police", "accepted, without effect"),
        ("application inspection, URL filtering", "no"),
    ),
)
