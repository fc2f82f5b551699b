"""RIP for IPv4 and IPv6."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pytest_netbench.dialects.cisco_ios import interfaces
from pytest_netbench.platforms.cisco_ios.areas import keychain
from pytest_netbench.platforms.cisco_ios.areas.common import igp
from pytest_netbench.platforms.cisco_ios.areas.interfaces import MODE as INTERFACE
from pytest_netbench.platforms.cisco_ios.areas.policy import frrnames
from pytest_netbench.platforms.cisco_ios.areas.rip_shows import SHOWS
from pytest_netbench.platforms.cisco_ios.compile.context import Context, Interface
from pytest_netbench.platforms.cisco_ios.config.edit import Edit
from pytest_netbench.platforms.cisco_ios.config.tree import Entry, Section
from pytest_netbench.platforms.cisco_ios.grammar.command import Area, Command, Match, Mode
from pytest_netbench.platforms.cisco_ios.grammar.types import matching

MODE = "router-rip"
SIX = "router-ripng"
_NO_METRIC = 16
_LEAST_GARBAGE_S = 5
_EVERY_NETWORK = "netbench-rip-any"


def _network(edit: Edit, match: Match) -> str | None:
    """Kept as the classful network of what was typed."""
    text = f"network {igp.classful(match['network']).network_address}"
    for entry in [entry for entry in edit.section.all("network") if entry.text == text]:
        edit.section.remove(entry)
    if not match.negated and not match.reset:
        edit.put(text)
    return None


def _enable_six(edit: Edit, match: Match) -> str | None:
    if not match.negated and not match.reset:
        if not edit.booting and not edit.config.has("ipv6 unicast-routing"):
            return "% IPv6 routing not enabled"
        known = edit.config.all("ipv6 router rip")
        if known and known[0]["name"] != match["name"]:
            return f"% RIPng: process {known[0]['name']} runs already, and this device runs one process"
        if not known:
            edit.put(f"ipv6 router rip {match['name']}", edit.config)
    return edit.keep(match)


def _open_six(edit: Edit, match: Match) -> str | None:
    others = [e for e in edit.config.all("ipv6 router rip") if e["name"] != match["name"]]
    if others and not match.negated and not match.reset:
        return f"% RIPng: process {others[0]['name']} runs already, and this device runs one process"
    if match.negated or match.reset:
        igp.leave(edit, match["name"], "ipv6 rip enable", "ipv6 rip default-information", argument="name")
    return edit.keep(match)


def members(context: Context, section: Section) -> list[Interface]:
    """Interfaces with an address in one of the networks."""
    networks = {igp.classful(entry["network"]) for entry in section.all("network")}
    return [
        one
        for one in context.interfaces
        if not one.vrf and any(igp.classful(a.split("/")[0]) in networks for a in igp.addresses(context, one)[:1])
    ]


def six_members(context: Context, name: str) -> list[Interface]:
    """Interfaces on which the process called ``name`` runs."""
    return [one for one in context.interfaces if any(e["name"] == name for e in one.section.all("ipv6 rip enable"))]


def _compile(context: Context) -> None:
    for process in context.config.all("router rip"):
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
        context.plan.frr.add("ripd", "router rip", line, key=key, undo=undo)

    context.plan.frr.add("ripd", "router rip")
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
        # ripd adds an inbound offset instead of the hop, IOS beside it
        offset = min(int(entry["offset"]) + (entry["way"] == "in"), _NO_METRIC)
        line = f"offset-list {_offset_acl(context, entry['list'])} {entry['way']} {offset}{where}"
        yield line, f"offset {entry['way']}{where}", f"no {line}"


def _offset_acl(context: Context, name: str) -> str:
    """How FRR calls the list of an ``offset-list``; 0 means every network."""
    if name != "0":
        return frrnames.access_list(context, name)
    context.plan.frr.add("ripd", f"access-list {_EVERY_NETWORK} seq 1 permit any")
    return _EVERY_NETWORK


def _summarize(context: Context, mine: Sequence[Interface]) -> None:
    """At the border of a classful network its subnets are told as one. Only a router with interfaces in several is at a border."""
    majors = {one.name: igp.classful(igp.addresses(context, one)[0].split("/")[0]) for one in mine}
    if len(set(majors.values())) < 2:
        return
    for major in dict.fromkeys(majors.values()):
        context.plan.frr.add("ripd", "router rip", f"route {major}")
    for one in mine:
        name = f"netbench-rip-{one.kernel}"
        opening = f"ip prefix-list {name} seq"
        for number, major in enumerate(dict.fromkeys(majors.values()), start=1):
            inside = major == majors[one.name]
            subnets = "" if inside else f" ge {major.prefixlen + 1}"
            context.plan.frr.add("ripd", f"{opening} {number} deny {major}{subnets}")
        context.plan.frr.add("ripd", f"{opening} 1000 permit 0.0.0.0/0 le 32")
        context.plan.frr.add("ripd", "router rip", f"distribute-list prefix {name} out {one.kernel}")


def _interface(context: Context, one: Interface, version: Entry | None) -> None:
    opening = igp.frr_interface(one)
    for way, usual in (("send", "1"), ("receive", "1 2")):
        own = one.section.get(f"ip rip {way} version")
        numbers = " ".join(word for word in ("1", "2") if own.has(word)) if own is not None else ""
        # without a version of the process, IOS sends the old one and understands both
        chosen = numbers or (usual if version is None else "")
        if chosen:
            line = f"ip rip {way} version {chosen}"
            context.plan.frr.add("ripd", opening, line, key=way, undo=f"no ip rip {way} version")
    if one.section.says_no("ip split-horizon"):
        context.plan.frr.add("ripd", opening, "no ip rip split-horizon", undo="ip rip split-horizon")
    if one.section.has("ip rip v2-broadcast"):
        context.plan.frr.add("ripd", opening, "ip rip v2-broadcast")
    chain, mode = one.section.get("ip rip authentication key-chain"), one.section.get("ip rip authentication mode")
    if chain is not None:
        keychain.tell(context, "ripd", chain["chain"])
        kind = "md5" if mode is not None and mode.has("md5") else "text"
        for line in (f"mode {kind}", f"key-chain {chain['chain']}"):
            undo = f"no ip rip authentication {line.split()[0]}"
            context.plan.frr.add("ripd", opening, f"ip rip authentication {line}", key=line.split()[0], undo=undo)


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
            continue  # its metric is infinity: nothing is advertised
        frr = "ospf6" if daemon == "ripngd" and source == "ospf" else source
        words = [f"redistribute {frr}"]
        words += [f"metric {metric}"] if metric is not None else []
        words += [f"route-map {entry['map']}"] if "map" in entry.match.args else []
        yield " ".join(words), "", f"no redistribute {frr}"
    if section.has("default-information originate"):
        yield "default-information originate", "", None


def _six(context: Context, process: Entry) -> None:
    section = process.body
    context.plan.frr.add("ripngd", "router ripng")
    for one in six_members(context, process["name"]):
        context.plan.frr.add("ripngd", "router ripng", f"network {one.kernel}")
        if one.parsed.kind == "Loopback":
            context.plan.frr.add("ripngd", "router ripng", f"passive-interface {one.kernel}")
        if one.section.has("ipv6 rip default-information"):
            context.plan.frr.add("ripngd", "router ripng", "default-information originate")
    for line, key, undo in (*_timers(section), *_common(section, "ripngd")):
        context.plan.frr.add("ripngd", "router ripng", line, key=key, undo=undo)


_OPTIONS = "< metric {metric:0-16} | route-map {map:word} >"
_FOUR = (
    Command(pattern="network {network!:ipv4}", mode=MODE, edit=_network, help="Enable routing on an IP network"),
    Command(pattern="version {number:1-2}", mode=MODE, help="Set routing protocol version"),
    Command(pattern="auto-summary", mode=MODE, keeps_no=True, default=("auto-summary",), help="Enable automatic network number summarization"),
    *igp.passive_commands(MODE),
    Command(pattern="neighbor {address!:ipv4}", mode=MODE, help="Specify a neighbor router"),
    *igp.redistribute_commands(MODE, _OPTIONS, but=("rip",)),
    Command(pattern="offset-list {list!:name} {way!:inout} {offset:0-16} [ {interface!:interface} ]", mode=MODE, help="Add or subtract offset from RIP metrics"),
    Command(pattern="default-metric {metric:1-16}", mode=MODE, help="Set metric of redistributed routes"),
    Command(pattern="default-information originate", mode=MODE, help="Distribute a default route"),
    Command(pattern="distance {distance:1-255}", mode=MODE, default=("distance 120",), help="Define an administrative distance"),
    Command(pattern="timers basic {update:5-4294967} {invalid:5-4294967} {holddown:0-4294967} {flush:5-4294967}", mode=MODE, help="Basic routing protocol update timers"),
    Command(pattern="maximum-paths {paths:1-32}", mode=MODE, default=("maximum-paths 4",), marked="as many ways as there are"),
    Command(pattern="validate-update-source", mode=MODE, keeps_no=True, default=("validate-update-source",)),
    Command(pattern="ip rip send version ( 1 | 2 )+", name="ip rip send version", mode=INTERFACE, help="Advertisement transmission"),
    Command(pattern="ip rip receive version ( 1 | 2 )+", name="ip rip receive version", mode=INTERFACE, help="Advertisement reception"),
    Command(pattern="ip rip v2-broadcast", mode=INTERFACE, help="Send ip broadcast v2 update"),
    Command(pattern="ip rip authentication mode ^ ( md5 | text )", name="ip rip authentication mode", mode=INTERFACE, default=("ip rip authentication mode text",), help="Authentication mode"),
    Command(pattern="ip rip authentication key-chain {chain:name}", mode=INTERFACE, help="Authentication key-chain"),
    Command(pattern="ip split-horizon", mode=INTERFACE, keeps_no=True, default=("ip split-horizon",), help="Perform split horizon"),
)  # fmt: skip
_SIX_COMMANDS = (
    Command(pattern="ipv6 rip {name!:word} enable", mode=INTERFACE, edit=_enable_six, help="Enable/disable RIP routing"),
    Command(
        pattern="ipv6 rip {name!:word} default-information ( originate | only )", name="ipv6 rip default-information", mode=INTERFACE, help="Configure handling of default route"
    ),
    *(
        Command(pattern=f"redistribute {source} {_OPTIONS}", mode=SIX, name="redistribute", help="Redistribute IPv6 prefixes from another routing protocol")
        for source in ("connected", "static", "bgp {number!:asn}", "ospf {number!:1-65535}", "isis [ {tag:word} ]")
    ),
    Command(pattern="timers {update:5-65535} {invalid:5-65535} {holddown:0-65535} {flush:5-65535}", name="timers basic", mode=SIX, help="Adjust routing timers"),
)  # fmt: skip

AREA = Area(
    name="rip",
    types={"inout": matching("in|out", "in|out")},
    modes=(
        Mode(name=MODE, prompt="config-router", help="RIP"),
        Mode(name=SIX, prompt="config-rtr", help="RIP for IPv6"),
    ),
    commands=(
        Command(pattern="router rip", opens=MODE, help="Routing Information Protocol (RIP)"),
        Command(pattern="ipv6 router rip {name!:word}", opens=SIX, edit=_open_six, help="RIP Routing Protocol"),
        *_FOUR,
        *_SIX_COMMANDS,
        *SHOWS,
    ),
    compile=_compile,
    scope=(
        ("RIP: networks, versions, passive interfaces, neighbors, timers, redistribution, default route", "yes"),
        ("RIP: automatic summarization between the classful networks of a router's interfaces", "yes"),
        ("RIP: authentication by key chain, in text or MD5", "yes"),
        ("RIP: offset lists", "yes"),
        ("RIP: summary addresses", "refused"),
        ("RIP for IPv6: one process", "yes"),
    ),
)
