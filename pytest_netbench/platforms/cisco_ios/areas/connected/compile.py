"""Compile the connected networks that ``redistribute`` lines include.

FRR redistributes only routes that a protocol has in the routing table, where a connected network is the interface's.
So each daemon redistributes connected networks by a route map with an entry for each line that includes some.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Interface, IPv4Network

from pytest_netbench.platforms.cisco_ios.areas import isis, rip
from pytest_netbench.platforms.cisco_ios.areas.bgp import redistribution
from pytest_netbench.platforms.cisco_ios.areas.bgp.peers import instances
from pytest_netbench.platforms.cisco_ios.areas.common import igp
from pytest_netbench.platforms.cisco_ios.areas.connected import sources
from pytest_netbench.platforms.cisco_ios.areas.ospf import process as ospf
from pytest_netbench.platforms.cisco_ios.areas.ospfv3 import process as ospfv3
from pytest_netbench.platforms.cisco_ios.areas.policy import frrnames
from pytest_netbench.platforms.cisco_ios.areas.policy.compile import map_of_sources
from pytest_netbench.platforms.cisco_ios.compile.context import Context, Interface
from pytest_netbench.platforms.cisco_ios.config.tree import Entry, Section

_SEED = 20
"""The metric in OSPF of a connected network."""
_REDISTRIBUTE = "redistribute connected"


@dataclass(frozen=True, kw_only=True)
class _Part:
    """The networks that one line includes: alternative matches, access lists that permit them, and what is set."""

    matches: Sequence[str]
    permitted_by: Sequence[str] = ()
    sets: Sequence[str] = ()
    call: str | None = None


def compile_connected(context: Context) -> None:
    """Add the included networks of all protocols."""
    for _, section in context.config.sections("router rip"):
        _rip(context, section)
    for process in ospf.processes(context):
        _ospf(context, process)
    for entry, section in context.config.sections("router isis"):
        _isis(context, entry, section)
    for instance in instances(context.config):
        head = f"router bgp {instance.local_as}" + (f" vrf {instance.vrf}" if instance.vrf else "")
        for family, body in instance.families.items():
            _bgp(context, (head, f"address-family {family} unicast"), instance.vrf, body)
    for entry, section in context.config.sections("ipv6 router rip"):
        _ripng(context, entry, section)
    for process_six in ospfv3.processes(context.config):
        _ospfv3(context, process_six)


def _rip(context: Context, section: Section) -> None:
    daemon, mine = "ripd", rip.members(context, section)
    parts = [
        _Part(matches=matches, sets=[f"metric {metric}"] if metric is not None else [], call=entry.get("map"))
        for entry in sources.including(section)
        for matches in _four(context, daemon, entry, but=mine)
        for metric in [_rip_metric(section, entry)]
        if metric is not None or "map" in entry.match.args  # without a metric it is infinity
    ]
    for name in _route_map(context, daemon, "netbench-rip-included", parts):
        _add(context, daemon, ("router rip",), f"{_REDISTRIBUTE} route-map {name}")


def _rip_metric(section: Section, entry: Entry) -> int | None:
    usual = section.get("default-metric")
    found = entry.get("metric") or (usual["metric"] if usual is not None else None)
    return None if found is None else int(found)


def _ospf(context: Context, process: ospf.Process) -> None:
    daemon, mine = "ospfd", [member.one for member in ospf.members(context, process)]
    suffix = f"-{process.vrf}" if process.vrf else ""
    parts = [
        _Part(
            matches=matches,
            permitted_by=_filters(context, process.section, entry),
            sets=_external(entry),
            call=entry.get("map"),
        )
        for entry in sources.including(process.section)
        if sources.word_of(entry) != "ospf"
        for matches in _four(
            context, daemon, entry, vrf=process.vrf, but=mine, subnets=entry.has("subnets"), suffix=suffix
        )
    ]
    decided_by = ospf.next_hop_networks(context, process)
    for name in _route_map(context, daemon, f"netbench-ospf-included{suffix}", parts):
        line = f"{_REDISTRIBUTE} route-map {name}"
        _add(context, daemon, (process.frr,), line, key=f"{line} originated by {decided_by}")


def _filters(context: Context, section: Section, entry: Entry) -> list[str]:
    """Return the access list of ``distribute-list … out`` for the source of a ``redistribute`` line."""
    lines = [line for line in section.all("distribute-list") if line["way"] == "out"]
    named = [line for line in lines if line.text.partition(" out ")[2].split()[:1] == [sources.word_of(entry)]]
    return [frrnames.access_list(context, line["list"]) for line in named[-1:]]


def _external(entry: Entry) -> list[str]:
    tag = [f"tag {entry['tag2']}"] if "tag2" in entry.match.args else []
    return [f"metric {entry.get('metric', _SEED)}", f"metric-type type-{entry.get('type', 2)}", *tag]


def _isis(context: Context, process: Entry, section: Section) -> None:
    daemon, mine = "isisd", isis.members(context)
    if not section.has("net"):
        return
    for level in ("level-1", "level-2"):
        parts = [
            _Part(
                matches=matches,
                sets=[f"metric {entry['metric']}"] if "metric" in entry.match.args else [],
                call=entry.get("map"),
            )
            for entry in sources.including(section)
            if level in isis.levels_of(section, entry)
            for matches in _four(context, daemon, entry, but=mine, suffix=f"-{level}")
        ]
        for name in _route_map(context, daemon, f"netbench-isis-included-{level}", parts):
            head = f"router isis {isis.frr_tag(process)}"
            _add(context, daemon, (head,), f"redistribute ipv4 connected {level} route-map {name}")


def _bgp(context: Context, path: tuple[str, ...], vrf: str, body: Section) -> None:
    daemon, six = "bgpd", body.mode.endswith("6")
    usual = body.get("default-metric")
    parts = []
    for entry in sources.including(body):
        metric = entry.get("metric", usual["metric"] if usual else None)
        suffix = f"-{vrf}" if vrf else ""
        found = [_six(context, entry, but=())] if six else _four(context, daemon, entry, vrf=vrf, suffix=suffix)
        parts += [
            _Part(
                matches=matches,
                sets=[f"metric {metric}"] if metric is not None else [],
                call=map_of_sources(context, str(entry["map"])) if "map" in entry.match.args else None,
            )
            for matches in found
        ]
    suffix = f"-{vrf}" if vrf else ""
    if not six and (classful := [entry for entry in body.all("network") if redistribution.is_part(body, entry)]):
        # connected networks are redistributed already, for the networks of which they are a part
        list(_route_map(context, daemon, f"netbench-bgp-connected{suffix}", parts, after=len(classful)))
        return
    summed = redistribution.is_summed(body)
    for used in _route_map(context, daemon, f"netbench-bgp{'6' if six else ''}-included{suffix}", parts):
        line = f"{_REDISTRIBUTE}{' metric 0' if summed else ''} route-map {used}"
        _add(context, daemon, path, line, key=f"{line} summed" if summed else "")


def _ripng(context: Context, process: Entry, section: Section) -> None:
    mine = rip.six_members(context, process["name"])
    parts = [
        _Part(
            matches=_six(context, entry, but=mine),
            sets=[f"metric {entry['metric']}"] if entry.get("metric") else [],
            call=entry.get("map"),
        )
        for entry in sources.including(section)
        if entry.get("metric") or "map" in entry.match.args  # without a metric it is infinity
    ]
    for name in _route_map(context, "ripngd", "netbench-ripng-included", parts):
        _add(context, "ripngd", ("router ripng",), f"{_REDISTRIBUTE} route-map {name}")


def _ospfv3(context: Context, process: ospfv3.Process) -> None:
    mine = [member.one for member in ospfv3.members(context, process)]
    parts = [
        _Part(matches=_six(context, entry, but=mine), sets=_external(entry), call=entry.get("map"))
        for entry in sources.including(process.routes)
    ]
    for name in _route_map(context, "ospf6d", "netbench-ospf6-included", parts):
        _add(context, "ospf6d", ("router ospf6",), f"{_REDISTRIBUTE} route-map {name}")


def _four(
    context: Context,
    daemon: str,
    entry: Entry,
    *,
    vrf: str = "",
    but: Iterable[Interface] = (),
    subnets: bool = True,
    suffix: str = "",
) -> Iterator[list[str]]:
    """Yield the match on the networks that a line includes, if there are some, except those of the interfaces ``but``.

    Without ``subnets`` these are the networks that are not longer than their class.
    """
    others = {one.name for one in but}
    found = {
        network
        for one in sources.four(context, entry, vrf)
        if one.enabled and one.name not in others
        for network in (IPv4Interface(address).network for address in one.addresses)
        if subnets or network.prefixlen <= igp.classful(str(network.network_address)).prefixlen
    }
    if found:
        number = f"-{entry['number']}" if "number" in entry.match.args else ""
        yield [_prefix_list(context, daemon, f"netbench-{daemon}-{sources.word_of(entry)}{number}{suffix}", found)]


def _prefix_list(context: Context, daemon: str, name: str, networks: Iterable[IPv4Network]) -> str:
    for number, network in enumerate(sorted(networks), start=1):
        context.state.frr.add(daemon, f"ip prefix-list {name} seq {number} permit {network}")
    return f"ip address prefix-list {name}"


def _six(context: Context, entry: Entry, *, but: Iterable[Interface]) -> list[str]:
    others = {one.name for one in but}
    return [f"interface {one.kernel}" for one in sources.six(context, entry) if one.name not in others]


def _route_map(context: Context, daemon: str, name: str, parts: Sequence[_Part], *, after: int = 0) -> Iterator[str]:
    """Add an entry of a route map for each match, ``after`` those that it has; yield its name if there is a match."""
    entries = [(match, part) for part in parts for match in part.matches]
    for number, (match, part) in enumerate(entries, start=after + 1):
        opening = f"route-map {name} permit {number}"
        context.state.frr.add(daemon, opening)
        context.state.frr.add(daemon, opening, f"match {match}", key=match.split(" ", 1)[0])
        for name_of_list in part.permitted_by:
            context.state.frr.add(daemon, opening, f"match ip address {name_of_list}", key="ip address")
        for words in part.sets:
            key = words.rpartition(" ")[0]
            context.state.frr.add(daemon, opening, f"set {words}", key=key, undo=f"no set {key}")
        if part.call:
            context.state.frr.add(daemon, opening, f"call {part.call}", key="call", undo="no call")
    if entries:
        yield name


def _add(context: Context, daemon: str, path: tuple[str, ...], line: str, *, key: str = "") -> None:
    undo = f"no {line.partition(' route-map ')[0].partition(' metric ')[0]}"
    context.state.frr.add(daemon, *path, line, key=key, undo=undo)
