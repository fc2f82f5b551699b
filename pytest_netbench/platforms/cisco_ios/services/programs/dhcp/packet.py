"""DHCP messages (RFC 2131) and their options (RFC 2132)."""

from __future__ import annotations

import socket
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import IntEnum

from pytest_netbench.platforms.cisco_ios.services.programs.common.packets import UNSPECIFIED

SERVER_PORT, CLIENT_PORT = 67, 68
REQUEST, REPLY = 1, 2
BROADCAST_FLAG = 0x8000
NOWHERE = UNSPECIFIED  # the address of who has none
_COOKIE = bytes((99, 130, 83, 99))
_FIXED = "!BBBBIHH4s4s4s4s16s64s128s4s"
_SHORTEST = 300


class Kind(IntEnum):
    """Message types."""

    DISCOVER = 1
    OFFER = 2
    REQUEST = 3
    DECLINE = 4
    ACK = 5
    NAK = 6
    RELEASE = 7
    INFORM = 8


class Option(IntEnum):
    """Options that are used by name here."""

    MASK = 1
    ROUTER = 3
    DNS = 6
    HOSTNAME = 12
    DOMAIN = 15
    NETBIOS_NAME_SERVER = 44
    NETBIOS_NODE_TYPE = 46
    REQUESTED_ADDRESS = 50
    LEASE_TIME = 51
    MESSAGE_TYPE = 53
    SERVER_ID = 54
    PARAMETERS = 55
    RENEWAL_TIME = 58
    REBINDING_TIME = 59
    CLIENT_ID = 61
    TFTP_SERVER = 66
    BOOTFILE = 67
    RELAY_INFORMATION = 82
    TFTP_ADDRESSES = 150
    END = 255


@dataclass(frozen=True)
class DhcpMessage:
    """A DHCP message. ``op``: from a client (``REQUEST``) or to one (``REPLY``)."""

    op: int
    xid: int
    chaddr: bytes
    kind: Kind
    ciaddr: str = NOWHERE
    yiaddr: str = NOWHERE
    siaddr: str = NOWHERE
    giaddr: str = NOWHERE
    hops: int = 0
    flags: int = 0
    options: Mapping[int, bytes] = field(default_factory=dict)

    @property
    def client(self) -> bytes:
        """The client's identity in one word: the client identifier, else hardware type 1 and address."""
        return self.options.get(Option.CLIENT_ID) or b"\x01" + self.chaddr

    @property
    def requested(self) -> str:
        """The requested address: the option, or the address in use; ``NOWHERE`` if there is neither."""
        data = self.options.get(Option.REQUESTED_ADDRESS, b"")
        return socket.inet_ntoa(data) if len(data) == 4 else self.ciaddr

    @property
    def server(self) -> str:
        """The server identifier, "" if there is none."""
        data = self.options.get(Option.SERVER_ID, b"")
        return socket.inet_ntoa(data) if len(data) == 4 else ""

    def pack(self) -> bytes:
        """Return the UDP payload."""
        addresses = [socket.inet_aton(a) for a in (self.ciaddr, self.yiaddr, self.siaddr, self.giaddr)]
        head = (self.op, 1, 6, self.hops, self.xid, 0, self.flags, *addresses)
        data = struct.pack(_FIXED, *head, self.chaddr, b"", b"", _COOKIE)
        for code, value in {int(Option.MESSAGE_TYPE): bytes((self.kind,)), **self.options}.items():
            # a long value is split over several options of the same code (RFC 3396)
            for at in range(0, max(1, len(value)), 255):
                part = value[at : at + 255]
                data += bytes((code, len(part))) + part
        return (data + bytes((Option.END,))).ljust(_SHORTEST, b"\0")

    @classmethod
    def parse(cls, data: bytes) -> DhcpMessage | None:
        """Return the message in ``data``, or ``None`` if it is not one of DHCP over Ethernet."""
        size = struct.calcsize(_FIXED)
        if len(data) < size:
            return None
        op, hardware, length, hops, xid, _, flags, ci, yi, si, gi, chaddr, _, _, cookie = struct.unpack_from(
            _FIXED, data
        )
        options = parse_options(data[size:])
        kind = options.pop(Option.MESSAGE_TYPE, b"")
        known = len(kind) == 1 and kind[0] in set(Kind)
        if (hardware, length, cookie) != (1, 6, _COOKIE) or op not in {REQUEST, REPLY} or not known:
            return None
        ciaddr, yiaddr, siaddr, giaddr = (socket.inet_ntoa(address) for address in (ci, yi, si, gi))
        return cls(op, xid, chaddr[:6], Kind(kind[0]), ciaddr, yiaddr, siaddr, giaddr, hops, flags, options)

    def answer(self, kind: Kind, options: Mapping[int, bytes], *, yiaddr: str = NOWHERE) -> DhcpMessage:
        """Return a reply to this request."""
        relayed = int(Option.RELAY_INFORMATION)
        echoed = {relayed: self.options[relayed]} if relayed in self.options else {}
        ciaddr = self.ciaddr if kind is Kind.ACK else NOWHERE
        return replace(self, op=REPLY, kind=kind, hops=0, ciaddr=ciaddr, yiaddr=yiaddr, options={**options, **echoed})


def parse_options(data: bytes) -> dict[int, bytes]:
    """Return options by code, with split options joined."""
    found: dict[int, bytes] = {}
    at = 0
    while at < len(data) and data[at] != Option.END:
        if data[at] == 0:
            at += 1
            continue
        if at + 2 > len(data):
            break
        code, length = data[at], data[at + 1]
        found[code] = found.get(code, b"") + data[at + 2 : at + 2 + length]
        at += 2 + length
    return found


def addresses(*texts: str) -> bytes:
    """Return the value of an option that is a list of addresses."""
    return b"".join(socket.inet_aton(text) for text in texts)


def seconds(value: float) -> bytes:
    """Return the value of an option that is a time."""
    return struct.pack("!I", min(int(value), 0xFFFFFFFF))
