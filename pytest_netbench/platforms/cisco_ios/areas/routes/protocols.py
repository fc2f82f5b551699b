"""``show ip protocols`` and ``show ipv6 protocols``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from ipaddress import IPv4Network

from pytest_netbench.platforms.cisco_ios.areas import eigrp, isis, rip
from pytest_netbench.platforms.cisco_ios.areas.common import igp
from pytest_netbench.platforms.cisco_ios.areas.ospf.advertisers import Advertisers
from pytest_netbench.platforms.cisco_ios.areas.ospf.compile import dotted, members, processes
from pytest_netbench.platforms.cisco_ios.areas.ospf.live import area_name
from pytest_netbench.platforms.cisco_ios.areas.ospfv3 import process as six
from pytest_netbench.platforms.cisco_ios.areas.routes.table import Row, Table
from pytest_netbench.platforms.cisco_ios.config.tree import Entry, Section
from pytest_netbench.platforms.cisco_ios.device.exec import Exec
from pytest_netbench.platforms.cisco_ios.grammar.command import Match

_FILTERS = (
    "  Outgoing update filter list for all interfaces is not set",
    "  Incoming update filter list for all interfaces is not set",
)
_SOURCES = ("  Routing Information Sources:", "    Gateway         Distance      Last Update")


def show(at: Exec, _match: Match) -> str:
    """Show all protocols, in the order of the running config."""
    rows = Table(at).rows
    blocks = [
        *_ospf(at, rows),
        *(_eigrp(at, entry, rows) for entry in at.config.all("router eigrp")),
        *(_isis(at, entry, rows) for entry in at.config.all("router isis")),
        *(_rip(at, entry, rows) for entry in at.config.all("router rip")),
        *(_bgp(entry, rows) for entry in at.config.all("router bgp")),
    ]
    return "*** IP Routing is NSF aware ***\n\n" + "".join("\n".join([*block, "", ""]) for block in blocks)


def _sources(rows: Sequence[Row], protocol: str) -> Iterator[str]:
    yield from _SOURCES
    found: dict[str, tuple[int, str]] = {}
    for row in rows:
        if row.protocol == protocol:
            for hop in row.hops:
                if hop.address and row.uptime <= found.get(hop.address, (0, "~"))[1]:
                    found[hop.address] = (row.distance, row.uptime)
    for address, (distance, uptime) in found.items():
        yield f"    {address:<15}      {distance:>3}      {uptime}"


def _routers(at: Exec, rows: Sequence[Row]) -> Iterator[str]:
    """Return the sources of OSPF's routes: the routers that advertise them, and not next hops."""
    yield from _SOURCES
    advertisers = Advertisers(at)
    found: dict[str, tuple[int, str]] = {}
    for row in rows:
        if row.protocol == "ospf":
            for router in advertisers.of(IPv4Network(row.network)):
                if row.uptime <= found.get(router, (0, "~"))[1]:
                    found[router] = (row.distance, row.uptime)
    for router, (distance, uptime) in found.items():
        yield f"    {router:<15}      {distance:>3}      {uptime}"


def _networks(lines: Iterable[str]) -> Iterator[str]:
    yield "  Routing for Networks:"
    yield from (f"    {line}" for line in lines)


def _passive(names: Sequence[str]) -> Iterator[str]:
    if names:
        yield "  Passive Interface(s):"
        yield from (f"    {name}" for name in names)


def _redistributing(section: Section) -> list[str]:
    found = []
    for entry in section.all("redistribute"):
        words = entry.text.split()
        found.append(" ".join(words[1:3]) if words[1] in {"eigrp", "bgp", "ospf"} else words[1])
    return found


def _ospf(at: Exec, rows: Sequence[Row]) -> Iterator[list[str]]:
    context = at.device.context()
    for process in processes(context):
        section = process.section
        mine = members(context, process)
        areas = {member.area for member in mine}
        stub = {dotted(e["area"]) for e in section.all("area stub")} & areas
        nssa = {dotted(e["area"]) for e in section.all("area nssa")} & areas
        kept = at.device.live.get("chosen", {}).get(f"ospf {process.number}", "0.0.0.0")  # noqa: S104 - none chosen
        sources = _redistributing(section)
        lines = [f'Routing Protocol is "ospf {process.number}"', *_FILTERS, f"  Router ID {kept}"]
        border = len(areas) > 1 and dotted("0") in areas
        outside = bool(sources) or section.has("default-information originate")
        if border or outside:
            what = " and ".join(w for w, on in (("area border", border), ("autonomous system boundary", outside)) if on)
            lines.append(f"  It is an {what} router")
        if sources:
            lines.append("  Redistributing External Routes from,")
            for entry, name in zip(section.all("redistribute"), sources, strict=True):
                lines.append(f"    {name}{', includes subnets in redistribution' if entry.has('subnets') else ''}")
        paths = section.get("maximum-paths")
        lines += [
            (
                f"  Number of areas in this router is {len(areas)}. {len(areas) - len(stub) - len(nssa)} normal"
                f" {len(stub)} stub {len(nssa)} nssa"
            ),
            f"  Maximum path: {paths['paths'] if paths else 4}",
            *_networks(f"{e['network']} {e['wildcard']} area {e['area']}" for e in section.all("network")),
        ]
        for area in sorted({member.area for member in mine if not member.by_network}):
            lines.append(f"  Routing on Interfaces Configured Explicitly (Area {area_name(area)}):")
            lines += [f"    {member.one.name}" for member in mine if not member.by_network and member.area == area]
        lines += _passive([m.one.name for m in mine if igp.is_passive(section, m.one.name)])
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
        *_FILTERS,
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
        *_networks(
            (
                f"{e['network']}/{32 - sum(int(x).bit_count() for x in e['wildcard'].split('.'))}"
                if "wildcard" in e.match.args
                else str(e["network"])
            )
            for e in section.all("network")
        ),
        *_passive([one.name for one in mine if igp.is_passive(section, one.name)]),
        *_sources(rows, "eigrp"),
        "  Distance: internal 90 external 170",
    ]


def _isis(at: Exec, entry: Entry, rows: Sequence[Row]) -> list[str]:
    tag = f" {entry['tag']}" if entry.get("tag") else ""
    mine = isis.members(at.device.context())
    return [
        f'Routing Protocol is "isis{tag}"',
        *_FILTERS,
        f"  Redistributing: {', '.join(['isis', *_redistributing(entry.body)])}",
        "  Address Summarization:",
        "    None",
        "  Maximum path: 4",
        *_networks(one.name for one in mine if one.section.has("ip router isis")),
        *_passive([one.name for one in mine if igp.is_passive(entry.body, one.name)]),
        *_sources(rows, "isis"),
        "  Distance: (default is 115)",
    ]


def _rip(at: Exec, entry: Entry, rows: Sequence[Row]) -> list[str]:
    section = entry.body
    timers = section.get("timers basic")
    update, invalid, hold, flush = (
        (timers[name] for name in ("update", "invalid", "holddown", "flush")) if timers else (30, 180, 180, 240)
    )
    version = section.get("version")
    number = str(version["number"]) if version else ""
    due = re.search(r"next due in (\d+)", at.ask("ripd", "show ip rip status"))
    mine = [one for one in rip.members(at.device.context(), section) if not igp.is_passive(section, one.name)]
    sent, received = number or "1", number or "any version"
    lines = [
        'Routing Protocol is "rip"',
        *_FILTERS,
        f"  Sending updates every {update} seconds, next due in {due[1] if due else 0} seconds",
        f"  Invalid after {invalid} seconds, hold down {hold}, flushed after {flush}",
        f"  Redistributing: {', '.join(['rip', *_redistributing(section)])}",
        f"  Default version control: send version {sent}, receive {'version ' if version else ''}{received}",
    ]
    if mine:
        lines.append("    Interface                           Send  Recv  Triggered RIP  Key-chain")
        lines += [f"    {one.name:<35} {sent:<5} {number or '1 2'}" for one in mine]
    distance = section.get("distance")
    return [
        *lines,
        f"  Automatic network summarization is {'not ' if section.says_no('auto-summary') else ''}in effect",
        "  Maximum path: 4",
        *_networks(str(e["network"]) for e in section.all("network")),
        *_passive(
            [o.name for o in rip.members(at.device.context(), section) if igp.is_passive(section, o.name)]
            if not section.has("passive-interface default")
            else [o.name for o in at.device.context().interfaces if igp.is_passive(section, o.name)]
        ),
        *_sources(rows, "rip"),
        f"  Distance: (default is {distance['distance'] if distance else 120})",
    ]


def _bgp(entry: Entry, rows: Sequence[Row]) -> list[str]:
    section = entry.body
    family = next((e.body for e in section.all("address-family") if e.has("ipv4") and not e.get("vrf")), section)
    paths = family.get("maximum-paths")
    distance = family.get("distance bgp")
    values = (distance["external"], distance["internal"], distance["local"]) if distance else (20, 200, 200)
    return [
        f'Routing Protocol is "{entry.text.removeprefix("router ")}"',
        *_FILTERS,
        "  IGP synchronization is disabled",
        "  Automatic route summarization is disabled",
        "  Neighbor(s):",
        "    Address          FiltIn FiltOut DistIn DistOut Weight RouteMap",
        *_bgp_neighbours(section, family),
        f"  Maximum path: {paths['paths'] if paths else 1}",
        *_sources(rows, "bgp"),
        "  Distance: external {} internal {} local {}".format(*values),
    ]


def _bgp_neighbours(section: Section, family: Section) -> Iterator[str]:
    """Return a line for each IPv4 neighbor, with the policies of its own or of its peer group."""
    groups = {str(e["peer"]): str(e["group"]) for e in section.all("neighbor member")}
    peers = [str(e["peer"]) for e in section.all("neighbor remote-as", "neighbor member")]
    for peer in dict.fromkeys(peers):
        if peer.count(".") != 3 or any(e.negated and e["peer"] == peer for e in family if e.name == _ACTIVATE):
            continue
        lists = [_bgp_policy(family, (peer, groups.get(peer, "")), *column) for column in _BGP_COLUMNS]
        yield "    {:<16} {:>6} {:>7} {:>6} {:>7} {:>6} {}".format(peer, *lists).rstrip()


_ACTIVATE = "neighbor activate"
_BGP_COLUMNS = (
    ("neighbor filter-list", "list", "in"),
    ("neighbor filter-list", "list", "out"),
    ("neighbor distribute-list", "list", "in"),
    ("neighbor distribute-list", "list", "out"),
    ("neighbor weight", "weight", None),
    ("neighbor route-map", "map", "in"),
)


def _bgp_policy(family: Section, peers: Iterable[str], name: str, argument: str, way: str | None) -> str:
    for peer in peers:
        entry = family.get(name, peer=peer, way=way) if way else family.get(name, peer=peer)
        if entry is not None:
            return str(entry[argument])
    return ""


def show_six(at: Exec, _match: Match) -> str:
    """``show ipv6 protocols``."""
    context = at.device.context()
    lines = ['IPv6 Routing Protocol is "connected"', 'IPv6 Routing Protocol is "ND"']
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
    sources = _redistributing(section)
    yield "  Redistribution:" if sources else "  Redistribution:\n    None"
    for source in sources:
        yield f"    Redistributing protocol {source}"
