"""Shared code of HSRP and VRRP groups: the priority with tracking, and the socket on an interface."""

from __future__ import annotations

import contextlib
import socket
import struct
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pytest_netbench.platforms.cisco_ios.services.programs.common import packets
from pytest_netbench.platforms.cisco_ios.services.programs.common.host import Shared
from pytest_netbench.platforms.cisco_ios.services.programs.common.links import Link
from pytest_netbench.platforms.cisco_ios.services.programs.fhrp.virtual_router import Held


def tracked_priority(priority: int, tracks: Sequence[Mapping[str, Any]], shared: Shared) -> int:
    """Return the configured priority minus the decrement of each tracked item that is down; never below 0."""
    lost: int = sum(track["decrement"] for track in tracks if not is_up(track, shared))
    return max(0, priority - lost)


def is_up(track: Mapping[str, Any], shared: Shared) -> bool:
    """Whether a tracked item, ``{"object": 1, …}`` or ``{"link": "gi0-1", …}``, is up."""
    if "object" in track:
        return shared.tracks.is_up(track["object"])
    link = shared.links.get(track["link"])
    return link is not None and link.up


def address_key(address: str) -> bytes:
    """Return a key that compares addresses as numbers."""
    return socket.inet_aton(address or packets.UNSPECIFIED)


class Port:
    """The sockets of a protocol on one interface."""

    def __init__(
        self,
        shared: Shared,
        held: Held,
        interface: str,
        *,
        protocol: int,
        groups: Sequence[str],
        receive: Callable[[packets.Ipv4], None],
    ) -> None:
        self._shared = shared
        self._held = held
        self._protocol = protocol
        self._groups = groups
        self._socket: socket.socket | None = None
        self._index = 0
        self._receive = receive
        self.interface = interface

    def open(self) -> Link | None:
        """Open the sockets, again if the link was recreated; return the current link."""
        link = self._shared.links.get(self.interface)
        if link is not None and link.index != self._index:
            self.close()
            self._listen(link)
        return link

    def _listen(self, link: Link) -> None:
        # a raw socket: it provides the TTL, and it does not receive what the packet filter dropped
        listener = socket.socket(socket.AF_INET, socket.SOCK_RAW | socket.SOCK_NONBLOCK, self._protocol)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, self.interface.encode())
        for group in self._groups:
            membership = struct.pack("4s4si", socket.inet_aton(group), bytes(4), link.index)
            listener.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, membership)
        self._socket, self._index = listener, link.index
        self._shared.loop.watch(listener.fileno(), self._readable)

    def _readable(self) -> None:
        if self._socket is None:
            return
        with contextlib.suppress(OSError):
            datagram = packets.Ipv4.parse(self._socket.recv(2048))
            if datagram is not None:
                self._receive(datagram)

    def send(self, source_mac: bytes, source: str, group: str, payload: bytes, *, ttl: int) -> None:
        """Multicast ``payload`` of this protocol, from a MAC address that may differ from the interface's."""
        datagram = packets.ipv4(source, group, self._protocol, payload, ttl=ttl, tos=0xC0)
        frame = packets.ethernet(packets.multicast_mac(group), source_mac, packets.ETH_IP, datagram)
        self._held.send(self.interface, frame)

    def close(self) -> None:
        """Close the sockets. Idempotent."""
        if self._socket is not None:
            self._shared.loop.unwatch(self._socket.fileno())
            self._socket.close()
            self._socket, self._index = None, 0
