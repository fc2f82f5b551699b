"""HSRP packets, version 1 (RFC 2281) and version 2 (type-length-value, millisecond timers)."""

from __future__ import annotations

import hashlib
import socket
import struct
from dataclasses import dataclass, replace
from enum import IntEnum

PORT = 1985
GROUP_ADDRESS = {1: "224.0.0.2", 2: "224.0.0.102"}
_TEXT_BYTES = 8
_GROUP_STATE, _TEXT_AUTH, _MD5_AUTH = 1, 3, 4
_MD5_BYTES = 28


class Opcode(IntEnum):
    """What a packet is for."""

    HELLO = 0
    COUP = 1
    RESIGN = 2


class State(IntEnum):
    """States of a group, in the order of the protocol, with IOS's names."""

    INIT = 1
    LEARN = 2
    LISTEN = 3
    SPEAK = 4
    STANDBY = 5
    ACTIVE = 6


# version 1 uses other numbers
_V1_STATE = {State.INIT: 0, State.LEARN: 1, State.LISTEN: 2, State.SPEAK: 4, State.STANDBY: 8, State.ACTIVE: 16}
_V1_STATES = {number: state for state, number in _V1_STATE.items()}


@dataclass(frozen=True)
class HsrpPacket:
    """An HSRP packet. Timers in milliseconds; ``text`` is the clear-text authentication."""

    version: int
    opcode: Opcode
    state: State
    group: int
    priority: int
    hello_ms: int
    hold_ms: int
    address: str
    text: str = "cisco"
    digest: bytes = b""
    identifier: bytes = bytes(6)

    def pack(self) -> bytes:
        """Return the UDP payload."""
        body = self._pack_v1() if self.version == 1 else self._pack_v2()
        return body + (_md5_tlv(self.digest) if self.digest else b"")

    def signed(self, key: str) -> HsrpPacket:
        """Return the packet with its keyed MD5 digest under ``key``."""
        plain = replace(self, digest=b"").pack()
        secret = key.encode()
        return replace(self, digest=hashlib.md5(secret + plain + secret, usedforsecurity=False).digest())

    def _pack_v1(self) -> bytes:
        timers = (min(255, -(-self.hello_ms // 1000)), min(255, -(-self.hold_ms // 1000)))
        head = (0, self.opcode, _V1_STATE[self.state], *timers, min(255, self.priority), self.group, 0)
        return struct.pack("!8B8s4s", *head, _text(self.text), socket.inet_aton(self.address))

    def _pack_v2(self) -> bytes:
        head = struct.pack("!BBBBBBH", _GROUP_STATE, 40, 2, self.opcode, self.state, 4, self.group)
        numbers = struct.pack("!III", self.priority, self.hello_ms, self.hold_ms)
        address = socket.inet_aton(self.address) + bytes(12)
        return head + self.identifier + numbers + address + bytes((_TEXT_AUTH, _TEXT_BYTES)) + _text(self.text)

    @classmethod
    def parse(cls, data: bytes) -> HsrpPacket | None:
        """Return the packet in ``data``, or ``None`` if it is invalid."""
        try:
            if data[:1] == b"\0":
                return cls._parse_v1(data)
            return cls._parse_v2(data)
        except (struct.error, ValueError, KeyError, IndexError):
            return None

    @classmethod
    def _parse_v1(cls, data: bytes) -> HsrpPacket:
        _, opcode, state, hello, hold, priority, group, _, text, address = struct.unpack_from("!8B8s4s", data)
        return cls(
            version=1,
            opcode=Opcode(opcode),
            state=_V1_STATES[state],
            group=group,
            priority=priority,
            hello_ms=hello * 1000,
            hold_ms=hold * 1000,
            address=socket.inet_ntoa(address),
            text=_words(text),
            digest=_digest(data[20:]),
        )

    @classmethod
    def _parse_v2(cls, data: bytes) -> HsrpPacket:
        parts = _tlvs(data)
        body = parts[_GROUP_STATE]
        version, opcode, state, _, group = struct.unpack_from("!BBBBH", body)
        priority, hello_ms, hold_ms = struct.unpack_from("!III", body, 12)
        if version != 2:
            raise ValueError(version)
        return cls(
            version=2,
            opcode=Opcode(opcode),
            state=State(state),
            group=group,
            priority=priority,
            hello_ms=hello_ms,
            hold_ms=hold_ms,
            address=socket.inet_ntoa(body[24:28]),
            text=_words(parts.get(_TEXT_AUTH, b"")),
            digest=parts.get(_MD5_AUTH, b"")[-16:],
            identifier=body[6:12],
        )


def virtual_mac(version: int, group: int) -> bytes:
    """Return 0000.0c07.acXX for version 1, 0000.0c9f.fXXX for version 2."""
    return bytes.fromhex(f"00000c07ac{group:02x}" if version == 1 else f"00000c9ff{group:03x}")


def _text(text: str) -> bytes:
    return text.encode()[:_TEXT_BYTES].ljust(_TEXT_BYTES, b"\0")


def _words(data: bytes) -> str:
    return data.rstrip(b"\0").decode("ascii", "replace")


def _md5_tlv(digest: bytes) -> bytes:
    return bytes((_MD5_AUTH, _MD5_BYTES, 1, 0, 0, 0)) + bytes(8) + digest


def _digest(data: bytes) -> bytes:
    return _tlvs(data).get(_MD5_AUTH, b"")[-16:]


def _tlvs(data: bytes) -> dict[int, bytes]:
    found, at = {}, 0
    while at + 2 <= len(data):
        kind, length = data[at], data[at + 1]
        found[kind] = data[at + 2 : at + 2 + length]
        at += 2 + length
    return found
