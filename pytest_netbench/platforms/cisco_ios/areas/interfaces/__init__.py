"""Interfaces: names, addresses, state, and their kernel links."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas.interfaces import arp, six
from pytest_netbench.platforms.cisco_ios.areas.interfaces.compile import compile_interfaces
from pytest_netbench.platforms.cisco_ios.areas.interfaces.grammar import COMMANDS, MODES
from pytest_netbench.platforms.cisco_ios.areas.interfaces.shows import SHOWS
from pytest_netbench.platforms.cisco_ios.grammar.command import Area

AREA = Area(
    name="interfaces",
    modes=MODES,
    commands=(*COMMANDS, *SHOWS, *arp.SHOWS, *six.SHOWS),
    compile=compile_interfaces,
    help={
        "interface": "Select an interface to configure",
        "ipv6": "IPv6 interface subcommands",
        "description": "Interface specific description",
    },
    scope=(
        ("addresses, secondary, unnumbered, loopbacks", "yes"),
        ("IPv6 addresses, EUI-64, one link-local address per interface, router advertisements", "yes"),
        ("bandwidth, delay, mtu, mac-address, TCP MSS", "yes"),
        ("duplex, speed, clock rate, PPP", "accepted, without effect"),
        (
            "show interfaces, ip interface, arp and their IPv6 counterparts",
            "yes; rates are not averaged, ages of ARP entries are 0",
        ),
    ),
)
