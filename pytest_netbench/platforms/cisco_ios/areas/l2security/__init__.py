"""Layer-2 security: port security, DHCP snooping, ARP inspection."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas.l2security.grammar import COMMANDS, MODES
from pytest_netbench.platforms.cisco_ios.areas.l2security.shows import SHOWS, _observe
from pytest_netbench.platforms.cisco_ios.grammar.command import Area

AREA = Area(
    name="l2security",
    modes=MODES,
    observe=_observe,
    commands=(*COMMANDS, *SHOWS),
    help={
        "port-security": "Security related command",
        "snooping": "DHCP Snooping",
        "inspection": "Arp Inspection configuration",
    },
    scope=(
        ("port security: maximum, configured and sticky addresses, protect, restrict, shutdown, aging by time", "yes"),
        (
            "DHCP snooping: trusted ports, binding table, hardware address check",
            "yes, without option 82 and rate limits",
        ),
        (
            "ARP inspection: against bindings and access lists, validation",
            "yes, with ARP access lists, without rate limits",
        ),
        ("IP source guard", "accepted without effect"),
    ),
)
