"""The grammar of the area ``interfaces``: its commands and how lines are stored."""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import IPv4Interface, IPv6Address, IPv6Interface

from pytest_netbench.dialects.cisco_ios import interfaces
from pytest_netbench.platforms.cisco_ios.compile.context import Interface
from pytest_netbench.platforms.cisco_ios.config.edit import Edit
from pytest_netbench.platforms.cisco_ios.config.tree import Entry, Section
from pytest_netbench.platforms.cisco_ios.grammar.command import INVALID, Match, Mode
from pytest_netbench.platforms.cisco_ios.grammar.tables import setting, table

MODE = "if"

MOST_INTERFACES = 2000

_LONGEST_EUI_64 = 64

_NOT_SHAPED = "links of the lab have no such property"


def _open(edit: Edit, match: Match) -> str | None:
    name = interfaces.parse(match["name"])
    known = edit.config.get("interface", name=str(name))
    if match.negated and not name.is_virtual:
        return "% Removal of physical interfaces is not permitted"
    if match.reset and known is not None:
        edit.config.remove(known)
        edit.put(match.text, edit.config)
        return None
    if known is None and not match.negated and not name.is_virtual and not edit.booting:
        return INVALID
    if known is None and name.sub is not None and edit.config.get("interface", name=str(name.parent)) is None:
        return INVALID
    if known is None and not match.negated and len(edit.config.all("interface")) >= MOST_INTERFACES:
        return "% Maximum number of interfaces reached"
    words = edit.keep(match)
    if edit.booting and known is not None and not match.negated:
        # a saved config contains "shutdown" only where it applies
        known.body.remove(*known.body.all("shutdown"))
    return words


def _seeds(entry: Entry, role: str) -> Sequence[str]:
    name = interfaces.parse(entry["name"])
    if name.kind == "Null":
        return ()
    if role == "switch" and not name.is_virtual:
        return ()
    return ("no ip address",) if name.is_virtual else ("no ip address", "shutdown")


def _prompt(entry: Entry) -> str:
    return "config-subif" if interfaces.parse(entry["name"]).sub is not None else "config-if"


def _describe(edit: Edit, match: Match) -> str | None:
    """Store a description. An empty one is ignored."""
    return edit.keep(match) if "text" in match.args or match.negated or match.reset else None


def _address(edit: Edit, match: Match) -> str | None:
    """Store an address. A primary one replaces only the primary; secondary ones are added."""
    section = edit.section
    entries = section.all("ip address")
    if match.negated or match.reset:
        if match.get("address") is not None and not any(_same_address(entry, match) for entry in entries):
            return "% Invalid address" if entries else None
        gone = [entry for entry in entries if match.get("address") is None or _same_address(entry, match)]
        if match.get("address") and not match.has("secondary") and any(entry.has("secondary") for entry in entries):
            return "Must delete secondary before deleting primary"
    else:
        gone = [entry for entry in entries if _gives_way(entry, match)]
    section.remove(*gone)
    if not match.negated and not match.reset:
        edit.put(match.text)
    section.remove(*(e for e in section if e.name == "ip address" and e.negated))
    if not section.all("ip address"):
        edit.put("no ip address")
    return None


def _same_address(entry: Entry, match: Match) -> bool:
    return entry.get("address") == match.get("address") and entry.has("secondary") == match.has("secondary")


def _gives_way(entry: Entry, match: Match) -> bool:
    both_primary = not match.has("secondary") and not entry.has("secondary")
    return both_primary or entry.get("address") == match.get("address")


def _check_address(edit: Edit, match: Match) -> str | None:
    if "mask" not in match.args:
        return None
    mine = IPv4Interface(f"{match['address']}/{match['mask']}")
    if mine.network.prefixlen < 31 and mine.ip in {mine.network.network_address, mine.network.broadcast_address}:
        return f"Bad mask /{mine.network.prefixlen} for address {mine.ip}"
    if mine.ip.is_multicast or mine.ip.is_unspecified:
        return "Not a valid host address - " + str(mine.ip)
    here = edit.section.parent
    for other, body in edit.config.sections("interface"):
        for entry in body.all("ip address") if other is not here else ():
            if "mask" not in entry.match.args:
                continue
            theirs = IPv4Interface(f"{entry['address']}/{entry['mask']}")
            if theirs.network.overlaps(mine.network) and _vrf(body) == _vrf(edit.section):
                return f"% {mine.network.network_address} overlaps with {other['name']}"
    return None


def _vrf(section: Section) -> str:
    return Interface("", section).vrf


def _check_mac(_edit: Edit, match: Match) -> str | None:
    first = int(str(match["mac"])[:2], 16)
    group = first & 1 or str(match["mac"]) == "0000.0000.0000"
    return "% Invalid MAC address: it is no station's" if group else None


def _check_six(edit: Edit, match: Match) -> str | None:
    if "prefix" not in match.args:
        return None if IPv6Address(match["local"]).is_link_local else "% Invalid link-local address"
    mine = IPv6Interface(match["prefix"])
    if mine.is_link_local:
        return f"%{_name(edit.section)}: Error: {str(mine).upper()} is invalid"
    if match.has("eui-64") and mine.network.prefixlen > _LONGEST_EUI_64:
        return "% Prefix length must be 64 or less for EUI-64"
    if mine.ip.is_multicast or mine.ip.is_unspecified or mine.ip.is_loopback:
        return f"% {str(mine.ip).upper()}/{mine.network.prefixlen} is no address that an interface may have"
    here = edit.section.parent
    for other, body in edit.config.sections("interface"):
        for entry in body.all("ipv6 address") if other is not here else ():
            if "prefix" in entry.match.args and _vrf(body) == _vrf(edit.section):
                theirs = IPv6Interface(entry["prefix"])
                if theirs.network.overlaps(mine.network):
                    return (
                        f"% {other['name']}: {str(theirs.network).upper()} is overlapping with"
                        f" {str(mine.network).upper()}"
                    )
    return None


def _name(section: Section) -> str:
    return str(section.parent["name"]) if section.parent is not None else ""


def _address_six(edit: Edit, match: Match) -> str | None:
    """Store an IPv6 address. An interface has one link-local address, which replaces the former one."""
    if "local" in match.args and not match.negated and not match.reset:
        for entry in edit.section.all("ipv6 address"):
            if "local" in entry.match.args:
                edit.section.remove(entry)
    return edit.keep(match)


_CONFIG = table(
    setting("interface {name!:interface}", "Select an interface to configure", opens=MODE, edit=_open),
    ("ipv6 unicast-routing", "Enable unicast routing"),
    setting("ipv6 cef", keeps_no=True),
)

_INTERFACE = table(
    setting("description ^ [ {text:line} ]", "Interface specific description", edit=_describe),
    ("bandwidth {kbit:1-10000000}", "Set bandwidth informational parameter"),
    ("delay {tens:1-16777215}", "Specify interface throughput delay"),
    ("mtu {bytes:68-9216}", "Set the interface Maximum Transmission Unit (MTU)"),
    setting("mac-address {mac:mac}", "Manually set interface MAC address", check=_check_mac),
    setting(
        "ip address ^ {address!:ipv4} {mask!:mask} [ secondary ]",
        "Set the IP address of an interface",
        keeps_no=True,
        check=_check_address,
        edit=_address,
    ),
    ("ip unnumbered {lender:interface}", "Enable IP processing without an explicit address"),
    ("ip mtu {bytes:68-9216}", "Set IP Maximum Transmission Unit"),
    setting("ip redirects", "Enable sending ICMP Redirect messages", on=True),
    setting("ip unreachables", "Enable sending ICMP Unreachable messages", on=True),
    setting("ip proxy-arp", "Enable proxy ARP", on=True),
    setting("ip directed-broadcast", marked="directed broadcasts are never forwarded"),
    ("ip tcp adjust-mss {bytes:500-1460}", "Adjust the mss of transit packets"),
    setting("ip virtual-reassembly [ in ]", default=("ip virtual-reassembly", "ip virtual-reassembly in")),
    ("shutdown", "Shutdown the selected interface"),
    ("ipv6 enable", "Enable IPv6 on interface"),
    setting(
        "ipv6 address ^ ( {prefix!:ipv6prefix} [ eui-64 ] | {local!:ipv6} link-local )",
        "Configure IPv6 address on interface",
        check=_check_six,
        edit=_address_six,
    ),
    setting("ipv6 mtu {bytes:1280-9216}", marked="the IPv4 MTU applies"),
    ("ipv6 nd ra suppress [ all ]", "Suppress IPv6 Router Advertisements"),
    "ipv6 nd ra interval {seconds:3-1800}",
    "ipv6 nd managed-config-flag",
    "ipv6 nd other-config-flag",
    setting("duplex (auto|full|half)", default="duplex auto", marked=_NOT_SHAPED),
    setting("speed (auto|10|100|1000)", default="speed auto", marked=_NOT_SHAPED),
    setting(
        "media-type (rj45|sfp|gbic|auto-select|100BaseX|10BaseT|mii)", default="media-type rj45", marked=_NOT_SHAPED
    ),
    setting("negotiation auto", default="negotiation auto", marked=_NOT_SHAPED),
    setting("clock rate {bps:1200-64000000}", marked=_NOT_SHAPED),
    setting("encapsulation hdlc", name="encapsulation", default="encapsulation hdlc"),
    setting("encapsulation ppp", marked="frames on serial links are Ethernet"),
    setting(
        "keepalive [ {seconds:0-32767} ]", keeps_no=True, default=("keepalive", "keepalive 10"), marked=_NOT_SHAPED
    ),
    setting("load-interval {seconds:30-600}", marked="rates are not averaged"),
    setting("carrier-delay [ msec ] {delay:0-1000000}", marked="the kernel reports carrier changes immediately"),
    setting("hold-queue ^ {packets:0-240000} in", marked="the kernel's queue lengths apply"),
    setting("hold-queue ^ {packets:0-240000} out", marked="the kernel's queue lengths apply"),
    setting("arp timeout {seconds:0-2147483}", default="arp timeout 14400", marked="the kernel ages ARP entries"),
    setting("logging event link-status", on=True),
    setting("snmp trap link-status", on=True),
    mode=MODE,
)

COMMANDS = (
    *_CONFIG,
    *_INTERFACE,
)

MODES = (Mode(name=MODE, prompt=_prompt, seeds=_seeds, help="interface"),)
