"""EIGRP. A service of our own speaks it: FRR's daemon loses itself in triangles and in changes of metrics."""

from __future__ import annotations

from ipaddress import IPv4Address
from typing import Any

from pytest_netbench.platforms.cisco_ios.areas.common import igp
from pytest_netbench.platforms.cisco_ios.areas.eigrp_shows import SHOWS
from pytest_netbench.platforms.cisco_ios.areas.interfaces import MODE as INTERFACE
from pytest_netbench.platforms.cisco_ios.compile.context import Context, Interface
from pytest_netbench.platforms.cisco_ios.config.edit import Edit
from pytest_netbench.platforms.cisco_ios.config.tree import Entry, Section
from pytest_netbench.platforms.cisco_ios.grammar.command import Area, Command, Match, Mode

MODE = "router-eigrp"
_DELAY_TENS = {"Ethernet": 100, "FastEthernet": 10, "GigabitEthernet": 1, "TenGigabitEthernet": 1, "Serial": 2000, "Loopback": 500, "Tunnel": 5000, "Vlan": 1}  # fmt: skip


def _open(edit: Edit, match: Match) -> str | None:
    others = [e for e in edit.config.all("router eigrp") if e["process"] != match["process"]]
    if others and not match.negated and not match.reset:
        return f"% EIGRP: autonomous system {others[0]['process']} runs already, and this device runs one"
    return edit.keep(match)


def _network(edit: Edit, match: Match) -> str | None:
    """Classful without a wildcard; a subnet mask is taken for the wildcard that it is the reverse of."""
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
    for entry in [entry for entry in edit.section.all("network") if entry.text == text]:
        edit.section.remove(entry)
    if not match.negated and not match.reset:
        edit.put(text)
    return None


def _refuse_summary(_edit: Edit, _match: Match) -> str:
    return "% EIGRP: automatic summarization is not supported on this device"


def members(context: Context, section: Section) -> list[Interface]:
    """Interfaces whose address one of the networks means."""
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
    """The delay of an interface in tens of microseconds, as IOS takes it."""
    entry = one.section.get("delay")
    return int(entry["tens"]) if entry else _DELAY_TENS.get(one.parsed.kind, 1)


def _compile(context: Context) -> None:
    for process in context.config.all("router eigrp"):
        section = process.body
        own = section.get("eigrp router-id")
        router_id = igp.router_id(context, f"eigrp {process['process']}", str(own["id"]) if own else None)
        variance, paths = section.get("variance"), section.get("maximum-paths")
        context.plan.services["eigrp"] = {
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


_PROCESS = (
    Command(pattern="network {network!:ipv4} [ {wildcard!:wildcard} ]", mode=MODE, edit=_network, help="Enable routing on an IP network"),
    Command(pattern="auto-summary", mode=MODE, check=_refuse_summary, help="Enable automatic network number summarization"),
    *igp.passive_commands(MODE),
    Command(pattern="eigrp router-id {id:ipv4}", mode=MODE, help="router id for this EIGRP process"),
    Command(pattern="eigrp log-neighbor-changes", mode=MODE, keeps_no=True, default=("eigrp log-neighbor-changes",), help="Enable/Disable EIGRP neighbor logging"),
    Command(pattern="variance {factor:1-128}", mode=MODE, default=("variance 1",), help="Control load balancing variance"),
    Command(pattern="maximum-paths {paths:1-32}", mode=MODE, default=("maximum-paths 4",), help="Forward packets over multiple paths"),
    Command(pattern="ip hello-interval eigrp {process!:1-65535} {seconds:1-65535}", mode=INTERFACE, name="ip hello-interval eigrp", help="Configures EIGRP-IPv4 hello interval"),
    Command(pattern="ip hold-time eigrp {process!:1-65535} {seconds:1-65535}", mode=INTERFACE, name="ip hold-time eigrp", help="Configures EIGRP-IPv4 hold time"),
)  # fmt: skip

AREA = Area(
    name="eigrp",
    modes=(Mode(name=MODE, prompt="config-router", help="EIGRP"),),
    commands=(
        Command(
            pattern="router eigrp {process!:1-65535}",
            opens=MODE,
            edit=_open,
            help="Enhanced Interior Gateway Routing Protocol (EIGRP)",
        ),
        *_PROCESS,
        *SHOWS,
    ),
    compile=_compile,
    scope=(
        (
            "EIGRP: networks, passive interfaces, router ID, bandwidth and delay, variance, timers",
            "yes, between such routers",
        ),
        (
            "EIGRP: authentication, summaries, stub, redistribution, distribute lists, named mode, IPv6",
            "refused",
        ),
    ),
)
