"""BGP: neighbors and peer groups, address families, advertised networks, show commands."""

from __future__ import annotations

import re
from collections.abc import Mapping
from ipaddress import ip_address

from pytest_netbench.platforms.cisco_ios.areas.bgp import grammar, shows
from pytest_netbench.platforms.cisco_ios.areas.bgp.compile import compile_bgp
from pytest_netbench.platforms.cisco_ios.areas.policy import communities
from pytest_netbench.platforms.cisco_ios.grammar.command import Area
from pytest_netbench.platforms.cisco_ios.grammar.types import ArgType, matching, one


def _address(text: str) -> str | None:
    if "%" in text:
        return None
    found = ip_address(text)
    return str(found).upper() if found.version == 6 else str(found)


def _group(text: str) -> str | None:
    """Read a peer group name: any word that cannot be an address."""
    if ":" in text or re.fullmatch(r"[\d.]+", text) or text.lower() in {"?", "|"}:
        return None
    return text


def _peer(text: str) -> str | None:
    return _group(text) or _address(text)


def _cluster(text: str) -> str | None:
    return str(int(text)) if text.isdigit() and 0 < int(text) < 2**32 else _address(text) if ":" not in text else None


TYPES: Mapping[str, ArgType] = {
    "peer": one("A.B.C.D|X:X:X:X::X|WORD", _peer, "Neighbor address or tag"),
    "address": one("A.B.C.D|X:X:X:X::X", _address, "Neighbor address"),
    "groupname": one("WORD", _group, "Neighbor tag"),
    "commword": one("<1-4294967295>|aa:nn|WORD", communities.read, "community number"),
    "way": matching("in|out", "in|out"),
    "clusterid": one("<1-4294967295>|A.B.C.D", _cluster, "Route-Reflector Cluster-id"),
    "passwordkind": matching("<0-7>", "[07]"),
}


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
