"""IP SLA operations, tracked objects and the static routes that depend on them, run by the service ``sla``."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas.sla import shows
from pytest_netbench.platforms.cisco_ios.areas.sla.compile import compile_sla
from pytest_netbench.platforms.cisco_ios.areas.sla.grammar import COMMANDS, MODES, TYPES
from pytest_netbench.platforms.cisco_ios.grammar.command import Area

AREA = Area(
    name="ip sla and tracking",
    commands=(*COMMANDS, *shows.COMMANDS),
    modes=MODES,
    types=TYPES,
    compile=compile_sla,
    scope=(
        ("IP SLA", "icmp-echo with real packets; times are lab time, the round trip is wall time"),
        ("track", "IP SLA, interface, route, boolean lists, delays; static routes, HSRP and VRRP follow"),
    ),
)
