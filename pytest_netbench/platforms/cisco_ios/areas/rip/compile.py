"""Compile the lines of the area ``rip``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pytest_netbench.dialects.cisco_ios import interfaces
from pytest_netbench.platforms.cisco_ios.areas import keychain
from pytest_netbench.platforms.cisco_ios.areas.common import igp
from pytest_netbench.platforms.cisco_ios.areas.policy import frrnames
from pytest_netbench.platforms.cisco_ios.compile.context import Context, Interface
from pytest_netbench.platforms.cisco_ios.config.tree import Entry, Section

_NO_METRIC = 16

_LEAST_GARBAGE_S = 5

_EVERY_NETWORK = "netbench-rip-any"


def members(context: Context, section: Section) -> list[Interface]:
    """Return the interfaces with an address in one of the networks."""
    networks = {igp.classful(entry["network"]) for entry in section.all("network")}
    return [
        one
        for one in context.interfaces
        if not one.vrf and any(igp.classful(a.split("/")[0]) in networks for a in igp.addresses(context, one)[:1])
    ]


def six_members(context: Context, name: str) -> list[Interface]:
    """Return the interfaces on which the process called ``name`` runs."""
    return [one for one in context.interfaces if any(e["name"] == name for e in one.section.all("ipv6 rip enable"))]


def compile_rip(context: Context) -> None:
    """Add the RIP processes of the config."""
    for process in context.config.all("router rip"):
        igp.report_kinds(context, process.body)
        _four(context, process)
    for process in context.config.all("ipv6 router rip"):
        _six(context, process)


def _four(context: Context, process: Entry) -> None:
    section = process.body
    version = section.get("version")
    mine = members(context, section)
    if not section.says_no("auto-summary"):
        _summarize(context, mine)
    for one in mine:
        _interface(context, one, version)

    def add(line: str, key: str = "", undo: str | None = None) -> None:
        context.state.frr.add("ripd", "router rip", line, key=key, undo=undo)

    context.state.frr.add("ripd", "router rip")
    add("allow-ecmp")
    if version is not None:
        add(f"version {version['number']}", key="version", undo="no version")
    for one in mine:
        add(f"network {one.kernel}")
        if one.parsed.kind == "Loopback" or igp.is_passive(section, one.name):
            add(f"passive-interface {one.kernel}")
    for entry in section.all("neighbor"):
        add(f"neighbor {entry['address']}")
    for line, key, undo in (*_timers(section), *_common(section, "ripd"), *_offsets(context, section)):
        add(line, key, undo)
    distance = section.get("distance")
    if distance is not None:
        add(f"distance {distance['distance']}", key="distance", undo="no distance")


def _offsets(context: Context, section: Section) -> Iterable[tuple[str, str, str | None]]:
    for entry in section.all("offset-list"):
        where = f" {interfaces.kernel_name(entry['interface'])}" if "interface" in entry.match.args else ""
        # ripd replaces the hop by an inbound offset, IOS adds both
        offset = min(int(entry["offset"]) + (entry["way"] == "in"), _NO_METRIC)
        line = f"offset-list {_offset_acl(context, entry['list'])} {entry['way']} {offset}{where}"
        yield line, f"offset {entry['way']}{where}", f"no {line}"


def _offset_acl(context: Context, name: str) -> str:
    """Return FRR's name for the list of an ``offset-list``; 0 means every network."""
    if name != "0":
        return frrnames.access_list(context, name)
    context.state.frr.add("ripd", f"access-list {_EVERY_NETWORK} seq 1 permit any")
    return _EVERY_NETWORK


def _summarize(context: Context, mine: Sequence[Interface]) -> None:
    """Summarize subnets at the border of their classful network.

    Only a router with interfaces in several classful networks is at a border.
    """
    majors = {one.name: igp.classful(igp.addresses(context, one)[0].split("/")[0]) for one in mine}
    if len(set(majors.values())) < 2:
        return
    for major in dict.fromkeys(majors.values()):
        context.state.frr.add("ripd", "router rip", f"route {major}")
    for one in mine:
        name = f"netbench-rip-{one.kernel}"
        opening = f"ip prefix-list {name} seq"
        for number, major in enumerate(dict.fromkeys(majors.values()), start=1):
            inside = major == majors[one.name]
            subnets = "" if inside else f" ge {major.prefixlen + 1}"
            context.state.frr.add("ripd", f"{opening} {number} deny {major}{subnets}")
        context.state.frr.add("ripd", f"{opening} 1000 permit 0.0.0.0/0 le 32")
        context.state.frr.add("ripd", "router rip", f"distribute-list prefix {name} out {one.kernel}")


def _interface(context: Context, one: Interface, version: Entry | None) -> None:
    opening = igp.frr_interface(one)
    for way, usual in (("send", "1"), ("receive", "1 2")):
        own = one.section.get(f"ip rip {way} version")
        numbers = " ".join(word for word in ("1", "2") if own.has(word)) if own is not None else ""
        # without a configured version, IOS sends version 1 and receives both
        chosen = numbers or (usual if version is None else "")
        if chosen:
            line = f"ip rip {way} version {chosen}"
            context.state.frr.add("ripd", opening, line, key=way, undo=f"no ip rip {way} version")
    if one.section.says_no("ip split-horizon"):
        context.state.frr.add("ripd", opening, "no ip rip split-horizon", undo="ip rip split-horizon")
    if one.section.has("ip rip v2-broadcast"):
        context.state.frr.add("ripd", opening, "ip rip v2-broadcast")
    chain, mode = one.section.get("ip rip authentication key-chain"), one.section.get("ip rip authentication mode")
    if chain is not None:
        keychain.tell(context, "ripd", chain["chain"])
        kind = "md5" if mode is not None and mode.has("md5") else "text"
        for line in (f"mode {kind}", f"key-chain {chain['chain']}"):
            undo = f"no ip rip authentication {line.split()[0]}"
            context.state.frr.add("ripd", opening, f"ip rip authentication {line}", key=line.split()[0], undo=undo)


def _timers(section: Section) -> Iterable[tuple[str, str, str | None]]:
    entry = section.get("timers basic")
    if entry is not None:
        garbage = max(_LEAST_GARBAGE_S, int(entry["flush"]) - int(entry["invalid"]))
        yield f"timers basic {entry['update']} {entry['invalid']} {garbage}", "timers", "no timers basic"


def _common(section: Section, daemon: str) -> Iterable[tuple[str, str, str | None]]:
    usual = section.get("default-metric")
    for source, entry in igp.redistributions(section):
        metric = entry.get("metric") or (usual["metric"] if usual else 1 if source in {"connected", "static"} else None)
        if metric is None and "map" not in entry.match.args:
            continue  # the metric is infinity: the route is not advertised
        frr = "ospf6" if daemon == "ripngd" and source == "ospf" else source
        words = [f"redistribute {frr}"]
        words += [f"metric {metric}"] if metric is not None else []
        words += [f"route-map {entry['map']}"] if "map" in entry.match.args else []
        yield " ".join(words), "", f"no redistribute {frr}"
    if section.has("default-information originate"):
        yield "default-information originate", "", None


def _six(context: Context, process: Entry) -> None:
    section = process.body
    context.state.frr.add("ripngd", "router ripng")
    for one in six_members(context, process["name"]):
        context.state.frr.add("ripngd", "router ripng", f"network {one.kernel}")
        if one.parsed.kind == "Loopback":
            context.state.frr.add("ripngd", "router ripng", f"passive-interface {one.kernel}")
        if one.section.has("ipv6 rip default-information"):
            context.state.frr.add("ripngd", "router ripng", "default-information originate")
    for line, key, undo in (*_timers(section), *_common(section, "ripngd")):
        context.state.frr.add("ripngd", "router ripng", line, key=key, undo=undo)
