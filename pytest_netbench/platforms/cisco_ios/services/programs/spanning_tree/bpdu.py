"""Bridge protocol data units (IEEE 802.1D-2004, clause 9) in IEEE's frames and in Cisco's frames per VLAN."""

from __future__ import annotations

import struct
from dataclasses import dataclass

STP, RSTP = 0, 2
CONFIG, TCN, RST = 0x00, 0x80, 0x02
DESIGNATED, ROOT, ALTERNATE = 3, 2, 1
IEEE_GROUP = bytes.fromhex("0180c2000000")
CISCO_GROUP = bytes.fromhex("01000ccccccd")
_LLC = bytes.fromhex("424203")
_SNAP = bytes.fromhex("aaaa0300000c010b")
_BODY = struct.Struct("!BQIQHHHHH")
_TC, _PROPOSAL, _LEARNING, _FORWARDING, _AGREEMENT, _TCA = 0x01, 0x02, 0x10, 0x20, 0x40, 0x80
_TICKS = 256


@dataclass(frozen=True, kw_only=True)
class Bpdu:
    """A BPDU. Identifiers are numbers with the priority above the address; the smaller is better. Times in seconds."""

    version: int = RSTP
    kind: int = RST
    root: int = 0
    cost: int = 0
    bridge: int = 0
    port: int = 0
    role: int = DESIGNATED
    topology_change: bool = False
    acknowledged: bool = False
    proposal: bool = False
    agreement: bool = False
    learning: bool = False
    forwarding: bool = False
    message_age: float = 0.0
    max_age: float = 20.0
    hello: float = 2.0
    forward_delay: float = 15.0
    vlan: int | None = None
    """The VLAN that the sender names; only in Cisco's frames."""

    @property
    def vector(self) -> tuple[int, int, int, int]:
        """The priority vector; the smaller is better."""
        return self.root, self.cost, self.bridge, self.port

    def pack(self) -> bytes:
        """Return the BPDU without frame headers."""
        head = struct.pack("!HBB", 0, self.version, self.kind)
        if self.kind == TCN:
            return head
        flags = self.topology_change * _TC | self.acknowledged * _TCA
        if self.kind == RST:
            flags |= self.proposal * _PROPOSAL | self.role << 2 | self.learning * _LEARNING
            flags |= self.forwarding * _FORWARDING | self.agreement * _AGREEMENT
        times = (self.message_age, self.max_age, self.hello, self.forward_delay)
        ticks = (round(seconds * _TICKS) for seconds in times)
        body = _BODY.pack(flags, self.root, self.cost, self.bridge, self.port, *ticks)
        return head + body + (b"\0" if self.kind == RST else b"")

    @classmethod
    def unpack(cls, data: bytes) -> Bpdu | None:
        """Return the BPDU in ``data``, or ``None``."""
        if len(data) < 4 or data[:2] != b"\0\0":
            return None
        version, kind = data[2], data[3]
        if kind == TCN:
            return cls(version=STP, kind=TCN)
        if kind not in (CONFIG, RST) or len(data) < 4 + _BODY.size:
            return None
        flags, root, cost, bridge, port, *ticks = _BODY.unpack_from(data, 4)
        age, max_age, hello, delay = (value / _TICKS for value in ticks)
        return cls(
            version=version,
            kind=kind,
            root=root,
            cost=cost,
            bridge=bridge,
            port=port,
            role=flags >> 2 & 3 if kind == RST else DESIGNATED,
            topology_change=bool(flags & _TC),
            acknowledged=bool(flags & _TCA),
            proposal=kind == RST and bool(flags & _PROPOSAL),
            agreement=kind == RST and bool(flags & _AGREEMENT),
            learning=kind == RST and bool(flags & _LEARNING),
            forwarding=kind == RST and bool(flags & _FORWARDING),
            message_age=age,
            max_age=max_age,
            hello=hello,
            forward_delay=delay,
        )


def ieee_frame(source: bytes, unit: Bpdu) -> bytes:
    """Return the standard frame that every bridge understands."""
    return _framed(IEEE_GROUP, source, _LLC + unit.pack())


def cisco_frame(source: bytes, unit: Bpdu, vlan: int) -> bytes:
    """Return Cisco's frame for one VLAN on a trunk."""
    body = unit.pack()
    padding = b"\0" * (36 - len(body)) if unit.kind != TCN else b""
    return _framed(CISCO_GROUP, source, _SNAP + body + padding + struct.pack("!HHH", 0, 2, vlan))


def _framed(group: bytes, source: bytes, payload: bytes) -> bytes:
    return (group + source + struct.pack("!H", len(payload)) + payload).ljust(60, b"\0")


def parse(frame: bytes) -> tuple[bool, Bpdu] | None:
    """Return (whether the frame is Cisco's, the BPDU), or ``None`` for another frame."""
    payload = frame[14 : 14 + int.from_bytes(frame[12:14], "big")]
    if frame[:6] == IEEE_GROUP and payload.startswith(_LLC):
        unit = Bpdu.unpack(payload[len(_LLC) :])
        return None if unit is None else (False, unit)
    if frame[:6] != CISCO_GROUP or not payload.startswith(_SNAP):
        return None
    body = payload[len(_SNAP) :]
    unit = Bpdu.unpack(body)
    if unit is None:
        return None
    offset = 4 if unit.kind == TCN else 36
    kind, length, vlan = struct.unpack_from("!HHH", body.ljust(offset + 6, b"\0"), offset)
    stated = vlan if (kind, length) == (0, 2) else None
    return True, Bpdu(**{**unit.__dict__, "vlan": stated})
