"""CDP and LLDP: who is at the other end of each cable. Computed from the topology, the links and both ends' configs."""

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
