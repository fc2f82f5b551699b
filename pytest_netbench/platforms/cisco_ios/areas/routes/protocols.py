"""``show ip protocols`` and ``show ipv6 protocols``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from ipaddress import IPv4Network

from pytest_netbench.kernel.addresses import UNSPECIFIED
from pytest_netbench.platforms.cisco_ios.areas import eigrp, isis, rip
from pytest_netbench.platforms.cisco_ios.areas.common import igp
from pytest_netbench.platforms.cisco_ios.areas.ospf.advertisers import Advertisers
from pytest_netbench.platforms.cisco_ios.areas.ospf.live import area_name
from pytest_netbench.platforms.cisco_ios.areas.ospf.process import dotted, members, processes
from pytest_netbench.platforms.cisco_ios.areas.ospfv3 import process as six
from pytest_netbench.platforms.cisco_ios.areas.routes import protocol_lines as shared
from pytest_netbench.platforms.cisco_ios.areas.routes import protocols_bgp, protocols_rip
from pytest_netbench.platforms.cisco_ios.areas.routes.table import Row, Table
from pytest_netbench.platforms.cisco_ios.config.tree import Entry, Section
from pytest_netbench.platforms.cisco_ios.device.exec import Exec
from pytest_netbench.platforms.cisco_ios.grammar.command import Match


def show(at: Exec, _match: Match) -> str:
    """Show all protocols, in the order of the running config."""
    rows = Table(at).rows
    blocks = [
        _APPLICATION,
        *_ospf(at, rows),
        *(_eigrp(at, entry, rows) for entry in at.config.all("router eigrp")),
        *(_isis(at, entry, rows) for entry in at.config.all("router isis")),
        *(protocols_rip.block(at, entry, rows) for entry in at.config.all("router rip")),
        *(protocols_bgp.block(at, entry, rows) for entry in at.config.all("router bgp")),
    ]
    return "*** IP Routing is NSF aware ***\n\n" + "".join("\n".join([*block, "", ""]) for block in blocks)


_APPLICATION = (
    'Routing Protocol is "application"',
    "  Sending updates every 0 seconds",
    "  Invalid after 0 seconds, hold down 0, flushed after 0",
    "  Outgoing update filter list for all interfaces is not set",
    "  Incoming update filter list for all interfaces is not set",
    "  Maximum path: 32",
    "  Routing for Networks:",
    *shared.SOURCES,
    "  Distance: (default is 4)",
)
"""Routes of programs beside the system, which every device lists first."""


def _routers(at: Exec, rows: Sequence[Row]) -> Iterator[str]:
    """Return the sources of OSPF's routes: the routers that advertise them, and not next hops."""
    advertisers = Advertisers(at)
    mine = (row for row in rows if row.protocol == "ospf")
    yield from shared.gateways(
        (router, row.distance, row.uptime) for row in mine for router in advertisers.of(IPv4Network(row.network))
    )


def _ospf(at: Exec, rows: Sequence[Row]) -> Iterator[list[str]]:
    context = at.device.context()
    for process in processes(context):
        section = process.section
        mine = members(context, process)
        areas = {member.area for member in mine}
        stub = {dotted(e["area"]) for e in section.all("area stub")} & areas
        nssa = {dotted(e["area"]) for e in section.all("area nssa")} & areas
        kept = at.device.live.get("chosen", {}).get(f"ospf {process.number}", UNSPECIFIED)
        sources = shared.redistributing(section)
        lines = [f'Routing Protocol is "ospf {process.number}"', *shared.filters(section), f"  Router ID {kept}"]
        border = len(areas) > 1 and dotted("0") in areas
        outside = bool(sources) or section.has("default-information originate")
        if border or outside:
            what = " and ".join(w for w, on in (("area border", border), ("autonomous system boundary", outside)) if on)
            lines.append(f"  It is an {what} router")
        if outside:
            lines.append(" Redistributing External Routes from,")
            for entry, name in zip(section.all("redistribute"), sources, strict=True):
                lines.append(f"    {name}{', includes subnets in redistribution' if entry.has('subnets') else ''}")
        paths = section.get("maximum-paths")
        lines += [
            (
                f"  Number of areas in this router is {len(areas)}. {len(areas) - len(stub) - len(nssa)} normal"
                f" {len(stub)} stub {len(nssa)} nssa"
            ),
            f"  Maximum path: {paths['paths'] if paths else 4}",
            *shared.networks(f"{e['network']} {e['wildcard']} area {e['area']}" for e in section.all("network")),
        ]
        for area in sorted({member.area for member in mine if not member.by_network}):
            lines.append(f"  Routing on Interfaces Configured Explicitly (Area {area_name(area)}):")
            lines += [f"    {one.one.name}" for one in reversed(mine) if not one.by_network and one.area == area]
        lines += shared.passive([m.one.name for m in mine if igp.is_passive(section, m.one.name)])
        distance = section.get("distance")
        lines += [*_routers(at, rows), f"  Distance: (default is {distance['distance'] if distance else 110})"]
        yield lines


def _eigrp(at: Exec, entry: Entry, rows: Sequence[Row]) -> list[str]:
    section, number = entry.body, entry["process"]
    mine = eigrp.members(at.device.context(), section)
    own = section.get("eigrp router-id")
    kept = at.device.live.get("chosen", {}).get(f"eigrp {number}", "")
    variance, paths = section.get("variance"), section.get("maximum-paths")
    most = paths["paths"] if paths else 4
    return [
        f'Routing Protocol is "eigrp {number}"',
        *shared.filters(section),
        "  Default networks flagged in outgoing updates",
        "  Default networks accepted from incoming updates",
        f"  EIGRP-IPv4 Protocol for AS({number})",
        "    Metric weight K1=1, K2=0, K3=1, K4=0, K5=0",
        "    Soft SIA disabled",
        "    NSF-aware route hold timer is 240",
        f"    Router-ID: {own['id'] if own else kept}",
        "    Topology : 0 (base) ",
        "      Active Timer: 3 min",
        "      Distance: internal 90 external 170",
        f"      Maximum path: {most}",
        "      Maximum hopcount 100",
        f"      Maximum metric variance {variance['factor'] if variance else 1}",
        "",
        "  Automatic Summarization: disabled",
        f"  Maximum path: {most}",
        *shared.networks(
            (
                f"{e['network']}/{32 - sum(int(x).bit_count() for x in e['wildcard'].split('.'))}"
                if "wildcard" in e.match.args
                else str(e["network"])
            )
            for e in section.all("network")
        ),
        *shared.passive([one.name for one in mine if igp.is_passive(section, one.name)]),
        *shared.next_hops(rows, "eigrp"),
        "  Distance: internal 90 external 170",
    ]


def _isis(at: Exec, entry: Entry, rows: Sequence[Row]) -> list[str]:
    tag = f" {entry['tag']}" if entry.get("tag") else ""
    mine = isis.members(at.device.context())
    return [
        f'Routing Protocol is "isis{tag}"',
        *shared.filters(entry.body),
        f"  Redistributing: {', '.join(['isis', *shared.redistributing(entry.body)])}",
        "  Address Summarization:",
        "    None",
        "  Maximum path: 4",
        *shared.networks(one.name for one in mine if one.section.has("ip router isis")),
        *shared.passive([one.name for one in mine if igp.is_passive(entry.body, one.name)]),
        *shared.next_hops(rows, "isis"),
        "  Distance: (default is 115)",
    ]


def show_six(at: Exec, _match: Match) -> str:
    """``show ipv6 protocols``."""
    context = at.device.context()
    lines = [
        'IPv6 Routing Protocol is "connected"',
        'IPv6 Routing Protocol is "application"',
        'IPv6 Routing Protocol is "ND"',
    ]
    for process in six.processes(at.config):
        mine = six.members(context, process)
        areas = {member.area for member in mine}
        special = {area: e for area, e in process.special_areas.items() if area in areas}
        stub = {area for area, entry in special.items() if entry.name == "area stub"}
        nssa = special.keys() - stub
        lines.append(f'IPv6 Routing Protocol is "ospf {process.number}"')
        lines.append(f"  Router ID {six.router_id(at.device.live.get('chosen', {}), process) or ''}")
        lines.append(
            f"  Number of areas: {len(areas) - len(stub) - len(nssa)} normal, {len(stub)} stub, {len(nssa)} nssa"
        )
        for area in sorted(areas):
            lines.append(f"  Interfaces (Area {area_name(area)}):")
            lines += [f"    {member.one.name}" for member in reversed(mine) if member.area == area]
        lines += _six_redistribution(process.routes)
    for entry in at.config.all("ipv6 router rip"):
        lines.append(f'IPv6 Routing Protocol is "rip {entry["name"]}"')
        lines.append("  Interfaces:")
        lines += [f"    {one.name}" for one in reversed(rip.six_members(context, entry["name"]))]
        lines += _six_redistribution(entry.body)
    return "\n".join([*lines, ""])


def _six_redistribution(section: Section) -> Iterator[str]:
    sources = shared.redistributing(section)
    yield "  Redistribution:" if sources else "  Redistribution:\n    None"
    for source in sources:
        yield f"    Redistributing protocol {source}"
