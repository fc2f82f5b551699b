"""Sockets in the networks of nodes. A socket stays in the network in which it was made. Standard library only."""

from __future__ import annotations

import errno
import socket
import struct

from pytest_netbench.probing import filters
from pytest_netbench.probing.networks import Networks

_FAMILIES = {4: socket.AF_INET, 6: socket.AF_INET6}
_KINDS = {"icmp": socket.SOCK_RAW, "udp": socket.SOCK_DGRAM, "tcp": socket.SOCK_STREAM}
_ICMP = {4: socket.IPPROTO_ICMP, 6: socket.IPPROTO_ICMPV6}
_NUMBERS = {"gre": 47, "esp": 50, "segment": 6}
_EVERY_ETHERTYPE = 0x0003
_IP_PKTINFO, _IPV6_PKTINFO = 8, 50
_TRANSPARENT = {4: (socket.IPPROTO_IP, 19), 6: (socket.IPPROTO_IPV6, 75)}
_BACKLOG = 4096
_DISCARD = 9

Ancillary = tuple[int, int, bytes]


class Sockets:
    """Makes non-blocking sockets in nodes.

    Args:
        networks: The networks of the nodes.
    """

    def __init__(self, networks: Networks) -> None:
        self._networks = networks
        self._made: list[socket.socket] = []

    def open(self, node: str, protocol: str, version: int) -> socket.socket:
        """A socket of ``icmp``, ``gre``, ``esp`` or ``segment`` (raw), ``udp`` or ``tcp`` over this version of IP."""
        if protocol in _NUMBERS:
            return self.open_raw(node, _NUMBERS[protocol], version)
        number = _ICMP[version] if protocol == "icmp" else 0
        return self._open(node, _FAMILIES[version], _KINDS[protocol], number)

    def open_raw(self, node: str, number: int, version: int) -> socket.socket:
        """A socket for the packets of an IP protocol that the node's stack accepts."""
        return self._open(node, _FAMILIES[version], socket.SOCK_RAW, number)

    def open_tap(self, node: str, program: bytes) -> socket.socket:
        """A socket for the packets that come to a node or leave it and that a filter (see ``filters``) keeps."""
        tap = self._open(node, socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(_EVERY_ETHERTYPE))
        filters.attach(tap, program)
        return tap

    def bind(self, node: str, protocol: str, version: int, port: int) -> socket.socket | None:
        """A socket that listens on a port of a node; ``None`` if the port is occupied.

        Raises:
            OSError: The kernel refuses it for another reason.
        """
        made = self.open(node, protocol, version)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if version == 6:
            made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        try:
            made.bind(("", port))
            if protocol == "tcp":
                made.listen(_BACKLOG)
        except OSError as error:
            made.close()
            if error.errno != errno.EADDRINUSE:
                raise
            return None
        return made

    def has(self, node: str, address: str, version: int) -> bool:
        """Whether an address is one of the node's own."""
        with self.open(node, "udp", version) as test:
            try:
                test.bind((address, 0))
            except OSError as error:
                if error.errno != errno.EADDRNOTAVAIL:
                    raise
                return False
        return True

    def source_of(self, node: str, target: str, version: int, dscp: int) -> bytes:
        """The address from which the node's kernel sends packets to a target.

        Raises:
            OSError: The kernel has no route or no address for them.
        """
        with self.open(node, "udp", version) as test:
            mark(test, version, dscp)
            test.connect((target, _DISCARD))
            return socket.inet_pton(_FAMILIES[version], test.getsockname()[0].partition("%")[0])

    def _open(self, node: str, family: int, kind: int, number: int) -> socket.socket:
        with self._networks.inside(node):
            made = socket.socket(family, kind, number)
        made.setblocking(False)
        self._made.append(made)
        return made

    def close(self) -> list[int]:
        """Close all sockets but the taps, which take their time; returns their descriptors."""
        taps = [sock for sock in self._made if sock.fileno() >= 0 and sock.family == socket.AF_PACKET]
        for sock in self._made:
            if sock.family != socket.AF_PACKET:
                sock.close()
        return [tap.fileno() for tap in taps]


def mark(sock: socket.socket, version: int, dscp: int) -> None:
    """Give what ``sock`` sends a DSCP."""
    if dscp and version == 4:
        sock.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, dscp << 2)
    elif dscp:
        sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_TCLASS, dscp << 2)


def allow_any_source(sock: socket.socket, version: int) -> None:
    """Let ``sock`` send from addresses that its node does not have."""
    sock.setsockopt(*_TRANSPARENT[version], 1)


def from_address(packed: bytes) -> Ancillary:
    """Ancillary data that gives one message a source address."""
    if len(packed) == 4:
        return (socket.IPPROTO_IP, _IP_PKTINFO, struct.pack("i4s4s", 0, packed, b""))
    return (socket.IPPROTO_IPV6, _IPV6_PKTINFO, struct.pack("16si", packed, 0))


def with_mark(version: int, dscp: int) -> Ancillary:
    """Ancillary data that gives one message a DSCP."""
    if version == 4:
        return (socket.IPPROTO_IP, socket.IP_TOS, struct.pack("i", dscp << 2))
    return (socket.IPPROTO_IPV6, socket.IPV6_TCLASS, struct.pack("i", dscp << 2))
