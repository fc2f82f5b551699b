"""OSPF for IPv6."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas.ospfv3.compile import compile_ospf
from pytest_netbench.platforms.cisco_ios.areas.ospfv3.grammar import COMMANDS, MODES
from pytest_netbench.platforms.cisco_ios.areas.ospfv3.shows import SHOWS
from pytest_netbench.platforms.cisco_ios.grammar.command import Area

AREA = Area(
    name="ospfv3",
    modes=MODES,
    commands=(*COMMANDS, *SHOWS),
    compile=compile_ospf,
    help={"ospfv3": "OSPFv3 interface commands", "address-family": "Enter Address Family command mode"},
    scope=(
        ("OSPFv3: areas, costs, timers, network types, passive interfaces, stub and NSSA areas, ranges", "yes"),
        ("OSPFv3: redistribution, summary-prefix, default-information originate, distances", "yes"),
        ("OSPFv3: host routes of loopbacks", "a loopback's prefix is advertised with its configured length"),
        (
            "OSPFv3: router ospfv3 with address-family ipv6, ospfv3 … on interfaces",
            "yes; the same process as ipv6 router ospf, one per device",
        ),
        ("OSPFv3: address-family ipv4, VRFs, virtual links, authentication and IPsec", "refused"),
    ),
)
