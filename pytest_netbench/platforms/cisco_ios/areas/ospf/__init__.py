"""OSPF for IPv4."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas.ospf.compile import compile_ospf
from pytest_netbench.platforms.cisco_ios.areas.ospf.exec import SHOWS
from pytest_netbench.platforms.cisco_ios.areas.ospf.grammar import COMMANDS, MODES
from pytest_netbench.platforms.cisco_ios.grammar.command import Area

AREA = Area(
    name="ospf",
    modes=MODES,
    commands=(*COMMANDS, *SHOWS),
    compile=compile_ospf,
    help={"ospf": "OSPF interface commands", "area": "OSPF area parameters", "router": "Enable a routing process"},
    scope=(
        ("OSPFv2: networks, areas, costs, network types, timers, passive interfaces, router ID, distances", "yes"),
        ("OSPFv2: stub, totally stubby and NSSA areas, ranges, filter lists, virtual links, authentication", "yes"),
        ("OSPFv2: redistribution, summary-address, default-information originate, max-metric", "yes"),
        ("OSPFv2: several processes in one VRF", "refused: FRR would need a daemon for each"),
        ("OSPFv2: default-information-originate of an NSSA", "with FRR 9 and later, else refused"),
    ),
)
