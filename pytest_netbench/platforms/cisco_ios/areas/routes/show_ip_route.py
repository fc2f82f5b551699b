"""``show ip route``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from ipaddress import IPv4Address, IPv4Network, ip_network
from typing import NamedTuple

from pytest_netbench.platforms.cisco_ios.areas.common import igp
from pytest_netbench.platforms.cisco_ios.areas.ospf.advertisers import Advertisers
from pytest_netbench.platforms.cisco_ios.areas.routes.listing import (
    LEGEND,
    by_major_network,
    gateway,
    lines_of,
    listing,
    major_network,
)
from pytest_netbench.platforms.cisco_ios.areas.routes.table import Hop, Row, Table
from pytest_netbench.platforms.cisco_ios.compile.context import mask_length
from pytest_netbench.platforms.cisco_ios.device.exec import Exec
from pytest_netbench.platforms.cisco_ios.grammar.command import Match

PROTOCOLS = ("bgp", "connected", "eigrp", "isis", "local", "ospf", "rip", "static")


def show(at: Exec, match: Match) -> str:
    """Show the table, a part of it, or one route."""
    vrf = str(match.get("vrf") or "")
    if vrf and vrf not in at.device.applied.vrfs:
        return f"% IP routing table {vrf} does not exist\n"
    table = Table(at, vrf=vrf)
    if "address" in match.args:
        return _chosen(at, table, match)
    wanted = next((word for word in PROTOCOLS if match.has(word)), None)
    rows = [row for row in table.rows if wanted is None or row.protocol == wanted]
    heading = f"\nRouting Table: {vrf}\n" if vrf else ""
    if wanted is not None and not rows:
        return f"{heading}{LEGEND}\n{gateway(table.rows)}\n"
    return f"{heading}{LEGEND}\n{gateway(table.rows)}\n\n" + listing(table.rows, rows)


# -- one route --------------------------------------------------------------------------------------------------------


class BgpPath(NamedTuple):
    """The best path of a route of BGP.

    Attributes:
        tag: The AS that it came from; 0 if it is ours.
        hops: ASs on the way.
        kind: ``external`` or ``internal``.
        peers: The neighbor that sent it, by next hop.
    """

    tag: int
    hops: int
    kind: str
    peers: Mapping[str, str]


def _chosen(at: Exec, table: Table, match: Match) -> str:
    rows = table.rows
    address = str(match["address"])
    length = mask_length(match["mask"]) if "mask" in match.args else None
    if match.has("longer-prefixes") and length is not None:
        whole = ip_network(f"{address}/{length}", strict=False)
        assert isinstance(whole, IPv4Network)
        inside = [row for row in rows if isinstance(row.network, IPv4Network) and row.network.subnet_of(whole)]
        return f"{LEGEND}\n{gateway(rows)}\n\n" + listing(rows, inside)
    if length is not None:
        wanted = ip_network(f"{address}/{length}", strict=False)
        found = [row for row in rows if row.network == wanted]
    else:
        found = [row for row in rows if IPv4Address(address) in row.network and not row.is_default]
        found = [row for row in found if row.network.prefixlen == max(r.network.prefixlen for r in found)]
    if not found:
        major = igp.classful(address)
        known = any(row.network.subnet_of(major) for row in rows if isinstance(row.network, IPv4Network))
        return "% Subnet not in table\n" if known else "% Network not in table\n"
    row = next((row for row in found if row.protocol == "connected"), found[0])
    heading = f"\nRouting Table: {table.vrf}\n" if table.vrf else ""
    if length is not None:
        # with a mask, print the line of the table as the draft does (§4.2); a device prints the details
        return heading + "\n".join([*lines_of(row, str(row.network), len(row.code) + 1), ""])
    return heading + "\n".join([*_entry(at, row, table.vrf), ""])


def _entry(at: Exec, row: Row, vrf: str) -> Iterator[str]:
    path = _bgp_path(at, row, vrf) if row.protocol == "bgp" else None
    supernet = (
        ", supernet"
        if isinstance(row.network, IPv4Network) and row.network.prefixlen < major_network(row.network).prefixlen
        else ""
    )
    yield f"Routing entry for {row.network}{supernet}"
    yield from _known(row, _process(at, row, vrf), path)
    senders = Advertisers(at).of(IPv4Network(row.network)) if row.protocol == "ospf" and not vrf else []
    tag = path.tag if path is not None else row.tag
    if row.protocol not in {"connected", "local", "static", "kernel"} and row.hops:
        first = row.hops[0]
        where = f" on {first.interface}" if row.protocol != "bgp" and first.interface else ""
        comma = "" if row.protocol == "bgp" else ","
        yield f"  Last update from {first.address}{where}{comma} {row.uptime} ago"
    yield "  Routing Descriptor Blocks:"
    for number, hop in enumerate(row.hops):
        yield f"  {'*' if number == 0 else ' '} {_descriptor(row, hop, path, senders)}"
        yield f"      Route metric is {row.metric}, traffic share count is 1"
        if path is not None:
            yield f"      AS Hops {path.hops}"
        if tag:
            yield f"      Route tag {tag}"
        if path is not None:
            yield "      MPLS label: none"


_OSPF_KINDS = {
    "": "intra area",
    "IA": "inter area",
    "E1": "extern 1",
    "E2": "extern 2",
    "N1": "NSSA extern 1",
    "N2": "NSSA extern 2",
}


def _known(row: Row, process: str, path: BgpPath | None) -> Iterator[str]:
    """Return where a route comes from, of which kind it is, and its tag."""
    known = f'  Known via "{process}", distance {row.distance}, metric {row.metric}'
    if row.protocol in {"connected", "local"} or (row.protocol == "static" and row.direct):
        yield f"{known} (connected{', via interface' if row.protocol == 'connected' else ''})"
        return
    tag = path.tag if path is not None else row.tag
    words = [f"Tag {tag}"] if tag else []
    if row.protocol == "ospf":
        words.append(f"type {_OSPF_KINDS.get(row.kind, 'intra area')}")
        words += [f"forward metric {row.forward_metric}"] if row.kind[:1] in {"E", "N"} else []
    if path is not None:
        words.append(f"type {path.kind}")
    if row.is_default:
        known += ", candidate default path"
    if tag:
        yield known
        yield f"  {', '.join(words)}"
    else:
        yield ", ".join([known, *words])


def _descriptor(row: Row, hop: Hop, path: BgpPath | None, senders: Sequence[str]) -> str:
    address, interface = hop.address, hop.interface
    if not address:
        return f"directly connected, via {interface or 'Null0'}"
    if row.protocol in {"static", "kernel"}:
        return f"{address}, via {interface}" if hop.named else address
    if path is not None:
        return f"{address}, from {path.peers.get(address, address)}, {row.uptime} ago"
    return f"{address}, from {(*senders, address)[0]}, {row.uptime} ago, via {interface}"


def _bgp_path(at: Exec, row: Row, vrf: str) -> BgpPath:
    """Return what BGP knows of the best path of a route."""
    where = f"vrf {vrf} " if vrf else ""
    text = at.ask("bgpd", f"show bgp {where}ipv4 unicast {row.network} json")
    paths = json.loads(text[text.find("{") :]).get("paths", []) if "{" in text else []
    used = [one for one in paths if one.get("bestpath", {}).get("overall") or one.get("multipath")]
    segments = [number for one in used[:1] for part in one["aspath"].get("segments", []) for number in part["list"]]
    return BgpPath(
        tag=int(segments[0]) if segments else 0,
        hops=int(used[0]["aspath"].get("length", 0)) if used else 0,
        kind="external" if used and used[0].get("peer", {}).get("type") == "external" else "internal",
        peers={one["nexthops"][0]["ip"]: one["peer"]["peerId"] for one in used if "peerId" in one.get("peer", {})},
    )


def _process(at: Exec, row: Row, vrf: str) -> str:
    """Return the source of a route, e.g. ``ospf 1``."""
    openers = {"ospf": ("router ospf", "process"), "eigrp": ("router eigrp", "process"), "bgp": ("router bgp", "asn")}
    if row.protocol == "kernel":
        return "static"
    if row.protocol not in openers:
        return row.protocol
    name, argument = openers[row.protocol]
    lines = [e for e in at.config.all(name) if (e.get("vrf") or "") == vrf or row.protocol == "bgp"]
    value = next(iter(lines[0].match.args.values())) if lines else ""
    return f"{row.protocol} {lines[0].get(argument, value)}" if lines else row.protocol


# -- summary ----------------------------------------------------------------------------------------------------------


def summary(at: Exec, match: Match) -> str:
    """``show ip route summary``."""
    table = Table(at, vrf=str(match.get("vrf") or ""))
    rows = table.rows
    lines = [
        f"IP routing table name is {table.vrf} (0x1)" if table.vrf else "IP routing table name is default (0x0)",
        "IP routing table maximum-paths is 32",
        "Route Source    Networks    Subnets     Replicates  Overhead    Memory (bytes)",
    ]
    total = [0, 0]
    for source in ("connected", "static", "application", *sorted(_sources(at, rows, table.vrf))):
        mine = [row for row in rows if _source_name(at, row, table.vrf) == source]
        counts = _counts(mine)
        total = [total[0] + counts[0], total[1] + counts[1]]
        lines.append(_summary_row(source, *counts))
        if source.startswith("ospf"):
            kinds = [row.kind for row in mine]
            lines.append(
                f"  Intra-area: {kinds.count('')} Inter-area: {kinds.count('IA')} External-1: {kinds.count('E1')}"
                f" External-2: {kinds.count('E2')}"
            )
            lines.append(f"  NSSA External-1: {kinds.count('N1')} NSSA External-2: {kinds.count('N2')}")
    majors = len(by_major_network(rows))
    lines.append(f"{'internal':<15} {majors:<47} {majors * 440}")
    lines.append(_summary_row("Total", *total))
    return "\n".join([*lines, ""])


def _sources(at: Exec, rows: Sequence[Row], vrf: str) -> set[str]:
    return {_source_name(at, row, vrf) for row in rows} - {"connected", "static"}


def _source_name(at: Exec, row: Row, vrf: str) -> str:
    return "connected" if row.protocol == "local" else _process(at, row, vrf)


def _counts(rows: Sequence[Row]) -> tuple[int, int]:
    whole = sum(
        1
        for row in rows
        if isinstance(row.network, IPv4Network) and row.network.prefixlen <= major_network(row.network).prefixlen
    )
    return whole, len(rows) - whole


def _summary_row(name: str, networks: int, subnets: int) -> str:
    routes = networks + subnets
    return f"{name:<15} {networks:<11} {subnets:<11} {0:<11} {routes * 96:<11} {routes * 288}"
