"""EIGRP, run by the service ``eigrp``: FRR's daemon fails in triangle topologies and on metric changes."""

from __future__ import annotations

from ipaddress import IPv4Address
from typing import Any

from pytest_netbench.platforms.cisco_ios.areas.common import igp
from pytest_netbench.platforms.cisco_ios.areas.eigrp.shows import SHOWS
from pytest_netbench.platforms.cisco_ios.areas.interfaces.grammar import MODE as INTERFACE
from pytest_netbench.platforms.cisco_ios.compile.context import Context, Interface
from pytest_netbench.platforms.cisco_ios.config.edit import Edit
from pytest_netbench.platforms.cisco_ios.config.tree import Entry, Section
from pytest_netbench.platforms.cisco_ios.grammar.command import Area, Match, Mode
from pytest_netbench.platforms.cisco_ios.grammar.tables import setting, table

MODE = "router-eigrp"


def _open(edit: Edit, match: Match) -> str | None:
    others = [e for e in edit.config.all("router eigrp") if e["process"] != match["process"]]
    if others and not match.negated and not match.reset:
        return f"% EIGRP: autonomous system {others[0]['process']} runs already, and this device runs one"
    return edit.keep(match)


def _network(edit: Edit, match: Match) -> str | None:
    """Store a network: classful without a wildcard; a subnet mask is converted to the inverse wildcard."""
    text = f"network {igp.classful(match['network']).network_address}"
    if "wildcard" in match.args:
        wildcard = int(IPv4Address(match["wildcard"]))
        care = ~wildcard & 0xFFFFFFFF
        if wildcard & (wildcard + 1):
            if care & (care + 1):
                return "%Discontiguous mask is not supported"
            wildcard, care = care, wildcard
        network = IPv4Address(int(IPv4Address(match["network"])) & care)
        text = f"network {network} {IPv4Address(wildcard)}"
    edit.section.remove(*(entry for entry in edit.section.all("network") if entry.text == text))
    if not match.negated and not match.reset:
        edit.put(text)
    return None


_PROCESS = table(
    setting(
        "network {network!:ipv4} [ {wildcard!:wildcard} ]", "Enable routing on an IP network", edit=_network, mode=MODE
    ),
    setting(
        "auto-summary",
        "Enable automatic network number summarization",
        marked="subnets are announced across the borders of classful networks",
        mode=MODE,
    ),
    *igp.passive_commands(MODE),
    setting("eigrp router-id {id:ipv4}", "router id for this EIGRP process", mode=MODE),
    setting("eigrp log-neighbor-changes", "Enable/Disable EIGRP neighbor logging", on=True, mode=MODE),
    setting("variance {factor:1-128}", "Control load balancing variance", default="variance 1", mode=MODE),
    setting("maximum-paths {paths:1-32}", "Forward packets over multiple paths", default="maximum-paths 4", mode=MODE),
    setting(
        "ip hello-interval eigrp {process!:1-65535} {seconds:1-65535}",
        "Configures EIGRP-IPv4 hello interval",
        mode=INTERFACE,
    ),
    setting(
        "ip hold-time eigrp {process!:1-65535} {seconds:1-65535}", "Configures EIGRP-IPv4 hold time", mode=INTERFACE
    ),
)

COMMANDS = table(
    setting(
        "router eigrp {process!:1-65535}", "Enhanced Interior Gateway Routing Protocol (EIGRP)", opens=MODE, edit=_open
    ),
    *_PROCESS,
)

MODES = (Mode(name=MODE, prompt="config-router", help="EIGRP"),)


_DELAY_TENS = {
    "Ethernet": 100,
    "FastEthernet": 10,
    "GigabitEthernet": 1,
    "TenGigabitEthernet": 1,
    "Serial": 2000,
    "Loopback": 500,
    "Tunnel": 5000,
    "Vlan": 1,
}


def members(context: Context, section: Section) -> list[Interface]:
    """Return the interfaces whose address a network statement matches."""
    return [
        one
        for one in context.interfaces
        for address in igp.addresses(context, one)[:1]
        if not one.vrf and any(_means(entry, address.split("/")[0]) for entry in section.all("network"))
    ]


def _means(entry: Entry, address: str) -> bool:
    if "wildcard" in entry.match.args:
        return igp.wildcard_matches(address, entry["network"], entry["wildcard"])
    return IPv4Address(address) in igp.classful(entry["network"])


def delay_tens(one: Interface) -> int:
    """Return the delay of an interface in tens of microseconds, as IOS computes with it."""
    entry = one.section.get("delay")
    return int(entry["tens"]) if entry else _DELAY_TENS.get(one.parsed.kind, 1)


def compile_eigrp(context: Context) -> None:
    """Add the EIGRP services that the config requires."""
    for process in context.config.all("router eigrp"):
        section = process.body
        own = section.get("eigrp router-id")
        router_id = igp.router_id(context, f"eigrp {process['process']}", str(own["id"]) if own else None)
        variance, paths = section.get("variance"), section.get("maximum-paths")
        context.state.services["eigrp"] = {
            "asn": process["process"],
            "router_id": router_id or "",
            "variance": variance["factor"] if variance else 1,
            "paths": paths["paths"] if paths else 4,
            "interfaces": [_interface(one, process) for one in members(context, section)],
        }


def _interface(one: Interface, process: Entry) -> dict[str, Any]:
    def seconds(name: str, usual: int) -> int:
        found = next((e for e in one.section.all(f"ip {name} eigrp") if e["process"] == process["process"]), None)
        return int(found["seconds"]) if found else usual

    return {
        "name": one.kernel,
        "label": one.name,
        "passive": one.parsed.kind == "Loopback" or igp.is_passive(process.body, one.name),
        "bandwidth": one.bandwidth_kbit,
        "delay": delay_tens(one),
        "hello": seconds("hello-interval", 5),
        "hold": seconds("hold-time", 15),
    }


AREA = Area(
    name="eigrp",
    modes=MODES,
    commands=(*COMMANDS, *SHOWS),
    compile=compile_eigrp,
    scope=(
        (
            "EIGRP: networks, passive interfaces, router ID, bandwidth and delay, variance, timers",
            "yes, between routers of this platform",
        ),
        (
            "EIGRP: authentication, summaries, stub, redistribution, distribute lists, named mode, IPv6",
            "refused",
        ),
    ),
)

__all__ = ["AREA", "members"]
