"""Which neighbours of OSPFv3, RIP and IS-IS a lab must have, judged from both ends, and which are not there yet. Pure.

Two interfaces are on one link if they share a subnet, or if a cable joins them. No adjacency is expected where the
configs rule it out (passive interfaces, or keys, versions or levels that do not match).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Interface, IPv6Interface, ip_address
from itertools import combinations
from typing import Any

Address = IPv4Interface | IPv6Interface
Cables = frozenset[frozenset[tuple[str, str]]]
Databases = Mapping[str, frozenset[tuple[str, ...]]]
# RIP sends a change after up to five seconds
RIP_QUIET_S = 6
_OSPF6_AREA = re.compile(r"Area Scoped Link State Database \(Area (\S+)\)")
_OSPF6_ROW = re.compile(r"^(\S+)\s+(\d+\.\S+)\s+(\d+\.\S+)\s+(\d+)\s+([0-9a-f]+)\s")
_MAX_AGE = "3600"
_UPTIME = re.compile(r"(\d+):(\d\d):(\d\d)$")


@dataclass(frozen=True, kw_only=True)
class Side:
    """One end of a link, with what one protocol says of it.

    Args:
        node: The router.
        interface: Its kernel name.
        addresses: Of the family that tells which link it is on.
        traits: What must be equal at both ends.
        neighbours: Neighbours seen there that are up, by what the other end is called.
        name: What this end is called by others.
        silent: It sends nothing, or that is unknown.
        lines: Config lines about its authentication.
    """

    node: str
    interface: str
    addresses: tuple[Address, ...]
    traits: tuple[Any, ...] = ()
    neighbours: frozenset[str] = frozenset()
    name: str = ""
    silent: bool = False
    lines: tuple[str, ...] = field(default=())


Pair = tuple[Side, Side]


def pairs(sides: Iterable[Side], fits: Callable[[Side, Side], bool], cables: Cables = frozenset()) -> Iterator[Pair]:
    """Ends on one link of which ``fits`` says that they can be neighbours.

    Two ends are on one link if they share a subnet, or if a cable joins them and one of them has no address to compare.
    """
    for one, other in combinations(list(sides), 2):
        if one.node != other.node and _share_link(one, other, cables) and fits(one, other):
            yield one, other


def missing(
    protocol: str, sides: Iterable[Side], fits: Callable[[Side, Side], bool], cables: Cables = frozenset()
) -> Iterator[tuple[Pair, str]]:
    """Return missing neighbours, each with a phrase; ``fits`` says whether two ends on one link can be neighbours."""
    for one, other in pairs(sides, fits, cables):
        for here, there in ((one, other), (other, one)):
            if not there.silent and there.name not in here.neighbours:
                yield (
                    (one, other),
                    f"{here.node}: {protocol} neighbor {there.node} on {here.interface} is not there yet",
                )


def _share_link(one: Side, other: Side, cables: Cables) -> bool:
    mine, theirs = ({address.network for address in side.addresses} for side in (one, other))
    if mine and theirs:
        return any(network.prefixlen < network.max_prefixlen for network in mine & theirs)
    return frozenset(((one.node, one.interface), (other.node, other.interface))) in cables


def alike(one: Side, other: Side) -> bool:
    """Both speak, with equal traits and equal keys."""
    return not one.silent and not other.silent and one.traits == other.traits and one.lines == other.lines


# -- OSPFv3 ------------------------------------------------------------------------------------------------------------


def ospf6_sides(node: str, interfaces: Mapping[str, Any], neighbours: Mapping[str, Any], config: str) -> list[Side]:
    """From ``show ipv6 ospf6 interface json``, ``show ipv6 ospf6 neighbor json`` and the running config."""
    full = [
        (str(entry.get("interfaceName", "")), str(entry.get("neighborId", "")))
        for entry in neighbours.get("neighbors") or ()
        if str(entry.get("state", "")) == "Full"
        # two that are neither designated router nor its backup need no more
        or (str(entry.get("ifState")), str(entry.get("interfaceState"))) == ("DROther", "DROther")
    ]
    router = re.search(r"ospf6 router-id (\S+)", config)
    settings = blocks(config, "interface")
    found = []
    for name, entry in interfaces.items():
        if not isinstance(entry, Mapping) or not entry.get("attachedToArea") or entry.get("status") != "up":
            continue
        addresses = tuple(
            IPv6Interface(address["address"])
            for address in entry.get("internetAddress") or ()
            if address.get("type") == "inet6" and not IPv6Interface(address["address"]).is_link_local
        )
        lines = settings.get(name, ())
        found.append(
            Side(
                node=node,
                interface=name,
                addresses=addresses,
                traits=(
                    entry.get("areaId"),
                    entry.get("timerIntervalsConfigHello"),
                    entry.get("timerIntervalsConfigDead"),
                    entry.get("instanceId"),
                    entry.get("type"),
                    entry.get("interfaceMtu"),
                    _area_kind(config, str(entry.get("areaId"))),
                ),
                neighbours=frozenset(router_id for where, router_id in full if where == name),
                name=router[1] if router else "",
                silent="ipv6 ospf6 passive" in lines or router is None,
                lines=tuple(line for line in lines if "authentication" in line),
            )
        )
    return found


def _area_kind(config: str, area: str) -> str:
    found = re.search(rf"^ area {re.escape(area)} (stub|nssa)\b", config, re.MULTILINE)
    return found[1] if found else ""


def ospf6_databases(text: str) -> Databases:
    """Area to its link-state advertisements (kind, identifier, router, number), from ``show ipv6 ospf6 database``.

    Those of the highest age are about to be removed, which routers do at different times.
    """
    found: dict[str, set[tuple[str, ...]]] = {}
    area = ""
    for line in text.splitlines():
        if "Link State Database" in line:
            heading = _OSPF6_AREA.search(line)
            area = _dotted(heading[1]) if heading else ""
            if area:
                found[area] = set()
        elif area and (row := _OSPF6_ROW.match(line)) and row[4] != _MAX_AGE:
            found[area].add((row[1], row[2], row[3], row[5]))
    return {name: frozenset(rows) for name, rows in found.items()}


def _dotted(area: str) -> str:
    return str(ip_address(int(area))) if area.isdigit() else area


# -- RIP ---------------------------------------------------------------------------------------------------------------


def rip_sides(
    node: str, status: str, table: str, addresses: Mapping[str, tuple[Address, ...]], config: str
) -> list[Side]:
    """From ``show ip rip status``, ``show ip rip``, the addresses of the interfaces, and the running config.

    A router that knows only the link itself sends nothing there.
    """
    known = re.findall(r"^\w\(\w\) (\S+)\s+(\S+)", table, re.MULTILINE)
    filtered = "distribute-list" in config
    rows = re.findall(r"^    (\S+)\s+(\d(?: \d)?|none)\s+(\d(?: \d)?|none)", status, re.MULTILINE)
    passive = set(_listed(status, "Passive Interface(s):"))
    sources = frozenset(re.findall(r"^    (\d+\.\d+\.\d+\.\d+)\s+\d+\s+\d+\s+\d+", status, re.MULTILINE))
    settings = blocks(config, "interface")
    return [
        Side(
            node=node,
            interface=name,
            addresses=addresses.get(name, ()),
            traits=(sent, received),
            neighbours=sources,
            name=str(addresses[name][0].ip),
            silent=name in passive or filtered or not _has_news(known, addresses[name][0]),
            lines=tuple(sorted(line for line in settings.get(name, ()) if "authentication" in line)),
        )
        for name, sent, received in rows
        if addresses.get(name)
    ]


def _has_news(known: Iterable[tuple[str, str]], link: Address) -> bool:
    """Whether there is a network to advertise on a link: neither the link itself nor learned from it."""
    return any(network != str(link.network) and ip_address(hop) not in link.network for network, hop in known)


def rip_fits(one: Side, other: Side) -> bool:
    """Whether each understands what the other sends, and both have the same key."""
    understood = all(set(a.traits[0].split()) & set(b.traits[1].split()) for a, b in ((one, other), (other, one)))
    return understood and one.lines == other.lines


def _listed(text: str, heading: str) -> list[str]:
    lines = text.splitlines()
    start = next((at for at, line in enumerate(lines) if line.strip() == heading), None)
    found: list[str] = []
    for line in lines[start + 1 :] if start is not None else ():
        if not line.startswith("    "):
            break
        found.append(line.strip())
    return found


def rip_is_moving(table: str) -> bool:
    """Whether a route in ``show ip route rip`` is so new that neighbours may not have received it."""
    for line in table.splitlines():
        found = _UPTIME.search(line.strip())
        if line.startswith("R") and found and int(found[1]) * 3600 + int(found[2]) * 60 + int(found[3]) < RIP_QUIET_S:
            return True
    return False


# -- IS-IS -------------------------------------------------------------------------------------------------------------


def isis_sides(
    node: str, answers: tuple[Mapping[str, Any], str, str], addresses: Mapping[str, tuple[Address, ...]], config: str
) -> list[Side]:
    """Parse ``show isis interface json``, ``show isis neighbor``, ``show isis topology``, addresses and running config.

    A neighbour counts once it is part of the topology: on a LAN that is later than the adjacency.
    """
    interfaces, neighbours, topology = answers
    hostname = next((line.split()[1] for line in config.splitlines() if line.startswith("hostname ")), node)
    reached = set(re.findall(r"^\s*(\S+)\s+(?:TE-)?IS\s", topology, re.MULTILINE))
    up = re.findall(r"^\s*(\S+)\s+(\S+)\s+(\d)\s+Up\s", neighbours, re.MULTILINE)
    net = re.search(r"^ net (\S+)", config, re.MULTILINE)
    area = net[1].rsplit(".", 4)[0] if net else ""
    settings = blocks(config, "interface")
    found = []
    for group in interfaces.get("areas") or ():
        for circuit in group.get("circuits") or ():
            entry = circuit.get("interface") or {}
            name = str(entry.get("name", ""))
            lines = settings.get(name, ())
            if entry.get("state") != "Up":
                continue
            found.append(
                Side(
                    node=node,
                    interface=name,
                    addresses=addresses.get(name, ()),
                    traits=(str(entry.get("level", "")), area, "isis network point-to-point" in lines),
                    neighbours=frozenset(who for who, where, _ in up if where == name and who in reached),
                    name=hostname,
                    silent="isis passive" in lines,
                    lines=tuple(line for line in lines if line.startswith("isis password")),
                )
            )
    return found


def isis_fits(one: Side, other: Side) -> bool:
    """They have a level in common (level 1: of one area), the same kind of link and the same key."""
    if one.silent or other.silent or one.lines != other.lines or one.traits[2] != other.traits[2]:
        return False
    second = "2" in one.traits[0] and "2" in other.traits[0]
    first = "1" in one.traits[0] and "1" in other.traits[0] and one.traits[1] == other.traits[1]
    return first or second


# -- shared ------------------------------------------------------------------------------------------------------------


def blocks(config: str, opener: str) -> dict[str, tuple[str, ...]]:
    """Lines below each ``opener NAME`` of a running config."""
    found: dict[str, tuple[str, ...]] = {}
    name = ""
    for line in config.splitlines():
        if line.startswith(f"{opener} "):
            name = line.split()[1]
        elif not line.startswith(" "):
            name = ""
        elif name:
            found[name] = (*found.get(name, ()), line.strip())
    return found


def database_lines(text: str, row: re.Pattern[str]) -> frozenset[tuple[str, ...]]:
    """Rows of a link-state database without their ages."""
    return frozenset(found.groups() for line in text.splitlines() if (found := row.match(line)))


ISIS_ROW = re.compile(r"^(\S+\.\d\d-\d\d)\s+(?:\*\s+)?\d+\s+(0x\w+)\s")
