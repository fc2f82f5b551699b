"""VRRP version 2 packets (RFC 3768)."""

from __future__ import annotations

import socket
import struct
from dataclasses import dataclass

from pytest_netbench.platforms.cisco_ios.services.programs.common.packets import checksum

PROTOCOL = 112
GROUP_ADDRESS = "224.0.0.18"
TTL = 255
NO_AUTHENTICATION, SIMPLE_TEXT = 0, 1
_TYPE = 0x21


@dataclass(frozen=True)
class VrrpPacket:
    """An advertisement. ``interval_s``: seconds between them; priority 0: the master resigns."""

    group: int
    priority: int
    interval_s: int
    addresses: tuple[str, ...]
    text: str = ""

    def pack(self) -> bytes:
        """Return the payload of an IP datagram."""
        kind = SIMPLE_TEXT if self.text else NO_AUTHENTICATION
        head = struct.pack("!6B", _TYPE, self.group, self.priority, len(self.addresses), kind, self.interval_s)
        rest = b"".join(socket.inet_aton(address) for address in self.addresses)
        rest += self.text.encode()[:8].ljust(8, b"\0")
        return head + struct.pack("!H", checksum(head + b"\0\0" + rest)) + rest

    @classmethod
    def parse(cls, data: bytes) -> VrrpPacket | None:
        """Return the advertisement in ``data``, or ``None`` if it is invalid or of another version."""
        if len(data) < 16 or data[0] != _TYPE or checksum(data):
            return None
        _, group, priority, count, kind, interval = struct.unpack_from("!6B", data)
        if len(data) < 8 + 4 * count + 8:
            return None
        addresses = tuple(socket.inet_ntoa(data[at : at + 4]) for at in range(8, 8 + 4 * count, 4))
        text = data[8 + 4 * count :][:8].rstrip(b"\0").decode("ascii", "replace") if kind == SIMPLE_TEXT else ""
        return cls(group=group, priority=priority, interval_s=interval, addresses=addresses, text=text)


def virtual_mac(group: int) -> bytes:
    """Return 0000.5e00.01XX."""
    return bytes.fromhex(f"00005e0001{group:02x}")
