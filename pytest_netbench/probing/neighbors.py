"""Removing entries of the kernel's neighbor tables around a measurement. Standard library only.

All labs of a machine share these tables, which hold 1,024 entries each and keep one for at least five seconds. A probe
to an address that no node has leaves an entry in the last router before it. So a few measurements with many such
addresses would fill the table, and no node of any lab would find a new neighbor for seconds.

A node that asked for a neighbor in vain asks again only after a second. A probe that comes meanwhile would be lost,
though the address is taken by now.
"""

from __future__ import annotations

import contextlib
import socket
import struct
from collections.abc import Callable, Collection, Iterator

from pytest_netbench.probing import netlink
from pytest_netbench.probing.networks import Networks

_RTM_DELNEIGH, _RTM_GETNEIGH = 29, 30
_NEIGHBOR = struct.Struct("=BxxxiHBB")
_NDA_DST = 1
_LASTING = 0x40 | 0x80  # NOARP, PERMANENT
_UNRESOLVED = 0x01 | 0x20  # INCOMPLETE, FAILED
# So few do no harm.
_MANY = 64


def forget(networks: Networks, unowned: Collection[bytes]) -> None:
    """Remove the entries of all nodes for ``unowned`` (packed addresses) if these are many.

    Entries that somebody configured stay.
    """
    if len(unowned) >= _MANY:
        _remove(networks, lambda address, state: address in unowned and not state & _LASTING)


def ask_again(networks: Networks) -> None:
    """Remove the entries of all nodes for which no neighbor was found: the next packet asks at once."""
    _remove(networks, lambda _, state: bool(state & _UNRESOLVED))


def forget_all(networks: Networks) -> None:
    """Remove the entries of all nodes but those that somebody configured: each is asked for anew when it is used."""
    _remove(networks, lambda _, state: not state & _LASTING)


def _remove(networks: Networks, wanted: Callable[[bytes, int], bool]) -> None:
    for node in networks:
        with networks.inside(node), netlink.open_socket() as link:
            for family, index, address in list(_entries(link, wanted)):
                body = _NEIGHBOR.pack(family, index, 0, 0, 0) + netlink.attribute(_NDA_DST, address)
                with contextlib.suppress(OSError):  # the socket is full: what is left expires by itself
                    link.send(netlink.message(_RTM_DELNEIGH, netlink.REQUEST, body))


def _entries(link: socket.socket, wanted: Callable[[bytes, int], bool]) -> Iterator[tuple[int, int, bytes]]:
    """Family, index of the interface and address of the entries to remove."""
    for data in netlink.dump(link, _RTM_GETNEIGH, _NEIGHBOR.pack(socket.AF_UNSPEC, 0, 0, 0, 0)):
        family, index, state, _, _ = _NEIGHBOR.unpack_from(data)
        found = netlink.attributes(data[_NEIGHBOR.size :])
        address = next((value for kind, value in found if kind == _NDA_DST), b"")
        if wanted(address, state):
            yield family, index, address
