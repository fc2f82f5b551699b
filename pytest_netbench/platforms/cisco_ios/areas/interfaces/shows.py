"""Show commands of interfaces: ``show interfaces``, ``show ip interface``, ``show arp`` and those of IPv6."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pytest_netbench.platforms.cisco_ios.device.exec import Exec
from pytest_netbench.platforms.cisco_ios.grammar.command import Match
from pytest_netbench.platforms.cisco_ios.grammar.tables import show
from pytest_netbench.platforms.cisco_ios.shows.durations import elapsed
from pytest_netbench.platforms.cisco_ios.shows.ports import PortState, ports
from pytest_netbench.platforms.cisco_ios.shows.traffic import Rates, Side, last, last_packets, rates

_HARDWARE = {
    "GigabitEthernet": "iGbE",
    "FastEthernet": "Fast Ethernet",
    "Ethernet": "AmdP2",
    "Serial": "GT96K Serial",
    "Loopback": "Loopback",
    "Vlan": "Ethernet SVI",
    "Tunnel": "Tunnel",
    "TenGigabitEthernet": "Ten Gigabit Ethernet",
}

_DELAY_USEC = {
    "Ethernet": 1000,
    "FastEthernet": 100,
    "GigabitEthernet": 10,
    "TenGigabitEthernet": 10,
    "Serial": 20000,
    "Loopback": 5000,
    "Vlan": 10,
    "Tunnel": 50000,
}

_CLEARED = "interface counters"
_CLEARED_AT = "interface counters cleared"


def _chosen(at: Exec, match: Match) -> list[PortState]:
    wanted = match.get("interface")
    return [state for state in ports(at) if wanted is None or state.name == wanted]


def _missing(match: Match) -> str:
    return f"% Invalid interface {match['interface']}\n" if "interface" in match.args else ""


def _brief(at: Exec, match: Match) -> str:
    lines = ["Interface                  IP-Address      OK? Method Status                Protocol"]
    for state in _chosen(at, match):
        if state.interface.parsed.kind == "Null" or "switchport" in state.interface.name:
            continue
        address, method = _address_of(at, state)
        lines.append(
            f"{state.name:<26} {address:<15} YES {method:<6} {state.status:<21} {state.protocol:<8}".rstrip(" ") + " "
        )
    return "\n".join(lines) + "\n"


def _address_of(at: Exec, state: PortState) -> tuple[str, str]:
    leased = next((a["local"] for a in state.addresses if a.get("family") == "inet"), None)
    if any(entry.has("dhcp") for entry in state.interface.section.all("ip address")):
        return (leased or "unassigned"), "DHCP"
    addresses = state.interface.addresses
    lender = state.interface.section.get("ip unnumbered")
    if not addresses and lender is not None:
        other = at.device.context().interface(str(lender["lender"]))
        addresses = other.addresses if other else ()
    method = "NVRAM" if f"{state.name}\n" in at.device.startup_config else "manual"
    return (addresses[0].split("/")[0], method) if addresses else ("unassigned", method if lender else "unset")


def _interfaces(at: Exec, match: Match) -> str:
    states = _chosen(at, match)
    seen = last_packets(at)
    return "".join("\n".join(_lines(at, state, seen)) + "\n" for state in states) or _missing(match)


def _lines(at: Exec, state: PortState, seen: Mapping[tuple[Side, str], float]) -> Iterator[str]:
    one = state.interface
    kind = one.parsed.kind
    ethernet = "thernet" in kind.lower() or kind == "Vlan"
    yield f"{state.name} is {state.status}, line protocol is {state.protocol} "
    hardware = f"  Hardware is {_HARDWARE.get(kind, 'Ethernet')}"
    yield f"{hardware}, address is {state.mac} (bia {state.mac})" if ethernet else hardware
    if (text := one.section.get("description")) is not None:
        yield f"  Description: {text['text']}"
    if one.addresses:
        yield f"  Internet address is {one.addresses[0]}"
    elif (lender := one.section.get("ip unnumbered")) is not None:
        yield f"  Interface is unnumbered. Using address of {lender['lender']} ({_address_of(at, state)[0]})"
    delay = one.section.get("delay")
    usec = int(delay["tens"]) * 10 if delay else _DELAY_USEC.get(kind, 10)
    yield f"  MTU {state.mtu} bytes, BW {one.bandwidth_kbit} Kbit/sec, DLY {usec} usec, "
    load = rates(at, state)
    tx, rx = (min(255, max(1, load.bits(side) * 255 // (one.bandwidth_kbit * 1000 or 1))) for side in ("tx", "rx"))
    yield f"     reliability 255/255, txload {tx}/255, rxload {rx}/255"
    dot1q = one.section.get("encapsulation dot1Q")
    if dot1q is not None:
        yield f"  Encapsulation 802.1Q Virtual LAN, Vlan ID  {dot1q['vlan']}."
    else:
        yield (
            f"  Encapsulation {'LOOPBACK' if kind == 'Loopback' else 'HDLC' if kind == 'Serial' else 'ARPA'}, loopback"
            " not set"
        )
    yield "  Keepalive set (10 sec)"
    if ethernet:
        full = f"Full Duplex, {one.bandwidth_kbit // 1000 or 10}Mbps"
        agreed = full if state.protocol == "up" else "Auto Duplex, Auto Speed"
        yield f"  {agreed}, link type is auto, media type is RJ45"
        yield "  output flow-control is unsupported, input flow-control is unsupported"
        yield "  ARP type: ARPA, ARP Timeout 04:00:00"
    yield f"  Last input {last(state, 'rx', seen)}, output {last(state, 'tx', seen)}, output hang never"
    yield from _counters(at, state, load)


def _counters(at: Exec, state: PortState, load: Rates) -> Iterator[str]:
    base = at.device.memory.get(_CLEARED, {}).get(state.name, {})
    count = {
        (side, key): state.counters.get(side, {}).get(key, 0) - base.get((side, key), 0)
        for side in ("rx", "tx")
        for key in ("packets", "bytes", "errors", "dropped", "multicast")
    }
    # the kernel counts what it would have said to others before a port had a cable
    dropped = count["tx", "dropped"] if count["tx", "packets"] else 0
    cleared = at.device.memory.get(_CLEARED_AT, {}).get(state.name)
    since = "never" if cleared is None else elapsed(at.device.now - cleared)
    yield f'  Last clearing of "show interface" counters {since}'
    yield (f"  Input queue: 0/75/{count['rx', 'dropped']}/0 (size/max/drops/flushes); Total output drops: {dropped}")
    policy = any(entry.name == "service-policy" and entry.has("output") for entry in state.interface.section)
    yield f"  Queueing strategy: {'Class-based queueing' if policy else 'fifo'}"
    yield "  Output queue: 0/40 (size/max)"
    yield f"  5 minute input rate {load.bits('rx')} bits/sec, {load.packets('rx')} packets/sec"
    yield f"  5 minute output rate {load.bits('tx')} bits/sec, {load.packets('tx')} packets/sec"
    yield f"     {count['rx', 'packets']} packets input, {count['rx', 'bytes']} bytes, 0 no buffer"
    yield f"     Received {count['rx', 'multicast']} broadcasts ({count['rx', 'multicast']} IP multicasts)"
    yield "     0 runts, 0 giants, 0 throttles "
    yield f"     {count['rx', 'errors']} input errors, 0 CRC, 0 frame, 0 overrun, 0 ignored"
    yield f"     {count['tx', 'packets']} packets output, {count['tx', 'bytes']} bytes, 0 underruns"
    yield f"     {count['tx', 'errors']} output errors, 0 collisions, 0 interface resets"
    yield "     0 unknown protocol drops"
    yield "     0 output buffer failures, 0 output buffers swapped out"


def clear_counters(at: Exec, match: Match) -> None:
    """Set the counters of one or all interfaces to 0."""
    kept = at.device.memory.setdefault(_CLEARED, {})
    moments = at.device.memory.setdefault(_CLEARED_AT, {})
    for state in _chosen(at, match):
        moments[state.name] = at.device.now
        kept[state.name] = {
            (side, key): value for side in ("rx", "tx") for key, value in state.counters.get(side, {}).items()
        }


def _description(at: Exec, match: Match) -> str:
    lines = ["Interface                      Status         Protocol Description"]
    for state in _chosen(at, match):
        entry = state.interface.section.get("description")
        status = "admin down" if not state.interface.enabled else state.status
        lines.append(
            (
                f"{state.interface.parsed.short:<30} {status:<14} {state.protocol:<8} {entry['text'] if entry else ''}"
            ).rstrip()
        )
    return "\n".join(lines) + "\n"


def _ip_interface(at: Exec, match: Match) -> str:
    states = [s for s in _chosen(at, match) if s.interface.parsed.kind != "Null"]
    return "".join("\n".join(_ip_lines(at, state)) + "\n" for state in states) or _missing(match)


def _ip_lines(at: Exec, state: PortState) -> Iterator[str]:
    one = state.interface
    yield f"{state.name} is {state.status}, line protocol is {state.protocol}"
    address, _ = _address_of(at, state)
    if address == "unassigned":
        yield "  Internet protocol processing disabled"
        return
    length = one.addresses[0].split("/")[1] if one.addresses else "32"
    lender = one.section.get("ip unnumbered")
    yield (
        f"  Interface is unnumbered. Using address of {lender['lender']} ({address})"
        if lender
        else f"  Internet address is {address}/{length}"
    )
    yield "  Broadcast address is 255.255.255.255"
    yield (
        "  Address determined by non-volatile memory"
        if f"{state.name}\n" in at.device.startup_config
        else "  Address determined by setup command"
    )
    yield f"  MTU is {state.ip_mtu} bytes"
    helpers = [str(entry["address"]) for entry in one.section.all("ip helper-address")]
    yield (
        f"  Helper address is {helpers[0]}"
        if len(helpers) == 1
        else (
            "  Helper address is not set"
            if not helpers
            else "  Helper addresses are " + "\n                       ".join(helpers)
        )
    )
    yield "  Directed broadcast forwarding is disabled"
    for extra in one.addresses[1:]:
        yield f"  Secondary address {extra}"
    for side, word in (("out", "Outgoing"), ("in", "Inbound ")):
        acl = one.section.get(f"ip access-group {side}")
        yield f"  {word} access list is {acl['list'] if acl else 'not set'}"
    yield f"  Proxy ARP is {'disabled' if one.section.says_no('ip proxy-arp') else 'enabled'}"
    yield "  Local Proxy ARP is disabled"
    yield "  Security level is default"
    yield "  Split horizon is enabled"
    yield f"  ICMP redirects are {'never' if one.section.says_no('ip redirects') else 'always'} sent"
    yield f"  ICMP unreachables are {'never' if one.section.says_no('ip unreachables') else 'always'} sent"
    yield "  ICMP mask replies are never sent"
    yield "  IP fast switching is enabled"
    yield "  IP CEF switching is enabled"
    if one.vrf:
        yield f'  VPN Routing/Forwarding "{one.vrf}"'
    policy = one.section.get("ip policy route-map")
    yield (
        f"  Policy routing is enabled, using route map {policy['map']}"
        if policy and "map" in policy.match.args
        else "  Policy routing is disabled"
    )


SHOWS = (
    show("interfaces [ {interface:interface} ]", _interfaces, "Interface status and configuration"),
    show("interfaces [ {interface:interface} ] description", _description, "Show interface description"),
    show("ip interface brief [ {interface:interface} ]", _brief, "Brief summary of IP status and configuration"),
    show("ip interface [ {interface:interface} ]", _ip_interface, "IP interface status and configuration"),
)
