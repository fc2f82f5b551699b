"""SCTP packets for kernels without SCTP: an INIT chunk with a correct checksum (RFC 9260), and who gets it."""

from __future__ import annotations

import struct

PROTOCOL = 132
_POLYNOMIAL = 0x82F63B78
_INIT = 1
_PORTS_TAG_SUM = struct.Struct("!HHII")

SEND = """
import socket, sys, time
target, *packets = sys.argv[1:]
raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, 132)
for _ in range(10):
    for one in packets:
        raw.sendto(bytes.fromhex(one), (target, 0))
    time.sleep(0.05)
"""
"""A program that sends packets to an address, again and again for half a second."""
RECEIVE = """
import socket, sys, time
ends = time.monotonic() + 1.5
raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, 132)
while (left := ends - time.monotonic()) > 0:
    raw.settimeout(left)
    try:
        data, (sender, _) = raw.recvfrom(65535)
    except TimeoutError:
        break
    print(sender, data[(data[0] & 15) * 4 :].hex())
"""
"""A program that prints the sender and the contents of each packet of 1.5 seconds."""


def crc32c(data: bytes) -> int:
    """The checksum of SCTP, bit by bit."""
    value = 0xFFFFFFFF
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ (_POLYNOMIAL if value & 1 else 0)
    return value ^ 0xFFFFFFFF


def init(source: int, target: int) -> bytes:
    """A packet that opens an association: the common header of 12 bytes, and one chunk."""
    chunk = struct.pack("!BBHIIHHI", _INIT, 0, 20, 0x1234_5678, 65_536, 1, 1, 1)
    return _sealed(_PORTS_TAG_SUM.pack(source, target, 0, 0) + chunk)


def _sealed(packet: bytes) -> bytes:
    return packet[:8] + struct.pack("<I", crc32c(packet)) + packet[12:]


def target_of(packet: bytes) -> int:
    """The port that a packet was sent to.

    Raises:
        ValueError: Its checksum is wrong.
    """
    if packet != _sealed(packet[:8] + bytes(4) + packet[12:]):
        raise ValueError(f"the checksum of {packet.hex()} is wrong")
    return int(_PORTS_TAG_SUM.unpack_from(packet)[1])
