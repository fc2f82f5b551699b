"""EIGRP packets (RFC 7868): header, parameters and internal routes of IPv4."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterable
from dataclasses import dataclass, field

from pytest_netbench.platforms.cisco_ios.services.programs.common import packets

PROTOCOL = 88
GROUP = "224.0.0.10"
UPDATE, QUERY, REPLY, HELLO = 1, 3, 4, 5
INIT = 1
_PARAMETERS, _ROUTE = 0x0001, 0x0102
_WEIGHTS = (1, 0, 1, 0, 0, 0)
_GOODBYE = (255,) * 6
_HEADER = struct.Struct("!BBHIIIHH")
INFINITE = 0xFFFFFFFF
MOST_HOPS = 100


@dataclass(frozen=True)
class Vector:
    """The metric of a route: scaled bandwidth of its slowest link, scaled sum of delays, number of routers."""

    bandwidth: int = 0
    delay: int = INFINITE
    hops: int = 0

    @property
    def distance(self) -> int:
        """The composite metric for K1 = K3 = 1."""
        return INFINITE if self.delay == INFINITE else min(INFINITE - 1, self.bandwidth + self.delay)

    def behind(self, other: Vector) -> Vector:
        """Return the vector of the same route over a link with the vector ``other``."""
        if self.delay == INFINITE or self.hops >= MOST_HOPS:
            return Vector()
        return Vector(max(self.bandwidth, other.bandwidth), self.delay + other.delay, self.hops + 1)


def link_vector(kbit: int, tens: int) -> Vector:
    """Return the vector of a link from its bandwidth in kbit/s and its delay in tens of microseconds."""
    return Vector(256 * (10_000_000 // kbit), 256 * tens, 0)


@dataclass(frozen=True)
class Packet:
    """A packet. ``routes``: (prefix, vector); ``hold_s``: ``None`` without parameters; ``leaving``: a goodbye."""

    opcode: int
    asn: int
    flags: int = 0
    sequence: int = 0
    ack: int = 0
    hold_s: int | None = None
    leaving: bool = False
    routes: tuple[tuple[str, Vector], ...] = field(default=())

    def pack(self) -> bytes:
        """Return the packet without its IP header."""
        body = b""
        if self.hold_s is not None:
            weights = _GOODBYE if self.leaving else _WEIGHTS
            body += struct.pack("!HH6BH", _PARAMETERS, 12, *weights, self.hold_s)
        body += b"".join(_route(prefix, vector) for prefix, vector in self.routes)
        fields = (2, self.opcode, 0, self.flags, self.sequence, self.ack, 0, self.asn)
        total = packets.checksum(_HEADER.pack(*fields) + body)
        return _HEADER.pack(2, self.opcode, total, *fields[3:]) + body

    @classmethod
    def parse(cls, data: bytes) -> Packet | None:
        """Return the packet in ``data``, or ``None`` if it is invalid or has other K values."""
        if len(data) < _HEADER.size or packets.checksum(data):
            return None
        version, opcode, _, flags, sequence, ack, _, asn = _HEADER.unpack_from(data)
        if version != 2:
            return None
        hold, leaving, routes, at = None, False, [], _HEADER.size
        while at + 4 <= len(data):
            kind, length = struct.unpack_from("!HH", data, at)
            if length < 4 or at + length > len(data):
                return None
            if kind == _PARAMETERS and length >= 12:
                *weights, hold = struct.unpack_from("!6BH", data, at + 4)
                leaving = tuple(weights) == _GOODBYE
                if not leaving and tuple(weights) != _WEIGHTS:
                    return None
            elif kind == _ROUTE and length >= 25:
                routes.append(_parse_route(data[at + 4 : at + length]))
            at += length
        return cls(opcode, asn, flags, sequence, ack, hold, leaving, tuple(routes))


def _route(prefix: str, vector: Vector) -> bytes:
    address, _, length = prefix.partition("/")
    octets = socket.inet_aton(address)[: (int(length) + 7) // 8]
    mtu_and_hops = (1500).to_bytes(3, "big") + bytes((min(255, vector.hops), 255, 1, 0, 0, int(length)))
    body = bytes(4) + struct.pack("!II", vector.delay, vector.bandwidth) + mtu_and_hops + octets
    return struct.pack("!HH", _ROUTE, 4 + len(body)) + body


def _parse_route(body: bytes) -> tuple[str, Vector]:
    delay, bandwidth = struct.unpack_from("!II", body, 4)
    hops, length = body[15], body[20]
    octets = (body[21:] + bytes(4))[:4]
    return f"{socket.inet_ntoa(octets)}/{length}", Vector(bandwidth, delay, hops)


def batches(routes: Iterable[tuple[str, Vector]], size: int = 40) -> list[tuple[tuple[str, Vector], ...]]:
    """Return routes in batches that fit into packets."""
    every = list(routes)
    return [tuple(every[at : at + size]) for at in range(0, len(every), size)]
