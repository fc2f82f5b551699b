"""Compile the lines of the area ``interfaces``."""

from __future__ import annotations

from pytest_netbench.dialects.cisco_ios.interfaces import kernel_name
from pytest_netbench.platforms.cisco_ios.apply.identifiers import EUI_64
from pytest_netbench.platforms.cisco_ios.areas.common import arp
from pytest_netbench.platforms.cisco_ios.compile.context import Context, Interface
from pytest_netbench.platforms.cisco_ios.compile.state import FORWARD, Link
from pytest_netbench.platforms.cisco_ios.config.tree import Section

_WITHOUT_MAC = frozenset({"Loopback", "Tunnel", "Dialer", "Serial"})


def compile_interfaces(context: Context) -> None:
    """Add links, addresses and settings of all interfaces."""
    routing_six = context.config.has("ipv6 unicast-routing")
    context.state.sysctls["net/ipv6/conf/all/forwarding"] = "1" if routing_six else "0"
    # the kernel chooses no address, also on interfaces whose IPv6 it starts again after a change of the MTU
    context.state.sysctls["net/ipv6/conf/default/addr_gen_mode"] = "1"
    # a router answers with the address of the incoming interface
    context.state.sysctls["net/ipv4/icmp_errors_use_inbound_ifaddr"] = "1"
    for one in context.interfaces:
        if one.parsed.kind == "Null":
            continue
        _compile_six(context, one, routing=routing_six)
        _compile_mss(context, one)
        _compile_habits(context, one)
        if one.parsed.kind in {"Vlan", "Port-channel", "BVI", "BDI"} or one.parsed.sub is not None:
            kind = "external"  # the area switching creates it
        elif one.parsed.kind in {"Loopback", "Tunnel", "Dialer"}:
            kind = "loopback"
        else:
            kind = "physical" if one.name in context.facts.cabled else "uncabled"
        context.state.links[one.kernel] = Link(
            kind=kind,
            up=one.enabled,
            addresses=addresses(context, one),
            mtu=_mtu(one),
            mac=_mac(one),
            vrf=one.vrf,
            identity=_identity(context, one),
        )


def addresses(context: Context, one: Interface) -> tuple[str, ...]:
    """Return the IPv4 and IPv6 addresses that an interface needs in the kernel."""
    lender = one.section.get("ip unnumbered")
    four = one.addresses
    if lender is not None and not four:
        other = context.interface(str(lender["lender"]))
        four = tuple(f"{address.split('/')[0]}/32" for address in other.addresses[:1]) if other else ()
    return (*four, *_six(one))


def _six(one: Interface) -> tuple[str, ...]:
    """Return the IPv6 addresses, the link-local one first: an interface with IPv6 has one, and only one."""
    if not has_six(one.section):
        return ()
    local, others = f"fe80::/64{EUI_64}", []
    for entry in one.section.all("ipv6 address"):
        if "local" in entry.match.args:
            local = f"{str(entry['local']).lower()}/64"
        else:
            others.append(str(entry["prefix"]).lower() + (EUI_64 if entry.has("eui-64") else ""))
    return (local, *others)


def _identity(context: Context, one: Interface) -> str:
    """Return the interface that lends the MAC address of which the interface identifier is made.

    A subinterface has that of its port. One without a MAC address has that of the first port that has one.
    """
    if one.parsed.sub is not None:
        return kernel_name(str(one.parsed.parent))
    if one.parsed.kind in _WITHOUT_MAC:
        ports = (other for other in context.interfaces if not other.parsed.is_virtual)
        return next((port.kernel for port in ports if port.parsed.kind not in _WITHOUT_MAC), "")
    return ""


def has_six(section: Section) -> bool:
    """Whether IPv6 is enabled on an interface."""
    return section.has("ipv6 enable") or bool(section.all("ipv6 address"))


def _compile_six(context: Context, one: Interface, *, routing: bool) -> None:
    path = f"net/ipv6/conf/{one.kernel}"
    enabled = has_six(one.section)
    context.state.sysctls |= {
        f"{path}/accept_dad": "0",
        f"{path}/addr_gen_mode": "1",
        f"{path}/disable_ipv6": "0" if enabled else "1",
    }
    if not enabled or one.parsed.kind == "Loopback":
        return
    if routing and not one.section.has("ipv6 nd ra suppress"):
        context.state.frr.add("zebra", f"interface {one.kernel}", "no ipv6 nd suppress-ra", undo="ipv6 nd suppress-ra")
        interval = one.section.get("ipv6 nd ra interval")
        if interval is not None:
            context.state.frr.add(
                "zebra",
                f"interface {one.kernel}",
                f"ipv6 nd ra-interval {interval['seconds']}",
                undo="no ipv6 nd ra-interval",
            )
        for word in ("managed-config-flag", "other-config-flag"):
            if one.section.has(f"ipv6 nd {word}"):
                context.state.frr.add("zebra", f"interface {one.kernel}", f"ipv6 nd {word}")


def _compile_mss(context: Context, one: Interface) -> None:
    entry = one.section.get("ip tcp adjust-mss")
    if entry is not None:
        for side in ("iifname", "oifname"):
            context.state.nft.rule(
                FORWARD, f'{side} "{one.kernel}" tcp flags syn / syn,rst tcp option maxseg size set {entry["bytes"]}'
            )


def _compile_habits(context: Context, one: Interface) -> None:
    """Set how the kernel itself behaves on an interface (redirects, ARP and similar settings)."""
    path = f"net/ipv4/conf/{one.kernel}"
    context.state.sysctls |= {
        f"{path}/send_redirects": "0" if one.section.says_no("ip redirects") else "1",
        f"{path}/rp_filter": "0",
    }
    arp.compile_arp(context, one)


def _mtu(one: Interface) -> int | None:
    found = [int(entry["bytes"]) for entry in (one.section.get("mtu"), one.section.get("ip mtu")) if entry is not None]
    return min(found, default=None)


def _mac(one: Interface) -> str | None:
    entry = one.section.get("mac-address")
    if entry is None:
        return None
    digits = str(entry["mac"]).replace(".", "")
    return ":".join(digits[at : at + 2] for at in range(0, 12, 2))
