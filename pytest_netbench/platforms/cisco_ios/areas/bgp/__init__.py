"""BGP: neighbors and peer groups, address families, advertised networks, show commands."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas.bgp import grammar, shows
from pytest_netbench.platforms.cisco_ios.areas.bgp.compile import compile_bgp
from pytest_netbench.platforms.cisco_ios.areas.bgp.types import TYPES
from pytest_netbench.platforms.cisco_ios.grammar.command import Area

AREA = Area(
    name="bgp",
    modes=grammar.MODES,
    types=TYPES,
    commands=(*grammar.COMMANDS, *shows.COMMANDS),
    compile=compile_bgp,
    help={
        "neighbor": "Specify a neighbor router",
        "remote-as": "Specify a BGP neighbor",
        "update-source": "Source of routing updates",
        "ebgp-multihop": "Allow EBGP neighbors not on directly connected networks",
        "next-hop-self": "Disable the next hop calculation for this neighbor",
        "route-reflector-client": "Configure a neighbor as Route Reflector client",
        "activate": "Enable the Address Family for this Neighbor",
        "address-family": "Enter Address Family command mode",
        "bgp": "BGP specific commands",
        "redistribute": "Redistribute information from another routing protocol",
    },
    scope=(
        (
            (
                "neighbors, peer groups, passwords, timers, multihop, TTL security, local-as, route reflectors,"
                " confederations"
            ),
            "yes",
        ),
        ("address families ipv4 and ipv6 unicast, ipv4 in a VRF; activate; no bgp default ipv4-unicast", "yes"),
        (
            (
                "network, auto-summary, aggregate-address, redistribute, default-originate, maximum-paths, distance,"
                " dampening"
            ),
            "yes; NSSA-external OSPF routes count as external ones",
        ),
        (
            "route-map, prefix-list, filter-list, distribute-list, communities, weight, allowas-in, maximum-prefix",
            "yes; changed policies apply immediately, without a clear",
        ),
        ("dynamic neighbors, templates, multicast and VPN families", "no"),
    ),
)
