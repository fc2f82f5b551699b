"""Bytes of the packets that probes send and see. Pure; standard library only."""

from __future__ import annotations

import struct
from typing import NamedTuple

ICMP, TCP, UDP, ICMPV6 = 1, 6, 17, 58
GRE, ESP = 47, 50
TUNNELS = (GRE, ESP)
ECHO_REPLY, UNREACHABLE, ECHO, TIME_EXCEEDED = 0, 3, 8, 11
ECHO6, ECHO_REPLY6, UNREACHABLE6, TIME_EXCEEDED6 = 128, 129, 1, 3
NEIGHBOR_SOLICITATION, NEIGHBOR_ADVERTISEMENT = 135, 136
SYN, RST, PSH, ACK = 2, 4, 8, 16
ARP_TYPE = 0x0806
_PORTS = struct.Struct("!HH")
_TCP = struct.Struct("!HHI")
_WHY = {
    0: "network unreachable",
    1: "host unreachable",
    2: "protocol unreachable",
    3: "port unreachable",
    9: "administratively prohibited",
    10: "administratively prohibited",
    13: "administratively prohibited",
}
_WHY6 = {0: "no route", 1: "administratively prohibited", 3: "address unreachable", 4: "port unreachable"}


class IcmpMessage(NamedTuple):
    """What an ICMP message says of an echo request: its kind, identifier and sequence number."""

    kind: str
    identifier: int
    sequence: int
    detail: str = ""


def echo_request(identifier: int, sequence: int, body: bytes, *, version: int) -> bytes:
    """An echo request; for IPv6 the kernel fills the checksum in."""
    kind = ECHO if version == 4 else ECHO6
    header = struct.pack("!BBHHH", kind, 0, 0, identifier, sequence)
    if version == 6:
        return header + body
    return struct.pack("!BBHHH", kind, 0, checksum(header + body), identifier, sequence) + body


def checksum(data: bytes) -> int:
    """The internet checksum (RFC 1071)."""
    if len(data) % 2:
        data += b"\0"
    # the sum of 16-bit words with end-around carry is the number modulo 65535, with 65535 in place of a remainder of 0
    number = int.from_bytes(data, "big")
    return ~(number % 0xFFFF or (0xFFFF if number else 0)) & 0xFFFF


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
    """A packet as a node saw it: headers of IP and of the transport.

    ``source`` and ``target`` are packed addresses. ``kind`` is the ICMP type or the TCP flags. ``number`` is the TCP
    sequence number. For an echo ``source_port`` and ``target_port`` are its sequence number and identifier. The
    ``payload`` of a tunnel's packet is all that follows the IP header.
    """

    protocol: int
    source: bytes
    target: bytes
    dscp: int
    source_port: int
    target_port: int
    kind: int
    number: int
    payload: bytes


def read_ip(data: bytes | memoryview) -> Seen | None:
    """Parse a packet of ICMP, TCP, UDP or a tunnel; ``None`` if it is too short, a fragment or of another protocol."""
    size = len(data)
    if size < 28:
        return None
    if data[0] >> 4 == 4:
        end, offset = min(size, data[2] << 8 | data[3]), (data[0] & 0xF) * 4
        if data[6] & 0x1F or data[7]:
            return None
        source, target = bytes(data[12:16]), bytes(data[16:20])
        return read_transport(data[9], source, target, data[1] >> 2, data[offset:end])
    if size < 48:
        return None
    end, dscp = min(size, 40 + (data[4] << 8 | data[5])), ((data[0] & 0xF) << 2) | (data[1] >> 6)
    return read_transport(data[6], bytes(data[8:24]), bytes(data[24:40]), dscp, data[40:end])


def read_transport(protocol: int, source: bytes, target: bytes, dscp: int, data: bytes | memoryview) -> Seen | None:
    """Parse what follows the IP header; ``None`` if it is too short or of another protocol."""
    if len(data) < 8:
        return None
    if protocol == UDP:
        here, there = _PORTS.unpack_from(data)
        return Seen(UDP, source, target, dscp, here, there, 0, 0, bytes(data[8:]))
    if protocol in (ICMP, ICMPV6):
        identifier, sequence = _PORTS.unpack_from(data, 4)
        return Seen(protocol, source, target, dscp, sequence, identifier, data[0], data[1], bytes(data[8:]))
    if protocol in TUNNELS:
        return Seen(protocol, source, target, dscp, 0, 0, 0, 0, bytes(data))
    if protocol == TCP and len(data) >= 20:
        here, there, number = _TCP.unpack_from(data)
        return Seen(TCP, source, target, dscp, here, there, data[13], number, bytes(data[(data[12] >> 4) * 4 :]))
    return None


class Complaint(NamedTuple):
    """An ICMP error: its type, and the ports (echo: sequence number and identifier) of the packet that caused it."""

    detail: str
    protocol: int
    target: bytes
    source_port: int
    target_port: int


def read_complaint(seen: Seen) -> Complaint | None:
    """The ICMP error in ``seen``; ``None`` if it is none, or about a protocol that no probe uses."""
    if seen.protocol not in (ICMP, ICMPV6):
        return None
    four = seen.protocol == ICMP
    exceeded, unreachable = (TIME_EXCEEDED, UNREACHABLE) if four else (TIME_EXCEEDED6, UNREACHABLE6)
    inner = seen.payload
    offset = (inner[0] & 0xF) * 4 if four and inner else 40
    if seen.kind not in (exceeded, unreachable) or len(inner) < offset + 8:
        return None
    protocol, target = (inner[9], inner[16:20]) if four else (inner[6], inner[24:40])
    if protocol in (ICMP, ICMPV6):
        identifier, sequence = _PORTS.unpack_from(inner, offset + 4)
        ports = (sequence, identifier)
    elif protocol in (TCP, UDP):
        ports = _PORTS.unpack_from(inner, offset)
    elif protocol in TUNNELS:
        ports = (0, 0)
    else:
        return None
    why = "hop limit exceeded" if seen.kind == exceeded else (_WHY if four else _WHY6).get(seen.number)
    return Complaint(why or f"unreachable, code {seen.number}", protocol, bytes(target), *ports)


def datagram(source: bytes, target: bytes, source_port: int, target_port: int, payload: bytes) -> bytes:
    """A UDP header and its payload."""
    header = struct.pack("!HHHH", source_port, target_port, 8 + len(payload), 0)
    found = checksum(_pseudo_header(source, target, UDP, 8 + len(payload)) + header + payload) or 0xFFFF
    return header[:6] + struct.pack("!H", found) + payload


def segment(
    source: bytes,
    target: bytes,
    ports: tuple[int, int],
    *,
    number: int,
    confirmed: int,
    flags: int,
    payload: bytes,
    window: int = 64240,
) -> bytes:
    """A TCP header and its payload; a SYN announces a segment size of 1220 bytes."""
    options = b"\x02\x04\x04\xc4" if flags & SYN else b""
    words = ((20 + len(options)) // 4 << 12) | flags
    header = struct.pack("!HHIIHHHH", *ports, number, confirmed, words, window, 0, 0) + options
    found = checksum(_pseudo_header(source, target, TCP, len(header) + len(payload)) + header + payload)
    return header[:16] + struct.pack("!H", found) + header[18:] + payload


def host_unreachable(source: bytes, target: bytes, ports: tuple[int, int], payload: bytes) -> bytes:
    """An ICMP error about a UDP datagram from ``source`` to ``target``; for IPv6 the kernel fills the checksum in."""
    inner = datagram(source, target, *ports, payload)
    if len(source) == 16:
        header = struct.pack("!IHBB", 6 << 28, len(inner), UDP, 63) + source + target
        return struct.pack("!BBHI", UNREACHABLE6, 3, 0, 0) + header + inner
    # not to be fragmented, as Linux sends datagrams; such a packet may have 0 as its identification
    start = struct.pack("!BBHHHBB", 0x45, 0, 20 + len(inner), 0, 0x4000, 63, UDP)
    header = start + struct.pack("!H", checksum(start + source + target)) + source + target
    found = checksum(struct.pack("!BBHI", UNREACHABLE, 1, 0, 0) + header + inner)
    return struct.pack("!BBHI", UNREACHABLE, 1, found, 0) + header + inner


def read_unreachable(seen: Seen) -> bytes | None:
    """The payload of the UDP datagram that an ICMP error is about; ``None`` if ``seen`` is no such error."""
    kinds = {ICMP: UNREACHABLE, ICMPV6: UNREACHABLE6}
    inner = seen.payload
    if seen.kind != kinds.get(seen.protocol) or not inner:
        return None
    four = seen.protocol == ICMP
    offset, protocol = ((inner[0] & 0xF) * 4, inner[9:10]) if four else (40, inner[6:7])
    return inner[offset + 8 :] if protocol == bytes([UDP]) else None


def neighbor_advertisement(source: bytes, target: bytes, hardware: bytes) -> bytes:
    """An IPv6 packet in which ``source`` tells ``target`` its hardware address."""
    body = struct.pack("!BBHI", NEIGHBOR_ADVERTISEMENT, 0, 0, 0x60000000) + source + b"\x02\x01" + hardware
    found = checksum(_pseudo_header(source, target, ICMPV6, len(body)) + body)
    body = body[:2] + struct.pack("!H", found) + body[4:]
    return struct.pack("!IHBB", 6 << 28, len(body), ICMPV6, 255) + source + target + body


def _pseudo_header(source: bytes, target: bytes, protocol: int, size: int) -> bytes:
    if len(source) == 4:
        return source + target + struct.pack("!HH", protocol, size)
    return source + target + struct.pack("!II", size, protocol)
