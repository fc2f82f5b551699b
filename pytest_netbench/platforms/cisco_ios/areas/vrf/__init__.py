"""VRFs: names, interfaces, static routes. Each VRF is a network namespace inside the node (``apply/vrf.py``)."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas.vrf.compile import compile_vrf
from pytest_netbench.platforms.cisco_ios.areas.vrf.grammar import COMMANDS, MODES, TYPES
from pytest_netbench.platforms.cisco_ios.areas.vrf.shows import SHOWS
from pytest_netbench.platforms.cisco_ios.grammar.command import Area

AREA = Area(
    name="vrf",
    modes=MODES,
    types=TYPES,
    commands=(*COMMANDS, *SHOWS),
    compile=compile_vrf,
    help={"vrf": "VPN Routing/Forwarding parameters"},
    scope=(
        ("ip vrf, vrf definition, forwarding on interfaces, static routes, OSPF and BGP in a VRF", "yes"),
        ("route-target", "accepted, without effect: VRFs are isolated"),
    ),
)
