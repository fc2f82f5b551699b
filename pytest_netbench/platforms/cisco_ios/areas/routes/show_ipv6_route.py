"""``show ipv6 route``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from ipaddress import IPv6Address, IPv6Network

from pytest_netbench.platforms.cisco_ios.areas.routes.table import Row, Table
from pytest_netbench.platforms.cisco_ios.device.exec import Exec
from pytest_netbench.platforms.cisco_ios.grammar.command import Match

_LEGEND = """\
Codes: C - Connected, L - Local, S - Static, U - Per-user Static route
       B - BGP, R - RIP, I1 - ISIS L1, I2 - ISIS L2
       IA - ISIS interarea, IS - ISIS summary, D - EIGRP, EX - EIGRP external
       ND - ND Default, NDp - ND Prefix, DCE - Destination, NDr - Redirect
       O - OSPF Intra, OI - OSPF Inter, OE1 - OSPF ext 1, OE2 - OSPF ext 2
       ON1 - OSPF NSSA ext 1, ON2 - OSPF NSSA ext 2
"""
PROTOCOLS = ("bgp", "connected", "isis", "local", "ospf", "rip", "static")
_FRR = {"ospf": "ospf6", "rip": "ripng"}


def show(at: Exec, match: Match) -> str:
    """Show the table, a part of it, or one route."""
    vrf = str(match.get("vrf") or "")
    rows = [*Table(at, vrf=vrf, six=True).rows, *_multicast(at)]
    if "address" in match.args or "prefix" in match.args:
        return _one(rows, match)
    wanted = next((word for word in PROTOCOLS if match.has(word)), None)
    shown = [row for row in rows if wanted is None or row.protocol == _FRR.get(wanted, wanted)]
    head = f"IPv6 Routing Table - {vrf or 'default'} - {len(rows)} entries\n{_LEGEND}"
    return head + "".join(f"{line}\n" for row in shown for line in _lines(row))


def _multicast(at: Exec) -> list[Row]:
    """Return the multicast route that a router has when IPv6 runs."""
    runs = any(
        entry.name.startswith("ipv6 address") or entry.name == "ipv6 enable"
        for _, body in at.config.sections("interface")
        for entry in body
    )
    return [Row(network=IPv6Network("ff00::/8"), protocol="local")] if runs else []


def _code(row: Row) -> str:
    if row.protocol == "ospf6":
        return f"O{row.kind}"
    if row.protocol == "isis":
        return "I1" if row.kind == "L1" else "I2"
    return row.code


def _lines(row: Row) -> Iterator[str]:
    yield f"{_code(row):<3} {str(row.network).upper()} [{row.distance}/{row.metric}]"
    yield from _ways(row)


def _ways(row: Row) -> Iterator[str]:
    for hop in row.hops:
        if row.protocol == "local":
            yield f"     via {hop.interface}, receive"
        elif not hop.address:
            yield f"     via {hop.interface}, directly connected"
        else:
            local = IPv6Address(hop.address).is_link_local
            shows = hop.interface and (hop.named or local or row.protocol not in {"static", "bgp"})
            yield f"     via {hop.address.upper()}" + (f", {hop.interface}" if shows else "")
    if not row.hops:
        yield "     via Null0, receive" if row.protocol == "local" else "     via Null0, directly connected"


def _one(rows: Sequence[Row], match: Match) -> str:
    if "prefix" in match.args:
        wanted = IPv6Network(match["prefix"], strict=False)
        found = [row for row in rows if row.network == wanted]
    else:
        address = IPv6Address(match["address"])
        found = [row for row in rows if isinstance(row.network, IPv6Network) and address in row.network]
        found = [row for row in found if row.network.prefixlen == max(one.network.prefixlen for one in found)]
    if not found:
        return "% Route not found\n"
    row = found[0]
    known = {"ospf6": "ospf", "ripng": "rip"}.get(row.protocol, row.protocol)
    kind = {"": "intra area", "I": "inter area", "E1": "extern 1", "E2": "extern 2"}.get(row.kind, "")
    extra = f", type {kind}" if row.protocol == "ospf6" else ""
    lines = [
        f"Routing entry for {str(row.network).upper()}",
        f'  Known via "{known}", distance {row.distance}, metric {row.metric}{extra}',
        *([f"  Tag {row.tag}"] if row.tag else []),
        f"  Route count is {max(1, len(row.hops))}/{max(1, len(row.hops))}, share count 0",
        "  Routing paths:",
    ]
    for hop in row.hops:
        if hop.address:
            lines.append(f"    {hop.address.upper()}" + (f", {hop.interface}" if hop.interface else ""))
        else:
            lines.append(f"    directly connected via {hop.interface}")
        lines.append(f"      Last updated {row.uptime or '00:00:00'} ago")
    return "\n".join([*lines, ""])
