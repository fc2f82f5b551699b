"""The grammar of the area ``rip``: its commands and how lines are stored."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas.common import igp
from pytest_netbench.platforms.cisco_ios.areas.interfaces.grammar import MODE as INTERFACE
from pytest_netbench.platforms.cisco_ios.config.edit import Edit
from pytest_netbench.platforms.cisco_ios.grammar.command import Command, Match, Mode
from pytest_netbench.platforms.cisco_ios.grammar.types import matching

MODE = "router-rip"


SIX = "router-ripng"


def _network(edit: Edit, match: Match) -> str | None:
    """Store a network as its classful network."""
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


_OPTIONS = "< metric {metric:0-16} | route-map {map:word} >"


_OPTIONS_SIX = "< metric {metric:0-16} | route-map {map:word} | include-connected >"


_FOUR = (
    Command(pattern="network {network!:ipv4}", mode=MODE, edit=_network, help="Enable routing on an IP network"),
    Command(pattern="version {number:1-2}", mode=MODE, help="Set routing protocol version"),
    Command(
        pattern="auto-summary",
        mode=MODE,
        keeps_no=True,
        default=("auto-summary",),
        help="Enable automatic network number summarization",
    ),
    *igp.passive_commands(MODE),
    Command(pattern="neighbor {address!:ipv4}", mode=MODE, help="Specify a neighbor router"),
    *igp.redistribute_commands(MODE, _OPTIONS, but=("rip",)),
    Command(
        pattern="offset-list {list!:name} {way!:inout} {offset:0-16} [ {interface!:interface} ]",
        mode=MODE,
        help="Add or subtract offset from RIP metrics",
    ),
    Command(pattern="default-metric {metric:1-16}", mode=MODE, help="Set metric of redistributed routes"),
    Command(pattern="default-information originate", mode=MODE, help="Distribute a default route"),
    Command(
        pattern="distance {distance:1-255}",
        mode=MODE,
        default=("distance 120",),
        help="Define an administrative distance",
    ),
    Command(
        pattern="timers basic {update:5-4294967} {invalid:5-4294967} {holddown:0-4294967} {flush:5-4294967}",
        mode=MODE,
        help="Basic routing protocol update timers",
    ),
    Command(
        pattern="maximum-paths {paths:1-32}",
        mode=MODE,
        default=("maximum-paths 4",),
        marked="all available paths are used",
    ),
    Command(pattern="validate-update-source", mode=MODE, keeps_no=True, default=("validate-update-source",)),
    Command(
        pattern="ip rip send version ( 1 | 2 )+",
        name="ip rip send version",
        mode=INTERFACE,
        help="Advertisement transmission",
    ),
    Command(
        pattern="ip rip receive version ( 1 | 2 )+",
        name="ip rip receive version",
        mode=INTERFACE,
        help="Advertisement reception",
    ),
    Command(pattern="ip rip v2-broadcast", mode=INTERFACE, help="Send ip broadcast v2 update"),
    Command(
        pattern="ip rip authentication mode ^ ( md5 | text )",
        name="ip rip authentication mode",
        mode=INTERFACE,
        default=("ip rip authentication mode text",),
        help="Authentication mode",
    ),
    Command(pattern="ip rip authentication key-chain {chain:name}", mode=INTERFACE, help="Authentication key-chain"),
    Command(
        pattern="ip split-horizon",
        mode=INTERFACE,
        keeps_no=True,
        default=("ip split-horizon",),
        help="Perform split horizon",
    ),
)


_SIX_COMMANDS = (
    Command(
        pattern="ipv6 rip {name!:word} enable", mode=INTERFACE, edit=_enable_six, help="Enable/disable RIP routing"
    ),
    Command(
        pattern="ipv6 rip {name!:word} default-information ( originate | only )",
        name="ipv6 rip default-information",
        mode=INTERFACE,
        help="Configure handling of default route",
    ),
    *(
        Command(
            pattern=f"redistribute {source} {_OPTIONS_SIX}",
            mode=SIX,
            name="redistribute",
            help="Redistribute IPv6 prefixes from another routing protocol",
        )
        for source in ("connected", "static", "bgp {number!:asn}", "ospf {number!:1-65535}", "isis [ {tag:word} ]")
    ),
    Command(
        pattern="timers {update:5-65535} {invalid:5-65535} {holddown:0-65535} {flush:5-65535}",
        name="timers basic",
        mode=SIX,
        help="Adjust routing timers",
    ),
)


COMMANDS: tuple[Command, ...] = (
    Command(pattern="router rip", opens=MODE, help="Routing Information Protocol (RIP)"),
    Command(pattern="ipv6 router rip {name!:word}", opens=SIX, edit=_open_six, help="RIP Routing Protocol"),
    *_FOUR,
    *_SIX_COMMANDS,
)


MODES = (
    Mode(name=MODE, prompt="config-router", help="RIP"),
    Mode(name=SIX, prompt="config-rtr", help="RIP for IPv6"),
)


TYPES = {"inout": matching("in|out", "in|out")}
