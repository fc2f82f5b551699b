"""Network address translation: static, dynamic and overloaded, with nftables and connection tracking."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas.nat import grammar, shows
from pytest_netbench.platforms.cisco_ios.areas.nat.compile import compile_nat
from pytest_netbench.platforms.cisco_ios.grammar.command import Area

AREA = Area(
    name="nat",
    types=grammar.TYPES,
    commands=(*grammar.COMMANDS, *shows.COMMANDS),
    compile=compile_nat,
    help={
        "inside": "Inside address translation",
        "outside": "Outside address translation",
        "nat": "NAT configuration commands",
        "source": "Source address translation",
        "static": "Specify static local->global mapping",
        "pool": "Define pool of addresses",
        "list": "Specify access list describing local addresses",
        "overload": "Overload an address translation",
        "translation": "NAT translation entry configuration",
    },
    scope=(
        (
            (
                "ip nat inside source: static, static with ports, static network, list or route-map with pool or"
                " interface, overload"
            ),
            "yes",
        ),
        (
            "ip nat inside source static … route-map",
            "yes, for lists and interfaces; outside hosts reach the global address whatever the map says",
        ),
        ("ip nat outside source static", "yes; also without a route to the local address"),
        ("ip nat inside destination with a rotary pool", "yes"),
        (
            "ip nat translation max-entries",
            "yes, for dynamic inside sources; connections from before the last change of NAT do not count",
        ),
        ("ip nat enable (NVI), outside pools, per-VRF translation", "no"),
    ),
)
