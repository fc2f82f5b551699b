"""Routing netlink: links, addresses and routes made by messages instead of programs. Standard library only."""

from __future__ import annotations

import contextlib
import itertools
import os
import socket
import struct
from collections.abc import Sequence
from types import TracebackType
from typing import NamedTuple, Self

RTM_NEWLINK = 16
RTM_DELLINK = 17
RTM_NEWADDR = 20
RTM_NEWROUTE = 24
IFF_UP = 0x1

_NETLINK_CAP_ACK = 10
_SOL_NETLINK = 270
_NLMSG_ERROR = 2
_REQUEST, _ACK, _EXCLUSIVE, _CREATE = 0x1, 0x4, 0x200, 0x400
_HEADER = struct.Struct("=IHHII")
_ATTRIBUTE = struct.Struct("=HH")
_LINK = struct.Struct("=BxHiII")
_ADDRESS = struct.Struct("=BBBBI")
_ROUTE = struct.Struct("=BBBBBBBBI")

_IFLA_ADDRESS, _IFLA_IFNAME, _IFLA_MTU, _IFLA_MASTER, _IFLA_LINKINFO, _IFLA_NET_NS_FD = 1, 3, 4, 10, 18, 28
_INFO_KIND, _INFO_DATA, _VETH_INFO_PEER = 1, 2, 1
_BRIDGE_STP_STATE, _BRIDGE_MCAST_SNOOPING = 5, 23
_IFA_ADDRESS, _IFA_LOCAL, _IFA_BROADCAST = 1, 2, 4
_RTA_DST, _RTA_OIF, _RTA_GATEWAY = 1, 4, 5
_MAIN_TABLE, _PROTOCOL_BOOT, _UNICAST = 254, 3, 1
_SCOPE_UNIVERSE, _SCOPE_LINK, _SCOPE_HOST = 0, 253, 254
# Errors are answered at once, successes once for each of these.
_BATCH = 64


class Request(NamedTuple):
    """One message. ``what`` names it in errors."""

    kind: int
    body: bytes
    what: str
    flags: int = _CREATE | _EXCLUSIVE


class End(NamedTuple):
    """One end of a link: name, index (``position``), and network namespace (``None``: the namespace of the socket).

    ``hardware`` is its hardware address; ``None`` leaves it to the kernel, which draws one.
    """

    name: str
    position: int
    network: int | None = None
    hardware: bytes | None = None


class Netlink:
    """A routing socket; it belongs to the network namespace in which it was made."""

    def __init__(self) -> None:
        self._socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
        self._socket.bind((0, 0))
        with contextlib.suppress(OSError):  # an answer then repeats the request
            self._socket.setsockopt(_SOL_NETLINK, _NETLINK_CAP_ACK, 1)
        self._numbers = itertools.count(1)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._socket.close()

    def do(self, requests: Sequence[Request]) -> None:
        """Send all requests, as few messages as the kernel needs to be handed.

        Raises:
            OSError: With what was refused. The others were done.
        """
        for start in range(0, len(requests), _BATCH):
            self._do(requests[start : start + _BATCH])

    def _do(self, requests: Sequence[Request]) -> None:
        sent: dict[int, Request] = {}
        message = bytearray()
        for position, request in enumerate(requests, start=1):
            number = next(self._numbers) & 0xFFFFFFFF
            sent[number] = request
            flags = _REQUEST | request.flags | (_ACK if position == len(requests) else 0)
            message += _HEADER.pack(_HEADER.size + len(request.body), request.kind, flags, number, 0) + request.body
        self._socket.sendall(message)
        refused = [(sent[number], code) for number, code in self._answers(number)]
        if refused:
            code = refused[0][1]
            raise OSError(code, "; ".join(f"{request.what}: {os.strerror(code)}" for request, code in refused[:5]))

    def _answers(self, last: int) -> list[tuple[int, int]]:
        """Number and error of each refused request, up to the answer to ``last``."""
        found = []
        while True:
            data = self._socket.recv(1 << 16)
            position = 0
            while position + _HEADER.size <= len(data):
                size, kind, _, number, _ = _HEADER.unpack_from(data, position)
                if kind == _NLMSG_ERROR:
                    (code,) = struct.unpack_from("=i", data, position + _HEADER.size)
                    if code:
                        found.append((number, -code))
                    if number == last:
                        return found
                position += (size + 3) & ~3


def veth(one: End, other: End, *, master: int | None = None, mtu: int | None = None) -> Request:
    """A pair of interfaces; ``master`` is the index of a bridge that ``one`` is a port of, ``mtu`` the MTU of ``one``.

    ``one`` is set up if it is in the socket's own namespace. ``other`` cannot be: it is made before it has a peer.
    """
    state = IFF_UP if one.network is None else 0
    peer = _LINK.pack(0, 0, other.position, 0, 0) + _end(other)
    body = _LINK.pack(0, 0, one.position, state, state) + _end(one)
    if master is not None:
        body += _attribute(_IFLA_MASTER, struct.pack("=I", master))
    if mtu is not None:
        body += _attribute(_IFLA_MTU, struct.pack("=I", mtu))
    body += _info("veth", _attribute(_VETH_INFO_PEER, peer))
    return Request(RTM_NEWLINK, body, f"link {one.name} - {other.name}")


def bridge(end: End) -> Request:
    """A bridge, up, without spanning tree and multicast snooping."""
    settings = _attribute(_BRIDGE_STP_STATE, struct.pack("=I", 0)) + _attribute(_BRIDGE_MCAST_SNOOPING, b"\0")
    body = _LINK.pack(0, 0, end.position, IFF_UP, IFF_UP) + _end(end) + _info("bridge", settings)
    return Request(RTM_NEWLINK, body, f"bridge {end.name}")


def set_state(interface: str, *, up: bool) -> Request:
    """Set an interface up or down."""
    body = _LINK.pack(0, 0, 0, IFF_UP if up else 0, IFF_UP) + _attribute(_IFLA_IFNAME, _text(interface))
    return Request(RTM_NEWLINK, body, f"set {interface} {'up' if up else 'down'}", 0)


def set_master(interface: str, master: int) -> Request:
    """Make an interface a port of the bridge with the index ``master``; 0 takes it out of its bridge."""
    attributes = _attribute(_IFLA_IFNAME, _text(interface)) + _attribute(_IFLA_MASTER, struct.pack("=I", master))
    return Request(RTM_NEWLINK, _LINK.pack(0, 0, 0, 0, 0) + attributes, f"master of {interface}", 0)


def move(index: int, end: End) -> Request:
    """Move an interface with an index in the socket's namespace to another namespace, under a name."""
    return Request(RTM_NEWLINK, _LINK.pack(0, 0, index, 0, 0) + _end(end), f"move to {end.name}", 0)


def remove(interface: str) -> Request:
    """Remove an interface, with its peer if it is one of a pair."""
    body = _LINK.pack(0, 0, 0, 0, 0) + _attribute(_IFLA_IFNAME, _text(interface))
    return Request(RTM_DELLINK, body, f"remove {interface}", 0)


def set_mtu(interface: str, mtu: int) -> Request:
    """Set the MTU of an interface."""
    attributes = _attribute(_IFLA_IFNAME, _text(interface)) + _attribute(_IFLA_MTU, struct.pack("=I", mtu))
    return Request(RTM_NEWLINK, _LINK.pack(0, 0, 0, 0, 0) + attributes, f"set {interface} mtu {mtu}", 0)


def set_hardware_address(interface: str, octets: bytes) -> Request:
    """Set the hardware address of an interface."""
    attributes = _attribute(_IFLA_IFNAME, _text(interface)) + _attribute(_IFLA_ADDRESS, octets)
    return Request(RTM_NEWLINK, _LINK.pack(0, 0, 0, 0, 0) + attributes, f"set {interface} address", 0)


def address(text: str, length: int, index: int, *, broadcast: str | None = None) -> Request:
    """An address of an interface, as ``ip address add`` gives it."""
    packed, family = _packed(text)
    # ip gives 127.0.0.0/8 the scope of the host
    scope = _SCOPE_HOST if family == socket.AF_INET and packed[0] == 127 else _SCOPE_UNIVERSE
    body = _ADDRESS.pack(family, length, 0, scope, index)
    body += _attribute(_IFA_LOCAL, packed) + _attribute(_IFA_ADDRESS, packed)
    if broadcast is not None:
        body += _attribute(_IFA_BROADCAST, _packed(broadcast)[0])
    return Request(RTM_NEWADDR, body, f"address {text}/{length}")


def route(destination: tuple[str, int], *, gateway: str | None = None, index: int | None = None) -> Request:
    """A unicast route of the main table, as ``ip route add`` makes it."""
    packed, family = _packed(destination[0])
    scope = _SCOPE_LINK if gateway is None and family == socket.AF_INET else _SCOPE_UNIVERSE
    body = _ROUTE.pack(family, destination[1], 0, 0, _MAIN_TABLE, _PROTOCOL_BOOT, scope, _UNICAST, 0)
    if destination[1]:
        body += _attribute(_RTA_DST, packed)
    if gateway is not None:
        body += _attribute(_RTA_GATEWAY, _packed(gateway)[0])
    if index is not None:
        body += _attribute(_RTA_OIF, struct.pack("=I", index))
    return Request(RTM_NEWROUTE, body, f"route {destination[0]}/{destination[1]}")


def _end(end: End) -> bytes:
    where = b"" if end.network is None else _attribute(_IFLA_NET_NS_FD, struct.pack("=I", end.network))
    own = b"" if end.hardware is None else _attribute(_IFLA_ADDRESS, end.hardware)
    return _attribute(_IFLA_IFNAME, _text(end.name)) + where + own


def _info(kind: str, data: bytes) -> bytes:
    return _attribute(_IFLA_LINKINFO, _attribute(_INFO_KIND, _text(kind)) + _attribute(_INFO_DATA, data))


def _attribute(kind: int, value: bytes) -> bytes:
    size = _ATTRIBUTE.size + len(value)
    return _ATTRIBUTE.pack(size, kind) + value + b"\0" * (-size % 4)


def _text(text: str) -> bytes:
    return text.encode() + b"\0"


def _packed(text: str) -> tuple[bytes, int]:
    family = socket.AF_INET6 if ":" in text else socket.AF_INET
    return socket.inet_pton(family, text), family
