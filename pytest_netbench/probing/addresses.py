"""Interfaces of a network, and the addresses of it that others can use. Standard library only."""

from __future__ import annotations

import socket
import struct
from collections.abc import Sequence

from pytest_netbench.probing import netlink
from pytest_netbench.probing.networks import Networks

_RTM_GETADDR = 22
_ADDRESS = struct.Struct("=BBBBI")
_IFA_ADDRESS, _IFA_LOCAL = 1, 2
_GLOBAL = 0
_FAMILIES = (socket.AF_INET, socket.AF_INET6)


def interfaces(networks: Networks, node: str) -> list[str]:
    """The names of a node's interfaces, in the kernel's order."""
    with networks.inside(node):
        return [name for _, name in sorted(socket.if_nameindex())]


def usable(networks: Networks, node: str, wanted: Sequence[str]) -> list[str]:
    """Addresses of global scope, without loopback ones: IPv4 before IPv6, each in the order of the interfaces.

    Args:
        networks: The networks of the nodes.
        node: Whose addresses.
        wanted: Interfaces whose addresses count; empty for all.
    """
    with networks.inside(node), netlink.open_socket() as link:
        names = dict(socket.if_nameindex())
        entries = list(netlink.dump(link, _RTM_GETADDR, _ADDRESS.pack(socket.AF_UNSPEC, 0, 0, 0, 0)))
    order = {name: number for number, name in enumerate(wanted or [names[index] for index in sorted(names)])}
    found = []
    for entry in entries:
        family, _, _, scope, index = _ADDRESS.unpack_from(entry)
        place = order.get(names.get(index, ""))
        known = dict(netlink.attributes(entry[_ADDRESS.size :]))
        packed = known.get(_IFA_LOCAL) or known.get(_IFA_ADDRESS)
        if family not in _FAMILIES or scope != _GLOBAL or place is None or not packed:
            continue
        address = socket.inet_ntop(family, packed)
        if not address.startswith("127."):
            found.append((_FAMILIES.index(family), place, address))
    return [address for _, _, address in sorted(found, key=lambda one: one[:2])]
