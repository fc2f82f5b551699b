"""RIP for IPv4 and IPv6."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas.common import igp
from pytest_netbench.platforms.cisco_ios.areas.interfaces.grammar import MODE as INTERFACE
from pytest_netbench.platforms.cisco_ios.areas.rip.compile import compile_rip, members, six_members
from pytest_netbench.platforms.cisco_ios.areas.rip.shows import SHOWS
from pytest_netbench.platforms.cisco_ios.config.edit import Edit
from pytest_netbench.platforms.cisco_ios.grammar.command import Area, Match, Mode
from pytest_netbench.platforms.cisco_ios.grammar.tables import setting, table
from pytest_netbench.platforms.cisco_ios.grammar.types import matching

MODE = "router-rip"

SIX = "router-ripng"


def _network(edit: Edit, match: Match) -> str | None:
    """Store a network as its classful network."""
    text = f"network {igp.classful(match['network']).network_address}"
    edit.section.remove(*(entry for entry in edit.section.all("network") if entry.text == text))
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

_FOUR = table(
    setting("network {network!:ipv4}", "Enable routing on an IP network", edit=_network, mode=MODE),
    setting("version {number:1-2}", "Set routing protocol version", mode=MODE),
    setting("auto-summary", "Enable automatic network number summarization", on=True, mode=MODE),
    *igp.passive_commands(MODE),
    setting("neighbor {address!:ipv4}", "Specify a neighbor router", mode=MODE),
    *igp.redistribute_commands(MODE, _OPTIONS, but=("rip",)),
    setting(
        "offset-list {list!:name} {way!:inout} {offset:0-16} [ {interface!:interface} ]",
        "Add or subtract offset from RIP metrics",
        mode=MODE,
    ),
    setting("default-metric {metric:1-16}", "Set metric of redistributed routes", mode=MODE),
    setting("default-information originate", "Distribute a default route", mode=MODE),
    setting("distance {distance:1-255}", "Define an administrative distance", default="distance 120", mode=MODE),
    setting(
        "timers basic {update:5-4294967} {invalid:5-4294967} {holddown:0-4294967} {flush:5-4294967}",
        "Basic routing protocol update timers",
        mode=MODE,
    ),
    setting("maximum-paths {paths:1-32}", default="maximum-paths 4", marked="all available paths are used", mode=MODE),
    setting("validate-update-source", on=True, mode=MODE),
    setting("ip rip send version ( 1 | 2 )+", "Advertisement transmission", mode=INTERFACE),
    setting("ip rip receive version ( 1 | 2 )+", "Advertisement reception", mode=INTERFACE),
    setting("ip rip v2-broadcast", "Send ip broadcast v2 update", mode=INTERFACE),
    setting(
        "ip rip authentication mode ^ ( md5 | text )",
        "Authentication mode",
        default="ip rip authentication mode text",
        mode=INTERFACE,
    ),
    setting("ip rip authentication key-chain {chain:name}", "Authentication key-chain", mode=INTERFACE),
    setting("ip split-horizon", "Perform split horizon", on=True, mode=INTERFACE),
)

_SIX_COMMANDS = table(
    setting("ipv6 rip {name!:word} enable", "Enable/disable RIP routing", edit=_enable_six, mode=INTERFACE),
    setting(
        "ipv6 rip {name!:word} default-information ( originate | only )",
        "Configure handling of default route",
        mode=INTERFACE,
    ),
    *(
        setting(
            f"redistribute {source} {_OPTIONS_SIX}",
            "Redistribute IPv6 prefixes from another routing protocol",
            name="redistribute",
            mode=SIX,
        )
        for source in ("connected", "static", "bgp {number!:asn}", "ospf {number!:1-65535}", "isis [ {tag:word} ]")
    ),
    setting(
        "timers {update:5-65535} {invalid:5-65535} {holddown:0-65535} {flush:5-65535}",
        "Adjust routing timers",
        name="timers basic",
        mode=SIX,
    ),
)

COMMANDS = table(
    setting("router rip", "Routing Information Protocol (RIP)", opens=MODE),
    setting("ipv6 router rip {name!:word}", "RIP Routing Protocol", opens=SIX, edit=_open_six),
    *_FOUR,
    *_SIX_COMMANDS,
)

MODES = (
    Mode(name=MODE, prompt="config-router", help="RIP"),
    Mode(name=SIX, prompt="config-rtr", help="RIP for IPv6"),
)

TYPES = {"inout": matching("in|out", "in|out")}


AREA = Area(
    name="rip",
    types=TYPES,
    modes=MODES,
    commands=(*COMMANDS, *SHOWS),
    compile=compile_rip,
    scope=(
        ("RIP: networks, versions, passive interfaces, neighbors, timers, redistribution, default route", "yes"),
        ("RIP: automatic summarization between the classful networks of a router's interfaces", "yes"),
        ("RIP: authentication by key chain, in text or MD5", "yes"),
        ("RIP: offset lists", "yes"),
        ("RIP: summary addresses", "refused"),
        ("RIP for IPv6: one process", "yes"),
    ),
)

__all__ = ["AREA", "members", "six_members"]
