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

from pytest_netbench.probing.networks import Networks

_RTM_DELNEIGH, _RTM_GETNEIGH = 29, 30
_NLMSG_ERROR, _NLMSG_DONE = 2, 3
_REQUEST, _DUMP = 0x1, 0x300
_HEADER = struct.Struct("=IHHII")
_NEIGHBOR = struct.Struct("=BxxxiHBB")
_ATTRIBUTE = struct.Struct("=HH")
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


def _remove(networks: Networks, wanted: Callable[[bytes, int], bool]) -> None:
    for node in networks:
        with networks.inside(node), socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as link:
            for family, index, address in list(_entries(link, wanted)):
                body = _NEIGHBOR.pack(family, index, 0, 0, 0)
                body += _ATTRIBUTE.pack(_ATTRIBUTE.size + len(address), _NDA_DST) + address
                with contextlib.suppress(OSError):  # the socket is full: what is left expires by itself
                    link.send(_HEADER.pack(_HEADER.size + len(body), _RTM_DELNEIGH, _REQUEST, 1, 0) + body)


def _entries(link: socket.socket, wanted: Callable[[bytes, int], bool]) -> Iterator[tuple[int, int, bytes]]:
    """Family, index of the interface and address of the entries to remove."""
    body = _NEIGHBOR.pack(socket.AF_UNSPEC, 0, 0, 0, 0)
    link.send(_HEADER.pack(_HEADER.size + len(body), _RTM_GETNEIGH, _REQUEST | _DUMP, 1, 0) + body)
    while True:
        data = link.recv(1 << 17)
        position = 0
        while position + _HEADER.size <= len(data):
            size, kind, *_ = _HEADER.unpack_from(data, position)
            if kind in (_NLMSG_DONE, _NLMSG_ERROR):
                return
            family, index, state, _, _ = _NEIGHBOR.unpack_from(data, position + _HEADER.size)
            address = _address(data[position + _HEADER.size + _NEIGHBOR.size : position + size])
            if wanted(address, state):
                yield family, index, address
            position += (max(size, _HEADER.size) + 3) & ~3


def _address(attributes: bytes) -> bytes:
    position = 0
    while position + _ATTRIBUTE.size <= len(attributes):
        size, kind = _ATTRIBUTE.unpack_from(attributes, position)
        if kind == _NDA_DST:
            return attributes[position + _ATTRIBUTE.size : position + size]
        position += (max(size, _ATTRIBUTE.size) + 3) & ~3
    return b""
