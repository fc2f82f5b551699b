"""Unicast reverse path forwarding: drop packets whose source is not routed through their incoming interface."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas.urpf.compile import compile_urpf
from pytest_netbench.platforms.cisco_ios.areas.urpf.grammar import COMMANDS, TYPES
from pytest_netbench.platforms.cisco_ios.grammar.command import Area

AREA = Area(
    name="urpf",
    types=TYPES,
    commands=COMMANDS,
    compile=compile_urpf,
    help={
        "rx": "Source is reachable via interface on which packet was received",
        "any": "Source is reachable via any interface",
        "allow-default": "Allow default route to match when checking source address",
    },
    scope=(("ip verify unicast source reachable-via rx, any, allow-default, with an access list", "yes"),),
)
