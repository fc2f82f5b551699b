"""The service ``dhcp``: server and relay, which share the server port.

Configuration: ``{"pools": [pool, …], "excluded": [[low, high], …], "relays": {interface: [helper, …]},
"ping_packets": 2, "ping_ms": 500}``, with pools as documented in ``Pool.read``. Commands: ``clear binding|conflict
ADDRESS|*``. State: see ``DhcpServer.report``.
"""

from __future__ import annotations

import contextlib
import socket
import struct
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pytest_netbench.platforms.cisco_ios.services.programs.common import packets
from pytest_netbench.platforms.cisco_ios.services.programs.common.host import Shared
from pytest_netbench.platforms.cisco_ios.services.programs.common.pinger import Pinger
from pytest_netbench.platforms.cisco_ios.services.programs.dhcp import packet as dhcp_packet
from pytest_netbench.platforms.cisco_ios.services.programs.dhcp.packet import (
    BROADCAST_FLAG,
    CLIENT_PORT,
    NOWHERE,
    SERVER_PORT,
    DhcpMessage,
    Kind,
)
from pytest_netbench.platforms.cisco_ios.services.programs.dhcp.pools import Pool
from pytest_netbench.platforms.cisco_ios.services.programs.dhcp.server import Arrival, DhcpServer

_IP_PKTINFO = 8
_EVERYBODY = "255.255.255.255"
_MOST_HOPS = 16


class Service:
    """A DHCP server and relay on all interfaces of the node."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared
        self._pinger = Pinger(shared.loop)
        self._server = DhcpServer(shared.loop, self._in_use, self._send)
        self._relays: dict[str, list[str]] = {}
        self._ping_packets, self._ping_s = 0, 0.0
        self._socket: socket.socket | None = None
        self._frames = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)

    def configure(self, config: dict[str, Any]) -> None:
        pools = [Pool.read(pool) for pool in config.get("pools", ())]
        self._server.leases.take_over(pools, [(low, high) for low, high in config.get("excluded", ())])
        self._relays = config.get("relays", {})
        self._ping_packets, self._ping_s = config.get("ping_packets", 2), config.get("ping_ms", 500) / 1000
        if config and self._socket is None:
            self._open()
        elif not config and self._socket is not None:
            self._shared.loop.unwatch(self._socket.fileno())
            self._socket.close()
            self._socket = None

    def _open(self) -> None:
        listener = socket.socket(socket.AF_INET, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        listener.setsockopt(socket.IPPROTO_IP, _IP_PKTINFO, 1)
        listener.bind(("", SERVER_PORT))
        self._socket = listener
        self._shared.loop.watch(listener.fileno(), self._readable)

    # -- received messages -------------------------------------------------------------------------------------------

    def _readable(self) -> None:
        if self._socket is None:
            return
        try:
            data, ancillary, _, _ = self._socket.recvmsg(4096, socket.CMSG_SPACE(12))
            index, local, _ = struct.unpack("i4s4s", ancillary[0][2])
            interface = socket.if_indextoname(index)
        except (OSError, IndexError):
            return
        message = DhcpMessage.parse(data)
        if message is None:
            return
        link = self._shared.links.get(interface)
        own = link.address if link is not None and link.address else ""
        if message.op == dhcp_packet.REPLY:
            self._to_client(message)
            return
        arrival = Arrival(message, interface, own or socket.inet_ntoa(local))
        if self._server.serves(arrival):
            self._server.receive(arrival)
        elif interface in self._relays and own:
            self._to_helpers(message, own, self._relays[interface])

    def _to_helpers(self, message: DhcpMessage, own: str, helpers: list[str]) -> None:
        if message.hops >= _MOST_HOPS:
            return
        giaddr = own if message.giaddr == NOWHERE else message.giaddr
        relayed = replace(message, giaddr=giaddr, hops=message.hops + 1)
        for helper in helpers:
            self._unicast(relayed, helper, SERVER_PORT, source=own)

    def _to_client(self, message: DhcpMessage) -> None:
        """Relay a server's answer to the client. ``giaddr`` names the relay's interface."""
        for interface in self._relays:
            link = self._shared.links.get(interface)
            if link is not None and link.address == message.giaddr:
                self._deliver(interface, link.address, replace(message, giaddr=NOWHERE))

    # -- sent messages -----------------------------------------------------------------------------------------------

    def _send(self, arrival: Arrival, answer: DhcpMessage) -> None:
        if answer.giaddr != NOWHERE:
            self._unicast(answer, answer.giaddr, SERVER_PORT, source=arrival.address)
        elif answer.ciaddr != NOWHERE:
            self._unicast(answer, answer.ciaddr, CLIENT_PORT, source=arrival.address)
        else:
            self._deliver(arrival.interface, arrival.address, answer)

    def _unicast(self, message: DhcpMessage, target: str, port: int, *, source: str) -> None:
        assert self._socket is not None
        info = struct.pack("i4s4s", 0, socket.inet_aton(source), bytes(4))
        # without a route the packet is lost, as on a real network, and the client asks again
        with contextlib.suppress(OSError):
            self._socket.sendmsg([message.pack()], [(socket.IPPROTO_IP, _IP_PKTINFO, info)], 0, (target, port))

    def _deliver(self, interface: str, source: str, message: DhcpMessage) -> None:
        """Send a frame to a client that has no address yet: the kernel would first send an ARP request."""
        link = self._shared.links.get(interface)
        if link is None:
            return
        everybody = bool(message.flags & BROADCAST_FLAG) or message.kind is Kind.NAK or message.yiaddr == NOWHERE
        target, mac = (_EVERYBODY, packets.BROADCAST) if everybody else (message.yiaddr, message.chaddr)
        datagram = packets.udp(source, SERVER_PORT, target, CLIENT_PORT, message.pack())
        packet = packets.ipv4(source, target, socket.IPPROTO_UDP, datagram, ttl=255)
        with contextlib.suppress(OSError):
            self._frames.sendto(packets.ethernet(mac, link.mac, packets.ETH_IP, packet), (interface, 0))

    # -- whether an address is in use --------------------------------------------------------------------------------

    def _in_use(self, address: str, tell: Callable[[bool], None]) -> None:
        self._probe(address, tell, self._ping_packets)

    def _probe(self, address: str, tell: Callable[[bool], None], left: int) -> None:
        def answered(milliseconds: float | None) -> None:
            if milliseconds is not None:
                tell(True)
            else:
                self._probe(address, tell, left - 1)

        if left == 0 or not self._pinger.ping(address, answered, timeout_s=self._ping_s):
            tell(False)

    # -- state -------------------------------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        return {**self._server.report(), "waiting": []}

    def command(self, words: list[str]) -> str:
        if len(words) != 3 or words[0] != "clear" or words[1] not in {"binding", "conflict"}:
            raise ValueError(f"the service dhcp knows no command {' '.join(words)!r}")
        self._server.clear(words[1], words[2])
        return ""
