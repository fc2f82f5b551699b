"""DHCP: pools, relay and client addresses, run by the services ``dhcp`` and ``dhcp_client``."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas.dhcp import shows
from pytest_netbench.platforms.cisco_ios.areas.dhcp.compile import compile_dhcp
from pytest_netbench.platforms.cisco_ios.areas.dhcp.grammar import COMMANDS, MODES, TYPES
from pytest_netbench.platforms.cisco_ios.grammar.command import Area

AREA = Area(
    name="dhcp",
    commands=(*COMMANDS, *shows.COMMANDS),
    modes=MODES,
    types=TYPES,
    compile=compile_dhcp,
    help={"dhcp": "Configure DHCP server and relay parameters"},
    scope=(
        ("DHCP server", "pools, hosts, exclusions, options, conflicts by ping; leases run in lab time"),
        ("DHCP relay", "ip helper-address relays only DHCP"),
        ("DHCP client", "ip address dhcp, with the default route at distance 254"),
    ),
)
