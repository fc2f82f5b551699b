"""Packets: encoding and decoding of Ethernet, ARP, IPv4, UDP and ICMP echo."""

from __future__ import annotations

import socket
import struct
from dataclasses import dataclass

ETH_IP, ETH_ARP = 0x0800, 0x0806
BROADCAST = b"\xff" * 6
ARP_REQUEST, ARP_REPLY = 1, 2
ECHO_REPLY, ECHO_REQUEST = 0, 8
UNSPECIFIED = "0.0.0.0"  # noqa: S104  (the only place in these programs, which import nothing but each other)


def mac(text: str) -> bytes:
    """Return ``00:00:0c:07:ac:01`` or ``0000.0c07.ac01`` as six bytes."""
    return bytes.fromhex(text.replace(":", "").replace(".", ""))


def mac_text(address: bytes, separator: str = ":") -> str:
    """Return six bytes in the format of the kernel's tools."""
    return address.hex(separator)


def multicast_mac(group: str) -> bytes:
    """Return the Ethernet address of an IPv4 multicast group."""
    low = socket.inet_aton(group)
    return bytes((0x01, 0x00, 0x5E, low[1] & 0x7F, low[2], low[3]))


def checksum(data: bytes) -> int:
    """Return the Internet checksum (RFC 1071)."""
    if len(data) % 2:
        data += b"\0"
    total: int = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def ethernet(target: bytes, source: bytes, kind: int, payload: bytes) -> bytes:
    """Return a frame without its check sequence."""
    return target + source + struct.pack("!H", kind) + payload


def ipv4(source: str, target: str, protocol: int, payload: bytes, *, ttl: int, tos: int = 0) -> bytes:
    """Return an unfragmented datagram."""
    fields = (0x45, tos, 20 + len(payload), 0, 0, ttl, protocol, 0, socket.inet_aton(source), socket.inet_aton(target))
    header = struct.pack("!BBHHHBBH4s4s", *fields)
    return header[:10] + struct.pack("!H", checksum(header)) + header[12:] + payload


def udp(source: str, source_port: int, target: str, target_port: int, payload: bytes) -> bytes:
    """Return a UDP datagram with its checksum, for ``ipv4`` with the same addresses."""
    header = struct.pack("!HHHH", source_port, target_port, 8 + len(payload), 0)
    pseudo = socket.inet_aton(source) + socket.inet_aton(target) + struct.pack("!BBH", 0, 17, 8 + len(payload))
    return header[:6] + struct.pack("!H", checksum(pseudo + header + payload) or 0xFFFF) + payload


def echo(kind: int, identifier: int, sequence: int, payload: bytes = b"") -> bytes:
    """Return an ICMP echo request or reply."""
    body = struct.pack("!HH", identifier, sequence) + payload
    total = checksum(struct.pack("!BBH", kind, 0, 0) + body)
    return struct.pack("!BBH", kind, 0, total) + body


@dataclass(frozen=True)
class Arp:
    """An ARP packet between IPv4 addresses."""

    operation: int
    sender_mac: bytes
    sender: str
    target_mac: bytes
    target: str

    def pack(self) -> bytes:
        """Return the packet without Ethernet header."""
        return (
            struct.pack("!HHBBH", 1, ETH_IP, 6, 4, self.operation)
            + self.sender_mac
            + socket.inet_aton(self.sender)
            + self.target_mac
            + socket.inet_aton(self.target)
        )

    @classmethod
    def parse(cls, data: bytes) -> Arp | None:
        """Return the packet in ``data`` (no Ethernet header), or ``None`` if it is not one."""
        if len(data) < 28 or struct.unpack_from("!HHBB", data) != (1, ETH_IP, 6, 4):
            return None
        ends = data[8:14], socket.inet_ntoa(data[14:18]), data[18:24], socket.inet_ntoa(data[24:28])
        return cls(struct.unpack_from("!H", data, 6)[0], *ends)


@dataclass(frozen=True)
class Ipv4:
    """The relevant fields of a received datagram."""

    source: str
    target: str
    protocol: int
    ttl: int
    payload: bytes

    @classmethod
    def parse(cls, data: bytes) -> Ipv4 | None:
        """Return the datagram in ``data``, or ``None`` if it is not one."""
        if len(data) < 20 or data[0] >> 4 != 4:
            return None
        header, length = (data[0] & 15) * 4, struct.unpack_from("!H", data, 2)[0]
        if header < 20 or not header <= length <= len(data):
            return None
        source, target = socket.inet_ntoa(data[12:16]), socket.inet_ntoa(data[16:20])
        return cls(source, target, data[9], data[8], data[header:length])
