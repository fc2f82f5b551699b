"""What a router answers to ARP, what it learns from it, and what it says itself."""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import IPv4Interface

from pytest_netbench.kernel.addresses import UNSPECIFIED
from pytest_netbench.platforms.cisco_ios.compile.context import Context, Interface
from pytest_netbench.platforms.cisco_ios.compile.state import ARP_IN

_ASKING_FOR_ITSELF = UNSPECIFIED  # the sender in a host's probe for its own address (RFC 5227)


def compile_arp(context: Context, one: Interface) -> None:
    """Add the settings of one interface.

    With proxy ARP, IOS answers for whatever its routes reach over another interface, its own addresses there as well;
    without, for the addresses of the interface.
    """
    path, proxy = f"net/ipv4/conf/{one.kernel}", is_proxy(one)
    context.state.sysctls |= {
        f"{path}/proxy_arp": "1" if proxy else "0",
        f"{path}/arp_ignore": "0" if proxy else "1",
        f"{path}/arp_announce": "2",  # the sender of a request is the address of the interface
        f"{path}/arp_notify": "1",
        f"net/ipv6/conf/{one.kernel}/ndisc_notify": "1",
        f"net/ipv4/neigh/{one.kernel}/proxy_delay": "0",
    }
    networks = [str(IPv4Interface(address).network) for address in one.addresses]
    if networks and one.parsed.kind != "Loopback":
        known = ", ".join(dict.fromkeys([*networks, _ASKING_FOR_ITSELF]))
        request = f'iifname "{one.kernel}" arp operation request'
        context.state.nft.rule(ARP_IN, f"{request} arp saddr ip != {{ {known} }} drop")


def answer_only(context: Context, one: Interface, addresses: Iterable[str]) -> None:
    """Let an interface without proxy ARP answer for some addresses that are not its own, and for its own."""
    if not is_proxy(one):
        own = [address.split("/")[0] for address in one.addresses]
        known = ", ".join(dict.fromkeys([*own, *addresses]))
        request = f'iifname "{one.kernel}" arp operation request'
        context.state.nft.rule(ARP_IN, f"{request} arp daddr ip != {{ {known} }} drop")


def is_proxy(one: Interface) -> bool:
    """Whether an interface answers for addresses behind others."""
    return one.parsed.kind != "Loopback" and not one.section.says_no("ip proxy-arp")
