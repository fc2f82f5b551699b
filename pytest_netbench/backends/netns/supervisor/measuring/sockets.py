"""Sockets in the networks of nodes: each belongs for ever to the network it was made in. Standard library only."""

from __future__ import annotations

import socket
from collections.abc import Mapping

from pytest_netbench.backends.netns.supervisor import nodes
from pytest_netbench.backends.netns.supervisor.spawn import Namespaces

_FAMILIES = {4: socket.AF_INET, 6: socket.AF_INET6}
_KINDS = {"icmp": socket.SOCK_RAW, "udp": socket.SOCK_DGRAM, "tcp": socket.SOCK_STREAM}
_ICMP = {4: socket.IPPROTO_ICMP, 6: socket.IPPROTO_ICMPV6}


class Sockets:
    """Makes non-blocking sockets in nodes.

    Args:
        spaces: Every node's namespaces.
        home: The network namespace to come back to.
    """

    def __init__(self, spaces: Mapping[str, Namespaces], home: int) -> None:
        self._spaces = spaces
        self._home = home

    def open(self, node: str, protocol: str, version: int) -> socket.socket:
        """A socket of ``icmp`` (raw), ``udp`` or ``tcp`` over this version of IP."""
        number = _ICMP[version] if protocol == "icmp" else 0
        return self._open(node, _FAMILIES[version], _KINDS[protocol], number)

    def open_tap(self, node: str, ethertype: int) -> socket.socket:
        """A socket that sees every packet of a kind that comes to a node or leaves it."""
        return self._open(node, socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ethertype))

    def _open(self, node: str, family: int, kind: int, number: int) -> socket.socket:
        with nodes.inside_network(self._spaces[node], self._home):
            made = socket.socket(family, kind, number)
        made.setblocking(False)
        return made


def mark(sock: socket.socket, version: int, dscp: int) -> None:
    """Give what ``sock`` sends a DSCP."""
    if dscp and version == 4:
        sock.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, dscp << 2)
    elif dscp:
        sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_TCLASS, dscp << 2)
