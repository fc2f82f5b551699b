"""Show commands of IPv6 interfaces and neighbors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from ipaddress import IPv6Address, IPv6Interface, IPv6Network

from pytest_netbench.dialects.cisco_ios import interfaces
from pytest_netbench.platforms.cisco_ios.areas.interfaces.compile import has_six
from pytest_netbench.platforms.cisco_ios.device.exec import Exec
from pytest_netbench.platforms.cisco_ios.grammar.command import Match
from pytest_netbench.platforms.cisco_ios.grammar.tables import show
from pytest_netbench.platforms.cisco_ios.shows.ports import PortState, cisco_mac, ports

_ON_THE_LINK = IPv6Network("ff02::/16")
_SOLICITED = IPv6Network("ff02::1:ff00:0/104")
_LAST_24_BITS = 0xFFFFFF
_ALL_NODES = IPv6Address("ff02::1")
# groups of multicast listener discovery, which the kernel joins and IOS does not list
_UNLISTED = frozenset({IPv6Address("ff02::16"), IPv6Address("ff02::6a")})
_STATES = {"REACHABLE": "REACH", "STALE": "STALE", "DELAY": "DELAY", "PROBE": "PROBE", "INCOMPLETE": "INCMP"}
_RA_INTERVAL_S = 200


def _addresses(state: PortState) -> list[IPv6Interface]:
    """Return the addresses of an interface, the link-local one first."""
    if not has_six(state.interface.section):
        return []
    found = [IPv6Interface(f"{a['local']}/{a['prefixlen']}") for a in state.addresses if a.get("family") == "inet6"]
    return sorted(found, key=lambda address: (not address.is_link_local, address))


def _chosen(at: Exec, match: Match) -> list[PortState]:
    wanted = match.get("interface")
    return [state for state in ports(at) if wanted is None or state.name == wanted]


def _brief(at: Exec, match: Match) -> str:
    lines = []
    for state in _chosen(at, match):
        if state.interface.parsed.kind == "Null":
            continue
        lines.append(f"{state.name:<22} [{state.status}/{state.protocol}]")
        lines += [f"    {str(address.ip).upper()}" for address in _addresses(state)] or ["    unassigned"]
    return "\n".join(lines) + "\n"


def _interface(at: Exec, match: Match) -> str:
    joined = {link["ifname"]: _groups(link) for link in at.ip_json("-6", "maddr", "show")}
    return "".join(
        f"{line}\n"
        for state in _chosen(at, match)
        for line in (_lines(at, state, joined.get(state.interface.kernel, [])) if _addresses(state) else ())
    )


def _groups(link: object) -> list[IPv6Address]:
    """Return the groups on the link that the kernel says it has joined."""
    entries = link.get("maddr", ()) if isinstance(link, dict) else ()
    found = {IPv6Address(entry["address"]) for entry in entries if entry.get("family") == "inet6"}
    return sorted(group for group in found - _UNLISTED if group in _ON_THE_LINK)


def _lines(at: Exec, state: PortState, joined: Sequence[IPv6Address]) -> Iterator[str]:
    one, up = state.interface, state.protocol == "up"
    local, *others = _addresses(state)
    tentative = "" if up else "[TEN]"
    yield f"{state.name} is {state.status}, line protocol is {state.protocol}"
    yield f"  IPv6 is {'enabled' if up else 'tentative'}, link-local address is {str(local.ip).upper()} {tentative}"
    yield "  No Virtual link-local address(es):"
    if (text := one.section.get("description")) is not None:
        yield f"  Description: {text['text']}"
    yield "  Global unicast address(es):" if others else "  No global unicast address is configured"
    yield from (_global(state, address, up=up) for address in others)
    yield "  Joined group address(es):"
    yield from (f"    {str(group).upper()}" for group in _listed([local, *others], joined, up=up))
    yield f"  MTU is {state.mtu} bytes"
    if one.vrf:
        yield f'  VPN Routing/Forwarding "{one.vrf}"'
    yield "  ICMP error messages limited to one every 100 milliseconds"
    yield "  ICMP redirects are enabled"
    yield "  ICMP unreachables are sent"
    virtual = one.parsed.kind in {"Loopback", "Tunnel"}
    yield "  ND DAD is not supported" if virtual else "  ND DAD is enabled, number of DAD attempts: 1"
    yield "  ND reachable time is 30000 milliseconds (using 30000)"
    yield from _advertised(at, state)


def _listed(addresses: Sequence[IPv6Interface], joined: Sequence[IPv6Address], *, up: bool) -> Iterator[IPv6Address]:
    """Yield the groups that IOS lists. The kernel also joins those of the anycast addresses of subnets."""
    own = {int(address.ip) & _LAST_24_BITS for address in addresses}
    for group in joined if up else [_ALL_NODES]:
        if group not in _SOLICITED or int(group) & _LAST_24_BITS in own:
            yield group


def _global(state: PortState, address: IPv6Interface, *, up: bool) -> str:
    eui = any(
        entry.has("eui-64") and IPv6Interface(entry["prefix"]).network == address.network
        for entry in state.interface.section.all("ipv6 address")
    )
    flags = "/".join([*(["EUI"] if eui else []), *([] if up else ["TEN"])])
    text = f"    {str(address.ip).upper()}, subnet is {str(address.network).upper()} "
    return text + (f"[{flags}]" if flags else "")


def _advertised(at: Exec, state: PortState) -> Iterator[str]:
    """Say what routers advertise on the interface."""
    section = state.interface.section
    if not at.config.has("ipv6 unicast-routing"):
        yield "  ND NS retransmit interval is 1000 milliseconds"
        return
    suppressed = section.get("ipv6 nd ra suppress")
    silent = suppressed is not None or state.interface.parsed.kind in {"Loopback", "Tunnel"}
    interval = section.get("ipv6 nd ra interval")
    yield "  ND advertised reachable time is 0 (unspecified)"
    yield "  ND advertised retransmit interval is 0 (unspecified)"
    if not silent:
        seconds = interval["seconds"] if interval is not None else _RA_INTERVAL_S
        yield f"  ND router advertisements are sent every {seconds} seconds"
    yield "  ND router advertisements live for 1800 seconds"
    yield "  ND advertised default router preference is Medium"
    if silent:
        everything = suppressed is not None and suppressed.has("all")
        yield f"  ND RAs are suppressed ({'all' if everything else 'periodic'})"
    managed = section.has("ipv6 nd managed-config-flag")
    yield (
        "  Hosts use DHCP to obtain routable addresses."
        if managed
        else ("  Hosts use stateless autoconfig for addresses.")
    )
    if section.has("ipv6 nd other-config-flag"):
        yield "  Hosts use DHCP to obtain other configuration."


def _neighbors(at: Exec, _match: Match) -> str:
    lines = ["IPv6 Address                              Age Link-layer Addr State Interface"]
    for entry in at.ip_json("-6", "neigh", "show"):
        name = interfaces.from_kernel(entry["dev"])
        if name is not None and "lladdr" in entry:
            state = _STATES.get((entry.get("state") or ["STALE"])[0], "STALE")
            short = interfaces.parse(name).short
            lines.append(f"{entry['dst'].upper():<39} {0:>5} {cisco_mac(entry['lladdr'])}  {state:<5} {short}")
    return "\n".join(lines) + "\n"


SHOWS = (
    show("ipv6 interface brief [ {interface:interface} ]", _brief, "Brief summary of IPv6 status and configuration"),
    show("ipv6 interface [ {interface:interface} ]", _interface, "IPv6 interface status and configuration"),
    show("ipv6 neighbors", _neighbors, "Show IPv6 neighbor cache entries"),
)
