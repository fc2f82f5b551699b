"""Let bgpd name the new link-local address of an interface, which it reads only when a session opens."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from ipaddress import IPv6Address, IPv6Interface, IPv6Network, ip_address

from pytest_netbench.platforms.capabilities import HostedNode
from pytest_netbench.platforms.cisco_ios.apply.identifiers import is_link_local
from pytest_netbench.platforms.cisco_ios.compile.state import FrrState, Link

_MOVED = "cisco_ios networks with a new link-local address"
_DAEMON = "bgpd"


def note(node: HostedNode, old: Mapping[str, Link], new: Mapping[str, Link]) -> None:
    """Note the networks of interfaces whose link-local address changes."""
    node.memory[_MOVED] = [
        (link.vrf, IPv6Interface(text).network)
        for name, link in new.items()
        if name in old and _local(old[name]) and _local(old[name]) != _local(link)
        for text in link.addresses
        if ":" in text and not is_link_local(text)
    ]


def renew(node: HostedNode, state: FrrState) -> None:
    """Reset the BGP sessions with neighbors in the noted networks."""
    moved: list[tuple[str, IPv6Network]] = node.memory.pop(_MOVED, [])
    for vrf, peer in dict.fromkeys(_peers(state)) if moved else ():
        if any(vrf == home and peer in network for home, network in moved):
            words = f"clear bgp {f'vrf {vrf} ' if vrf else ''}ipv6 {peer}"
            node.vty([(_DAEMON, "enable"), (_DAEMON, words)])


def _local(link: Link) -> list[str]:
    return [address for address in link.addresses if is_link_local(address)]


def _peers(state: FrrState) -> Iterator[tuple[str, IPv6Address]]:
    """Return the (VRF, IPv6 neighbor) pairs of all BGP instances."""
    for line in state.of(_DAEMON):
        words = line.path[-1].split()
        if len(line.path) == 2 and words[0] == "neighbor" and ":" in words[1]:
            _, _, vrf = line.path[0].partition(" vrf ")
            peer = ip_address(words[1])
            if isinstance(peer, IPv6Address):
                yield vrf, peer
