"""DHCP: pools, relay and client addresses, run by the services ``dhcp`` and ``dhcp_client``."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network
from typing import Any

from pytest_netbench.platforms.cisco_ios.areas.dhcp import shows
from pytest_netbench.platforms.cisco_ios.areas.dhcp.compile import compile_dhcp
from pytest_netbench.platforms.cisco_ios.config.edit import Edit
from pytest_netbench.platforms.cisco_ios.grammar.command import Area, Command, Match, Mode
from pytest_netbench.platforms.cisco_ios.grammar.tables import setting, table
from pytest_netbench.platforms.cisco_ios.grammar.types import matching

_POOL = "dhcp-pool"


# -- edits ---------------------------------------------------------------------------------------------------------


def _network(edit: Edit, match: Match) -> str | None:
    """Store a network with a dotted mask; without a mask the class of the address determines it."""
    if match.negated or match.reset:
        return edit.keep(edit.read("network", like=match))
    mask = match.get("mask") or (str(match["length"]) if "length" in match.args else f"/{_classful(match['network'])}")
    network = IPv4Network(f"{match['network']}/{mask.removeprefix('/')}", strict=False)
    edit.section.remove(*(e for e in edit.section if e.name == "host"))
    edit.put(f"network {network.network_address} {network.netmask}")
    return None


def _classful(address: str) -> int:
    first = int(address.split(".", maxsplit=1)[0])
    return 8 if first < 128 else 16 if first < 192 else 24


def _host(edit: Edit, match: Match) -> str | None:
    if match.negated or match.reset:
        return edit.keep(match)
    mask = match.get("mask") or str(IPv4Network(f"0.0.0.0/{_classful(match['address'])}").netmask)
    edit.section.remove(*(e for e in edit.section if e.name == "network"))
    edit.put(f"host {match['address']} {mask}")
    return None


def _excluded(_edit: Edit, match: Match) -> str | None:
    if "high" in match.args and IPv4Address(match["high"]) < IPv4Address(match["low"]):
        return "% Range start address is greater than range end address"
    return None


def _address(edit: Edit, match: Match) -> str | None:
    """Store ``ip address dhcp``, which replaces every other address."""
    entries = [e for e in edit.section if e.name == "ip address"]
    if match.negated and not any(e.has("dhcp") for e in entries):
        return None
    edit.section.remove(*entries)
    edit.put("no ip address" if match.negated or match.reset else match.text)
    return None


# -- grammar ---------------------------------------------------------------------------------------------------------


def _line(pattern: str, help: str = "", **more: Any) -> Command:
    return setting(pattern, help, mode=_POOL, **more)


_CONFIG = table(
    setting(
        "ip dhcp excluded-address [ vrf {vrf!:word} ] {low!:ipv4} [ {high!:ipv4} ]",
        "Prevent DHCP from assigning certain addresses",
        check=_excluded,
    ),
    setting("ip dhcp pool {name!:name}", "Configure DHCP address pools", opens=_POOL),
    setting(
        "ip dhcp ping packets {value:0-10}",
        "Specify number of ping packets",
        keeps_no=True,
        default="ip dhcp ping packets 2",
    ),
    setting("ip dhcp ping timeout {value:100-10000}", "Specify ping timeout", default="ip dhcp ping timeout 500"),
    setting("ip dhcp conflict logging", on=True),
    setting(
        "ip dhcp relay information ( option | trust-all | policy keep )", marked="the relay does not change messages"
    ),
    setting("ip dhcp database {url:word}", marked="bindings are lost when the device stops"),
    setting("ip dhcp use vrf ( connected | remote )", marked="DHCP runs only in the global table"),
    setting("ip dhcp bootp ignore", "BOOTP requests are ignored here anyway", default="ip dhcp bootp ignore"),
)

_LINES = (
    _line("network {network:ipv4} [ {mask:mask} | {length:slash} ]", "Network number and mask", edit=_network),
    _line("host {address:ipv4} [ {mask:mask} ]", "Client IP address and mask", edit=_host),
    _line("client-identifier {identifier:dottedhex}", "Client identifier"),
    _line("hardware-address {mac:mac} [ ethernet | ieee802 | {hardware:1-255} ]", "Client hardware address"),
    _line(
        "address {address!:ipv4} ( client-id {identifier:dottedhex} | hardware-address {mac:mac} )",
        "Reserve an address",
        name="address",
    ),
    _line("client-name {value:word}", "Client name"),
    _line("vrf {vrf:word}", "Associate this pool with a VRF"),
    _line("default-router {address:ipv4}+", "Default routers"),
    _line("dns-server {address:ipv4}+", "DNS servers"),
    _line("domain-name {value:word}", "Domain name"),
    _line("netbios-name-server {address:ipv4}+", "NetBIOS (WINS) name servers"),
    _line("netbios-node-type {value:nodetype}", "NetBIOS node type"),
    _line("next-server {address:ipv4}+", "Next server in boot process", marked="nodes do not boot over the network"),
    _line("bootfile {value:word}", "Boot file name"),
    _line(
        "option {code!:2-254} ( hex {hex:dottedhex} | ascii {ascii:line} | ip {address:ipv4}+ )",
        "Raw DHCP options",
        name="option",
    ),
    _line(
        "lease ( infinite | {days:0-365} [ {hours:0-23} [ {minutes:0-59} ] ] )",
        "Address lease time",
        default=("lease 1",),
    ),
    _line("utilization mark ( high | low ) {percent:0-100} [ log ]", marked="the utilization is not monitored"),
    _line("update arp", marked="bindings are not added to the ARP table"),
    _line(
        "import all",
        "Programatically importing DHCP option parameters",
        marked="options are not imported from another server",
    ),
)

_INTERFACE = table(
    setting("ip dhcp relay information trusted", marked="the relay does not change messages"),
    ("ip helper-address {address!:ipv4}", "Specify a destination address for UDP broadcasts"),
    setting(
        "ip address dhcp < client-id {clientid:interface} | hostname {hostname:word} >",
        "IP Address negotiated via DHCP",
        name="ip address",
        edit=_address,
    ),
    mode="if",
)

COMMANDS = (
    *_CONFIG,
    *_LINES,
    *_INTERFACE,
)

MODES = (Mode(name=_POOL, prompt="dhcp-config", help="DHCP pool"),)

TYPES = {
    "slash": matching("/nn", r"/([1-9]|[12]\d|3[0-2])", "Network mask or prefix length"),
    "dottedhex": matching("Hex-data", r"([0-9A-Fa-f]{2})+(\.([0-9A-Fa-f]{2})+)*", "Dotted-hexadecimal string"),
    "nodetype": matching("Hex|node type", "[bpmh]-node"),
}


AREA = Area(
    name="dhcp",
    commands=(*COMMANDS, *shows.COMMANDS),
    modes=MODES,
    types=TYPES,
    compile=compile_dhcp,
    help={"dhcp": "Configure DHCP server and relay parameters"},
    scope=(
        ("DHCP server", "pools, hosts, exclusions, options, conflicts by ping; leases run in lab time"),
        ("DHCP relay", "ip helper-address relays only DHCP"),
        ("DHCP client", "ip address dhcp, with the default route at distance 254"),
    ),
)
