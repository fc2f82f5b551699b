"""CDP and LLDP neighbours, computed from the topology, the links and the configs of both ends."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas.neighbours.grammar import COMMANDS
from pytest_netbench.platforms.cisco_ios.areas.neighbours.shows import SHOWS
from pytest_netbench.platforms.cisco_ios.grammar.command import Area

AREA = Area(
    name="neighbours",
    commands=(*COMMANDS, *SHOWS),
    help={"cdp": "Global CDP configuration subcommands", "lldp": "Global LLDP configuration subcommands"},
    scope=(("CDP and LLDP neighbours", "computed from topology, link state and both configs; nothing is sent"),),
)
