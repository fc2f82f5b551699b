"""Interfaces: their names, addresses, state, and the kernel links they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from ipaddress import IPv4Interface, IPv6Interface

from pytest_netbench.dialects.cisco_ios import interfaces
from pytest_netbench.platforms.cisco_ios.compile.context import Context, Interface
from pytest_netbench.platforms.cisco_ios.compile.state import FORWARD, Link
from pytest_netbench.platforms.cisco_ios.config.edit import Edit
from pytest_netbench.platforms.cisco_ios.config.tree import Entry, Section
from pytest_netbench.platforms.cisco_ios.grammar.command import INVALID, Area, Command, Match, Mode

MODE = "if"
MOST_INTERFACES = 2000
_NOT_SHAPED = "a link of the lab has no such property"


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
        # a saved config says "shutdown" where it holds and nothing where it does not
        for entry in known.body.all("shutdown"):
            known.body.remove(entry)
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
    """Without a text it says nothing."""
    return edit.keep(match) if "text" in match.args or match.negated or match.reset else None


def _address(edit: Edit, match: Match) -> str | None:
    """A primary address takes the place of the primary alone; secondaries add up."""
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
    for entry in gone:
        section.remove(entry)
    if not match.negated and not match.reset:
        edit.put(match.text)
    for entry in [e for e in section if e.name == "ip address" and e.negated]:
        section.remove(entry)
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


def _compile(context: Context) -> None:
    routing_six = context.config.has("ipv6 unicast-routing")
    context.plan.sysctls["net/ipv6/conf/all/forwarding"] = "1" if routing_six else "0"
    # a router answers with the address of the interface that a packet came in by
    context.plan.sysctls["net/ipv4/icmp_errors_use_inbound_ifaddr"] = "1"
    for one in context.interfaces:
        if one.parsed.kind == "Null":
            continue
        _compile_six(context, one, routing=routing_six)
        _compile_mss(context, one)
        _compile_habits(context, one)
        if one.parsed.kind in {"Vlan", "Port-channel", "BVI", "BDI"} or one.parsed.sub is not None:
            kind = "external"  # switching makes it
        elif one.parsed.kind in {"Loopback", "Tunnel", "Dialer"}:
            kind = "loopback"
        else:
            kind = "physical" if one.name in context.facts.cabled else "uncabled"
        context.plan.links[one.kernel] = Link(
            kind=kind, up=one.enabled, addresses=addresses(context, one), mtu=_mtu(one), mac=_mac(one), vrf=one.vrf
        )


def addresses(context: Context, one: Interface) -> tuple[str, ...]:
    """IPv4 and IPv6 addresses that the kernel is to have on an interface."""
    lender = one.section.get("ip unnumbered")
    four = one.addresses
    if lender is not None and not four:
        other = context.interface(str(lender["lender"]))
        four = tuple(f"{address.split('/')[0]}/32" for address in other.addresses[:1]) if other else ()
    return (*four, *_six(one))


def _six(one: Interface) -> tuple[str, ...]:
    found = []
    for entry in one.section.all("ipv6 address"):
        if "local" in entry.match.args:
            found.append(f"{str(entry['local']).lower()}/64")
        elif not entry.has("eui-64"):
            found.append(str(entry["prefix"]).lower())
    return tuple(found)


def has_six(section: Section) -> bool:
    """Whether IPv6 runs on an interface."""
    return section.has("ipv6 enable") or bool(section.all("ipv6 address"))


def _compile_six(context: Context, one: Interface, *, routing: bool) -> None:
    path = f"net/ipv6/conf/{one.kernel}"
    enabled = has_six(one.section)
    own_link_local = any("local" in entry.match.args for entry in one.section.all("ipv6 address"))
    context.plan.sysctls |= {
        f"{path}/accept_dad": "0",
        f"{path}/addr_gen_mode": "1" if own_link_local else "0",
        f"{path}/disable_ipv6": "0" if enabled else "1",
    }
    if not enabled or one.parsed.kind == "Loopback":
        return
    if routing and not one.section.has("ipv6 nd ra suppress"):
        context.plan.frr.add("zebra", f"interface {one.kernel}", "no ipv6 nd suppress-ra", undo="ipv6 nd suppress-ra")
        interval = one.section.get("ipv6 nd ra interval")
        if interval is not None:
            context.plan.frr.add(
                "zebra",
                f"interface {one.kernel}",
                f"ipv6 nd ra-interval {interval['seconds']}",
                undo="no ipv6 nd ra-interval",
            )
        for word in ("managed-config-flag", "other-config-flag"):
            if one.section.has(f"ipv6 nd {word}"):
                context.plan.frr.add("zebra", f"interface {one.kernel}", f"ipv6 nd {word}")


def _compile_mss(context: Context, one: Interface) -> None:
    entry = one.section.get("ip tcp adjust-mss")
    if entry is not None:
        for side in ("iifname", "oifname"):
            context.plan.nft.rule(
                FORWARD, f'{side} "{one.kernel}" tcp flags syn / syn,rst tcp option maxseg size set {entry["bytes"]}'
            )


def _compile_habits(context: Context, one: Interface) -> None:
    """What the kernel does on its own account on an interface."""
    path = f"net/ipv4/conf/{one.kernel}"
    proxy = one.parsed.kind != "Loopback" and not one.section.says_no("ip proxy-arp")
    context.plan.sysctls |= {
        f"{path}/proxy_arp": "1" if proxy else "0",
        f"{path}/send_redirects": "0" if one.section.says_no("ip redirects") else "1",
        f"{path}/rp_filter": "0",
        f"{path}/arp_ignore": "1",
    }


def _mtu(one: Interface) -> int | None:
    entry = one.section.get("mtu") or one.section.get("ip mtu")
    return int(entry["bytes"]) if entry else None


def _check_mac(_edit: Edit, match: Match) -> str | None:
    first = int(str(match["mac"])[:2], 16)
    group = first & 1 or str(match["mac"]) == "0000.0000.0000"
    return "% Invalid MAC address: it is no station's" if group else None


def _mac(one: Interface) -> str | None:
    entry = one.section.get("mac-address")
    if entry is None:
        return None
    digits = str(entry["mac"]).replace(".", "")
    return ":".join(digits[at : at + 2] for at in range(0, 12, 2))


def _check_six(edit: Edit, match: Match) -> str | None:
    if "prefix" not in match.args:
        return None
    mine = IPv6Interface(match["prefix"])
    if mine.ip.is_multicast or mine.ip.is_unspecified or mine.ip.is_loopback:
        return f"% {str(mine.ip).upper()}/{mine.network.prefixlen} is no address that an interface may have"
    here = edit.section.parent
    for other, body in edit.config.sections("interface"):
        for entry in body.all("ipv6 address") if other is not here else ():
            if "prefix" in entry.match.args and _vrf(body) == _vrf(edit.section):
                theirs = IPv6Interface(entry["prefix"])
                if theirs.network.overlaps(mine.network):
                    return f"% {other['name']}: {str(theirs.network).upper()} is overlapping with {str(mine.network).upper()}"
    return None


_CONFIG = (
    Command(pattern="interface {name!:interface}", opens=MODE, edit=_open, help="Select an interface to configure"),
    Command(pattern="ipv6 unicast-routing", help="Enable unicast routing"),
    Command(pattern="ipv6 cef", keeps_no=True),
)
_INTERFACE = (
    Command(pattern="description ^ [ {text:line} ]", edit=_describe, help="Interface specific description"),
    Command(pattern="bandwidth {kbit:1-10000000}", help="Set bandwidth informational parameter"),
    Command(pattern="delay {tens:1-16777215}", help="Specify interface throughput delay"),
    Command(pattern="mtu {bytes:68-9216}", help="Set the interface Maximum Transmission Unit (MTU)"),
    Command(pattern="mac-address {mac:mac}", check=_check_mac, help="Manually set interface MAC address"),
    Command(
        pattern="ip address ^ {address!:ipv4} {mask!:mask} [ secondary ]",
        keeps_no=True,
        edit=_address,
        check=_check_address,
        help="Set the IP address of an interface",
    ),
    Command(pattern="ip unnumbered {lender:interface}", help="Enable IP processing without an explicit address"),
    Command(pattern="ip mtu {bytes:68-9216}", help="Set IP Maximum Transmission Unit"),
    Command(
        pattern="ip redirects", keeps_no=True, default=("ip redirects",), help="Enable sending ICMP Redirect messages"
    ),
    Command(
        pattern="ip unreachables",
        keeps_no=True,
        default=("ip unreachables",),
        help="Enable sending ICMP Unreachable messages",
    ),
    Command(pattern="ip proxy-arp", keeps_no=True, default=("ip proxy-arp",), help="Enable proxy ARP"),
    Command(pattern="ip directed-broadcast", marked="directed broadcasts are never forwarded"),
    Command(pattern="ip tcp adjust-mss {bytes:500-1460}", help="Adjust the mss of transit packets"),
    Command(pattern="ip virtual-reassembly [ in ]", default=("ip virtual-reassembly", "ip virtual-reassembly in")),
    Command(pattern="shutdown", help="Shutdown the selected interface"),
    Command(pattern="ipv6 enable", help="Enable IPv6 on interface"),
    Command(
        pattern="ipv6 address ^ ( {prefix!:ipv6prefix} [ eui-64 ] | {local!:ipv6} link-local )",
        check=_check_six,
        help="Configure IPv6 address on interface",
    ),
    Command(pattern="ipv6 mtu {bytes:1280-9216}", marked="the IPv4 MTU holds"),
    Command(pattern="ipv6 nd ra suppress [ all ]", help="Suppress IPv6 Router Advertisements"),
    Command(pattern="ipv6 nd ra interval {seconds:3-1800}"),
    Command(pattern="ipv6 nd managed-config-flag"),
    Command(pattern="ipv6 nd other-config-flag"),
    Command(pattern="duplex (auto|full|half)", default=("duplex auto",), marked=_NOT_SHAPED),
    Command(pattern="speed (auto|10|100|1000)", default=("speed auto",), marked=_NOT_SHAPED),
    Command(pattern="media-type (rj45|sfp)", default=("media-type rj45",), marked=_NOT_SHAPED),
    Command(pattern="negotiation auto", default=("negotiation auto",), marked=_NOT_SHAPED),
    Command(pattern="clock rate {bps:1200-64000000}", marked=_NOT_SHAPED),
    Command(pattern="encapsulation hdlc", name="encapsulation", default=("encapsulation hdlc",)),
    Command(pattern="encapsulation ppp", marked="frames on serial links are Ethernet"),
    Command(
        pattern="keepalive [ {seconds:0-32767} ]",
        keeps_no=True,
        default=("keepalive", "keepalive 10"),
        marked=_NOT_SHAPED,
    ),
    Command(pattern="load-interval {seconds:30-600}", marked="rates are not averaged"),
    Command(pattern="carrier-delay [ msec ] {delay:0-1000000}", marked="the kernel reports carrier at once"),
    Command(pattern="hold-queue ^ {packets:0-240000} in", name="hold-queue in", marked="the kernel's queues hold"),
    Command(pattern="hold-queue ^ {packets:0-240000} out", name="hold-queue out", marked="the kernel's queues hold"),
    Command(
        pattern="arp timeout {seconds:0-2147483}", default=("arp timeout 14400",), marked="the kernel ages ARP entries"
    ),
    Command(pattern="logging event link-status", keeps_no=True, default=("logging event link-status",)),
    Command(pattern="snmp trap link-status", keeps_no=True, default=("snmp trap link-status",)),
)


AREA = Area(
    name="interfaces",
    modes=(Mode(name=MODE, prompt=_prompt, seeds=_seeds, help="interface"),),
    commands=(*_CONFIG, *(replace(command, mode=MODE) for command in _INTERFACE)),
    compile=_compile,
    help={
        "interface": "Select an interface to configure",
        "ipv6": "IPv6 interface subcommands",
        "description": "Interface specific description",
    },
    scope=(
        ("addresses, secondary, unnumbered, loopbacks", "yes"),
        ("IPv6 addresses, link-local, router advertisements", "yes"),
        ("bandwidth, delay, mtu, mac-address, TCP MSS", "yes"),
        ("duplex, speed, clock rate, PPP", "accepted, without effect"),
    ),
)
