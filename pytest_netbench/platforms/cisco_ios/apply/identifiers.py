"""Complete the IPv6 addresses of links that end in an interface identifier, computed from a MAC address (EUI-64)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from ipaddress import IPv6Address, IPv6Interface

from pytest_netbench.platforms.capabilities import HostedNode
from pytest_netbench.platforms.cisco_ios.apply import vrf
from pytest_netbench.platforms.cisco_ios.compile.state import Link

EUI_64 = " eui-64"
"""The end of an address that is to be completed."""

_KNOWN = "cisco_ios completed addresses"
_LOCAL_BIT = 0x02


def complete(
    node: HostedNode, old: Mapping[str, Link], new: Mapping[str, Link], own: Mapping[str, str]
) -> tuple[Mapping[str, Link], Mapping[str, Link]]:
    """Return the links of both states with complete addresses.

    Args:
        node: The node, where all links of ``new`` exist.
        old: The links before; completed as they were when they were ``new``.
        new: The desired links.
        own: Burned-in MAC addresses of interfaces that have, or had, a configured one.
    """
    known: Mapping[str, tuple[str, ...]] = node.memory.get(_KNOWN, {})
    before = {name: replace(link, addresses=known.get(name, link.addresses)) for name, link in old.items()}
    if old == new:
        return before, before
    macs = _macs(node, new, own)
    after = {name: _completed(link, macs.get(link.identity or name, "")) for name, link in new.items()}
    node.memory[_KNOWN] = {name: link.addresses for name, link in after.items()}
    return before, after


def identifier(mac: str) -> int:
    """Return the modified EUI-64 of a MAC address (RFC 4291, appendix A)."""
    octets = bytes.fromhex(mac.replace(":", ""))
    return int.from_bytes(bytes([octets[0] ^ _LOCAL_BIT]) + octets[1:3] + b"\xff\xfe" + octets[3:])


def is_link_local(address: str) -> bool:
    """Whether an address of a link is a link-local one of IPv6."""
    return ":" in address and IPv6Interface(address.removesuffix(EUI_64)).is_link_local


def _completed(link: Link, mac: str) -> Link:
    return replace(link, addresses=tuple(_address(text, mac) for text in link.addresses))


def _address(text: str, mac: str) -> str:
    if not text.endswith(EUI_64) or not mac:
        return text.removesuffix(EUI_64)
    network = IPv6Interface(text.removesuffix(EUI_64)).network
    return f"{IPv6Address(int(network.network_address) | identifier(mac))}/{network.prefixlen}"


def _macs(node: HostedNode, links: Mapping[str, Link], own: Mapping[str, str]) -> Mapping[str, str]:
    """Return the MAC addresses that links will have, of those that give an identifier."""
    wanted = {link.identity or name for name, link in links.items() if any(EUI_64 in a for a in link.addresses)}
    found: dict[str, str] = {}
    for home in {links[name].vrf for name in wanted if name in links}:
        text = vrf.inside(node, home).run(["ip", "-j", "link", "show"]).stdout
        found |= {link["ifname"]: link["address"] for link in json.loads(text or "[]") if link["ifname"] in wanted}
    configured = {name: mac for name, link in links.items() if (mac := link.mac or own.get(name))}
    return {**found, **configured}
