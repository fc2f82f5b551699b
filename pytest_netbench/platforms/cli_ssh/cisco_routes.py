"""Routes as IOS prints them for one prefix: its entry, or the lines of the table."""

from __future__ import annotations

import re
from dataclasses import replace
from ipaddress import IPv4Network, ip_network

from pytest_netbench.platforms.driver import Route

_ENTRY = re.compile(r"^Routing entry for (\S+?)(?:,|$)", re.MULTILINE)
_KNOWN = re.compile(r'Known via "(\w+)[^"]*", distance (\d+), metric (\d+)')
_BLOCK = re.compile(
    r"^ +(?:\* )?(?P<address>[0-9.]+)(?:, from [^,]+, [^,]+ ago)?(?:, via (?P<interface>\S+))?$", re.MULTILINE
)
_PATH6 = re.compile(r"^    (?P<address>[0-9A-F]*:[0-9A-F:.]*)(?:, (?P<interface>\S+))?$", re.MULTILINE)
_DIRECT = re.compile(r"directly connected(?:,)? via (\S+)")
_LINE = re.compile(
    r"^(?P<code>[A-Za-z])(?:[ *%+]|[A-Za-z][A-Za-z12])*(?P<prefix>\d+\.\d+\.\d+\.\d+/\d+)(?P<rest> .*)?$", re.MULTILINE
)
_HOP = re.compile(r"\[(\d+)/(\d+)\] via ([0-9.]+)(?:, [0-9][^,\s]*)?(?:, (\S+))?")
_TABLE_DIRECT = re.compile(r"is directly connected, (\S+)")
_NOWHERE = "Null0"
_DIRECT_DISTANCE = {"static": 1}
_IPV6_NAMES = {"ospf": "ospf6", "rip": "ripng"}
"""IOS calls them the same in both families of addresses; the names here are those of every platform."""
_CODES = {"C": "connected", "L": "local", "S": "static", "R": "rip", "B": "bgp", "D": "eigrp", "O": "ospf", "i": "isis"}


def request(prefix: str) -> str:
    """Return the command that shows the route to exactly ``prefix``."""
    network = ip_network(prefix, strict=False)
    if isinstance(network, IPv4Network):
        return f"show ip route {network.network_address} {network.netmask}"
    return f"show ipv6 route {network}"


def parse(text: str, prefix: str) -> list[Route]:
    """Return the routes to exactly ``prefix`` in what ``request(prefix)`` printed; empty if there is none."""
    network = ip_network(prefix, strict=False)
    entry = _ENTRY.search(text)
    if entry is None:
        return _of_table(text, prefix)
    known = _KNOWN.search(text)
    if ip_network(entry[1].lower()) != network or known is None:
        return []
    hops = list((_BLOCK if network.version == 4 else _PATH6).finditer(text, known.end()))
    direct = _DIRECT.findall(text)
    route = Route(
        prefix=prefix,
        protocol=known[1] if network.version == 4 else _IPV6_NAMES.get(known[1], known[1]),
        next_hops=tuple(hop["address"].lower() for hop in hops),
        interfaces=tuple(dict.fromkeys([*direct, *(hop["interface"] for hop in hops if hop["interface"])])),
        distance=int(known[2]),
        metric=int(known[3]),
    )
    return [_blackhole(route) if route.interfaces == (_NOWHERE,) else route]


def _of_table(text: str, prefix: str) -> list[Route]:
    for line in _LINE.finditer(text):
        if line["code"] not in _CODES or ip_network(line["prefix"]) != ip_network(prefix):
            continue
        rest = text[line.start("rest") :] if line["rest"] else ""
        hops = _HOP.findall(rest)
        direct = _TABLE_DIRECT.findall(rest)
        protocol = _CODES[line["code"]]
        interfaces = tuple(dict.fromkeys([*direct, *(hop[3] for hop in hops if hop[3])]))
        route = Route(
            prefix=prefix,
            protocol=protocol,
            next_hops=tuple(hop[2] for hop in hops),
            interfaces=interfaces,
            # a directly connected route has no figures in the table
            distance=int(hops[0][0]) if hops else _DIRECT_DISTANCE.get(protocol, 0),
            metric=int(hops[0][1]) if hops else 0,
        )
        return [_blackhole(route) if interfaces == (_NOWHERE,) else route]
    return []


def _blackhole(route: Route) -> Route:
    return replace(route, interfaces=(), extra={"blackhole": True})
