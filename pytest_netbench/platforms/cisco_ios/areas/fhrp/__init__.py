"""First-hop redundancy: HSRP and VRRP groups of interfaces, run by the service ``fhrp``."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas.fhrp import shows
from pytest_netbench.platforms.cisco_ios.areas.fhrp.compile import compile_fhrp
from pytest_netbench.platforms.cisco_ios.areas.fhrp.grammar import COMMANDS
from pytest_netbench.platforms.cisco_ios.grammar.command import Area

AREA = Area(
    name="first-hop redundancy",
    commands=(*COMMANDS, *shows.COMMANDS),
    types=shows.TYPES,
    compile=compile_fhrp,
    help={"standby": "HSRP interface configuration commands", "vrrp": "VRRP Interface configuration commands"},
    scope=(
        (
            "HSRP",
            (
                "versions 1 and 2, IPv4: priority, preemption, timers, text and MD5 key string, tracking; on the wire"
                " as RFC 2281"
            ),
        ),
        (
            "VRRP",
            "version 2, IPv4: priority, preemption, timers, text authentication, tracking; on the wire as RFC 3768",
        ),
    ),
)
