"""The arrival of probes as their packets show it: marking and source. Standard library only."""

from __future__ import annotations

import selectors
import socket
from collections.abc import Sequence

from pytest_netbench.backends.netns.supervisor import packets
from pytest_netbench.backends.netns.supervisor.measuring.exchanges import Exchange
from pytest_netbench.backends.netns.supervisor.measuring.sockets import Sockets

_ETHERTYPES = (0x0800, 0x86DD)
_PROTOCOLS = {"tcp": (packets.TCP,), "udp": (packets.UDP,), "icmp": (packets.ICMP, packets.ICMPV6)}


class Sniffers:
    """Looks at what comes to nodes, and notes it with the probes it belongs to."""

    def __init__(self, sockets: Sockets, selector: selectors.BaseSelector, exchanges: Sequence[Exchange]) -> None:
        self._sockets = sockets
        self._selector = selector
        self._exchanges = exchanges
        self._watched: set[str] = set()

    def watch(self, node: str) -> None:
        """Look at what comes to a node from now on."""
        if node in self._watched:
            return
        self._watched.add(node)
        for ethertype in _ETHERTYPES:
            tap = self._sockets.open_tap(node, ethertype)
            self._selector.register(tap, selectors.EVENT_READ, lambda tap=tap: self._take(tap, node))

    def _take(self, tap: socket.socket, node: str) -> None:
        data, address = tap.recvfrom(2048)
        seen = None if address[2] == socket.PACKET_OUTGOING else packets.read_ip(data)
        if seen is None:
            return
        for exchange in self._exchanges:
            if exchange.request["listen_on"] == node and self._is_of(exchange, seen):
                exchange.dscp = seen.dscp
                exchange.source = exchange.source or seen.source

    def _is_of(self, exchange: Exchange, seen: packets.Seen) -> bool:
        if seen.protocol not in _PROTOCOLS[exchange.protocol]:
            return False
        if exchange.protocol == "icmp":
            return seen.target_port == exchange.identifier
        if seen.target_port != exchange.port:
            return False
        if not any(_are_rivals(exchange, other) for other in self._exchanges):
            return True
        return exchange.client is not None and exchange.client.getsockname()[1] == seen.source_port


def _are_rivals(one: Exchange, other: Exchange) -> bool:
    """Whether only their source ports tell their packets apart."""
    return one is not other and (
        (one.request["listen_on"], one.protocol, one.port) == (other.request["listen_on"], other.protocol, other.port)
    )
