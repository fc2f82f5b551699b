"""Bytes of the packets that probes send and see. Pure; standard library only."""

from __future__ import annotations

import socket
import struct
from typing import NamedTuple

ICMP, TCP, UDP, ICMPV6 = 1, 6, 17, 58
ECHO_REPLY, UNREACHABLE, ECHO, TIME_EXCEEDED = 0, 3, 8, 11
ECHO6, ECHO_REPLY6, UNREACHABLE6, TIME_EXCEEDED6 = 128, 129, 1, 3
_WHY = {
    0: "network unreachable", 1: "host unreachable", 2: "protocol unreachable", 3: "port unreachable",
    9: "administratively prohibited", 10: "administratively prohibited", 13: "administratively prohibited",
}  # fmt: skip
_WHY6 = {0: "no route", 1: "administratively prohibited", 3: "address unreachable", 4: "port unreachable"}


class IcmpMessage(NamedTuple):
    """What an ICMP message says of an echo request: its kind, identifier and sequence number."""

    kind: str
    identifier: int
    sequence: int
    detail: str = ""


def echo_request(identifier: int, sequence: int, *, version: int) -> bytes:
    """An echo request; for IPv6 the kernel fills the checksum in."""
    kind = ECHO if version == 4 else ECHO6
    body = b"netbench" * 4
    header = struct.pack("!BBHHH", kind, 0, 0, identifier, sequence)
    if version == 6:
        return header + body
    return struct.pack("!BBHHH", kind, 0, checksum(header + body), identifier, sequence) + body


def checksum(data: bytes) -> int:
    """The internet checksum (RFC 1071)."""
    padded = data + b"\0" * (len(data) % 2)
    total: int = sum(struct.unpack(f"!{len(padded) // 2}H", padded))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def read_icmp(data: bytes, *, version: int) -> IcmpMessage | None:
    """What a raw ICMP socket received; ``None`` if it is about no echo request."""
    message = data[(data[0] & 0xF) * 4 :] if version == 4 and data else data
    if len(message) < 8:
        return None
    kind, code = message[0], message[1]
    if kind == (ECHO_REPLY if version == 4 else ECHO_REPLY6):
        return IcmpMessage("reply", *struct.unpack("!HH", message[4:8]))
    exceeded, unreachable = (TIME_EXCEEDED, UNREACHABLE) if version == 4 else (TIME_EXCEEDED6, UNREACHABLE6)
    if kind not in (exceeded, unreachable):
        return None
    inner = message[8:]
    offset = (inner[0] & 0xF) * 4 if version == 4 and inner else 40
    if len(inner) < offset + 8 or inner[offset] != (ECHO if version == 4 else ECHO6):
        return None
    identifier, sequence = struct.unpack("!HH", inner[offset + 4 : offset + 8])
    if kind == exceeded:
        return IcmpMessage("exceeded", identifier, sequence)
    why = (_WHY if version == 4 else _WHY6).get(code, f"unreachable, code {code}")
    return IcmpMessage("unreachable", identifier, sequence, why)


class Seen(NamedTuple):
    """An IP packet as it arrived: protocol, source, DSCP, and ports or the echo identifier (as ``target_port``)."""

    protocol: int
    source: str
    dscp: int
    source_port: int
    target_port: int


def read_ip(data: bytes) -> Seen | None:
    """Parse an IPv4 or IPv6 packet's headers; ``None`` if it is too short or of another protocol."""
    if len(data) < 28:
        return None
    if data[0] >> 4 == 4:
        protocol, offset, tos = data[9], (data[0] & 0xF) * 4, data[1]
        source = socket.inet_ntop(socket.AF_INET, data[12:16])
    else:
        protocol, offset, tos = data[6], 40, ((data[0] & 0xF) << 4) | (data[1] >> 4)
        source = socket.inet_ntop(socket.AF_INET6, data[8:24])
    if len(data) < offset + 8:
        return None
    if protocol in (TCP, UDP):
        ports = struct.unpack("!HH", data[offset : offset + 4])
    elif protocol in (ICMP, ICMPV6) and data[offset] in (ECHO, ECHO6):
        ports = (0, struct.unpack("!H", data[offset + 4 : offset + 6])[0])
    else:
        return None
    return Seen(protocol, source, tos >> 2, *ports)
