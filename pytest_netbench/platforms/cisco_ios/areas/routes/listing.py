"""The lines of ``show ip route``: its legend, headings and routes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from ipaddress import IPv4Network

from pytest_netbench.kernel.addresses import UNSPECIFIED
from pytest_netbench.platforms.cisco_ios.areas.common import igp
from pytest_netbench.platforms.cisco_ios.areas.routes.table import Row

LEGEND = """\
Codes: L - local, C - connected, S - static, R - RIP, M - mobile, B - BGP
       D - EIGRP, EX - EIGRP external, O - OSPF, IA - OSPF inter area
       N1 - OSPF NSSA external type 1, N2 - OSPF NSSA external type 2
       E1 - OSPF external type 1, E2 - OSPF external type 2
       i - IS-IS, su - IS-IS summary, L1 - IS-IS level-1, L2 - IS-IS level-2
       ia - IS-IS inter area, * - candidate default, U - per-user static route
       o - ODR, P - periodic downloaded static route, H - NHRP, l - LISP
       a - application route
       + - replicated route, % - next hop override
"""


def gateway(rows: Sequence[Row]) -> str:
    """Return the line about the gateway of last resort."""
    default = next((row for row in rows if row.is_default), None)
    if default is None:
        return "Gateway of last resort is not set"
    address = next((hop.address for hop in default.hops if hop.address), UNSPECIFIED)  # IOS's words
    return f"Gateway of last resort is {address} to network 0.0.0.0"


def listing(table: Sequence[Row], rows: Sequence[Row]) -> str:
    """Return routes below the headings of their classful networks. Headings count the whole table."""
    lines: list[str] = []
    groups = by_major_network(table)
    shown: set[IPv4Network] = set()
    for row in rows:
        assert isinstance(row.network, IPv4Network)
        major = major_network(row.network)
        members = groups.get(major, [])
        grouped = any(member.network != major for member in members) and row.network.prefixlen >= major.prefixlen
        if not grouped or row.is_default:
            lines += lines_of(row, str(row.network), 6)
            continue
        lengths = {member.network.prefixlen for member in members}
        if major not in shown:
            lines.append(_heading(major, members, lengths))
            shown.add(major)
        name = str(row.network) if len(lengths) > 1 else str(row.network.network_address)
        lines += lines_of(row, name, 9)
    return "\n".join([*lines, ""]) if lines else ""


def by_major_network(table: Sequence[Row]) -> dict[IPv4Network, list[Row]]:
    """Return the table of some of the rows."""
    found: dict[IPv4Network, list[Row]] = {}
    for row in table:
        assert isinstance(row.network, IPv4Network)
        if not row.is_default and row.network.prefixlen >= major_network(row.network).prefixlen:
            found.setdefault(major_network(row.network), []).append(row)
    return found


def major_network(network: IPv4Network) -> IPv4Network:
    """Return the class A, B or C network."""
    return igp.classful(str(network.network_address))


def _heading(major: IPv4Network, members: Sequence[Row], lengths: set[int]) -> str:
    """Group rows by their class A, B or C network."""
    count = f"{len(members)} subnets"
    if len(lengths) == 1:
        return f"      {major.network_address}/{lengths.pop()} is subnetted, {count}"
    return f"      {major} is variably subnetted, {count}, {len(lengths)} masks"


def lines_of(row: Row, name: str, width: int) -> Iterator[str]:
    """Return the lines of a row."""
    star = "*" if row.is_default else " "
    code = f"{row.code}{star}{row.kind}".rstrip()
    head = f"{code:<{width}}{name}"
    if row.blackhole and row.protocol == "bgp":
        yield f"{head} [{row.distance}/{row.metric}] via 0.0.0.0, {row.uptime}, Null0"
        return
    if row.blackhole and row.protocol != "static":
        yield f"{head} is a summary, {row.uptime}, Null0"
        return
    if row.direct:
        hops = [hop.interface for hop in row.hops] or ["Null0"]
        yield f"{head} is directly connected, {hops[0]}"
        yield from (f"{'':<{len(head)}} is directly connected, {name}" for name in hops[1:])
        return
    for at, hop in enumerate(row.hops):
        words = [f"[{row.distance}/{row.metric}] via {hop.address}"]
        words += [row.uptime] if row.protocol not in {"static", "kernel"} else []
        words += [hop.interface] if _shows_interface(row, hop.interface, named=hop.named) else []
        yield (head if at == 0 else " " * len(head)) + " " + ", ".join(words)


def _shows_interface(row: Row, interface: str, *, named: bool) -> bool:
    if row.protocol in {"static", "kernel"}:
        return named
    return row.protocol != "bgp" and bool(interface) and interface != "Null0"
