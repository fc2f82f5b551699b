"""The service ``acllog``: log messages of access list lines with ``log``.

The kernel delivers copies of matched packets (nfnetlink_log). The first packet of a flow is logged at once, later
ones in one message every five minutes. Configuration: ``{"group": 31, "names": {kernel interface: full name}}``.

The prefix of a logged packet is ``FAMILY|LIST|NUMBER|ACTION|KIND`` with kind ``s`` (standard), ``l`` (log) or ``i``
(log-input), or ``z|PAIR|CLASS|ACTION|z`` for a class of a zone policy. State: ``{"flows": count, "waiting"}``.
"""

from __future__ import annotations

import contextlib
import socket
import struct
from collections.abc import Iterator
from typing import Any

from pytest_netbench.platforms.cisco_ios.services.programs.common.host import Shared
from pytest_netbench.platforms.cisco_ios.services.programs.common.loop import Timer

Ends = tuple[int, str, str, int, int]

SUMMARY_S = 300.0
_NETFILTER = 12
_PACKET, _CONFIG = 0x400, 0x401
_REQUEST = 1
_COMMAND, _MODE, _THRESHOLD = 1, 2, 5
_BIND, _UNBIND = 1, 2
_IN, _HARDWARE, _PAYLOAD, _PREFIX = 4, 8, 9, 10
_COPIED = 128
_TCP, _UDP = 6, 17
_ICMP = {1: "icmp", 58: "icmpv6"}
_NAMES = {
    2: "igmp",
    4: "ipinip",
    6: "tcp",
    17: "udp",
    47: "gre",
    50: "esp",
    51: "ahp",
    88: "eigrp",
    89: "ospf",
    103: "pim",
}


class Service:
    """Reads the kernel's packet log and writes IOS's messages."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared
        self._group: int | None = None
        self._names: dict[str, str] = {}
        self._counts: dict[tuple[str, str, str], int] = {}
        self._timer: Timer | None = None
        self._socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_NONBLOCK, _NETFILTER)
        self._socket.bind((0, 0))
        shared.loop.watch(self._socket.fileno(), self._readable)

    def configure(self, config: dict[str, Any]) -> None:
        group = config.get("group")
        self._names = config.get("names", {})
        if group == self._group:
            return
        if self._group is not None:
            self._send(self._group, attribute(_COMMAND, bytes([_UNBIND])))
            self._counts.clear()
        if group is not None:
            self._send(group, attribute(_COMMAND, bytes([_BIND])))
            self._send(group, attribute(_MODE, struct.pack("!IBB", _COPIED, 2, 0)))
            # one packet per read: a reader of the log expects messages without delay
            self._send(group, attribute(_THRESHOLD, struct.pack("!I", 1)))
        self._group = group

    def state(self) -> dict[str, Any]:
        return {"flows": len(self._counts), "waiting": []}

    def command(self, words: list[str]) -> str:
        raise ValueError(f"the service acllog knows no command {' '.join(words)!r}")

    def _send(self, group: int, body: bytes) -> None:
        head = struct.pack("=IHHII", 20 + len(body), _CONFIG, _REQUEST, 0, 0)
        self._socket.send(head + struct.pack("!BBH", 0, 0, group) + body)

    def _readable(self) -> None:
        # ENOBUFS reports lost packets; the others are still valid
        with contextlib.suppress(BlockingIOError, OSError):
            while data := self._socket.recv(1 << 16):
                for kind, body in messages(data):
                    if kind == _PACKET:
                        self._take(dict(attributes(body[4:])))

    def _take(self, parts: dict[int, bytes]) -> None:
        prefix = parts.get(_PREFIX, b"").rstrip(b"\0").decode(errors="replace").split("|")
        if len(prefix) != 5 or _PAYLOAD not in parts:
            return
        told = describe(prefix, parts[_PAYLOAD], self._came_in(parts))
        if told is None:
            return
        if told in self._counts:
            self._counts[told] += 1
            return
        self._counts[told] = 0
        self._tell(told, 1)
        self._timer = self._timer or self._shared.loop.after(SUMMARY_S, self._summarise)

    def _came_in(self, parts: dict[int, bytes]) -> str:
        if _IN not in parts:
            return ""
        name = ""
        with contextlib.suppress(OSError):
            name = socket.if_indextoname(int.from_bytes(parts[_IN], "big"))
        length = int.from_bytes(parts.get(_HARDWARE, b"")[:2], "big")
        mac = parts.get(_HARDWARE, b"")[4 : 4 + length].hex()
        dotted = ".".join(mac[at : at + 4] for at in range(0, len(mac), 4))
        return f"({' '.join(filter(None, (self._names.get(name, name), dotted)))})"

    def _tell(self, told: tuple[str, str, str], packets: int) -> None:
        facility, mnemonic, text = told
        if facility == "FW":
            first, flow = text.split("\t")
            if packets == 1:
                self._shared.log(facility, 6, mnemonic, first)
            else:
                self._shared.log(facility, 6, "LOG_SUMMARY", f"{packets} packets were {flow}")
            return
        comma = " " if mnemonic == "IPACCESSLOGS" else ", "
        self._shared.log(facility, 6, mnemonic, f"{text}{comma}{packets} packet{'' if packets == 1 else 's'}")

    def _summarise(self) -> None:
        self._timer = None
        for told, packets in list(self._counts.items()):
            if packets:
                self._tell(told, packets)
                self._counts[told] = 0
            else:
                del self._counts[told]
        if self._counts:
            self._timer = self._shared.loop.after(SUMMARY_S, self._summarise)


def describe(prefix: list[str], packet: bytes, came_in: str) -> tuple[str, str, str] | None:
    """Return (facility, mnemonic, text without count) for a logged packet; ``None`` if it is unreadable."""
    family, name, number, action, kind = prefix
    found = ends(packet)
    if found is None:
        return None
    if kind == "z":
        return _of_zones(name, number, action, found)
    protocol, source, target, source_port, target_port = found
    if kind == "s":
        return "SEC", "IPACCESSLOGS", f"list {name} {action} {source}"
    six = family == "6"
    facility, start, listed = ("IPV6_ACL", "ACCESSLOG", f"{name}/{number}") if six else ("SEC", "IPACCESSLOG", name)
    via = f" {came_in}" if kind == "i" and came_in else ""
    said = f"list {listed} {action}"
    if protocol in {_TCP, _UDP}:
        ports = f"{source}({source_port}){via} -> {target}({target_port})"
        return facility, f"{start}P", f"{said} {_NAMES[protocol]} {ports}"
    if protocol in _ICMP:
        return (
            facility,
            f"{start}DP",
            f"{said} {_ICMP[protocol]} {source}{via} -> {target} ({source_port}/{target_port})",
        )
    word = _NAMES.get(protocol)
    return facility, f"{start}{'RP' if word else 'NP'}", f"{said} {word or protocol} {source}{via} -> {target}"


def _of_zones(pair: str, name: str, action: str, found: Ends) -> tuple[str, str, str]:
    """Return the messages of a zone class: that of the first packet of a flow, a tab, and that of a packet count."""
    protocol, source, target, source_port, target_port = found
    word = _ICMP.get(protocol) or _NAMES.get(protocol) or str(protocol)
    if protocol in _ICMP:
        source_port = target_port = 0
    one, other = f"{source}:{source_port}", f"{target}:{target_port}"
    flow = f"from {one} => {other} (target:class)-({pair}:{name})"
    if action == "pass":
        return (
            "FW",
            "PASS_PKT",
            f"(target:class)-({pair}:{name}) Passing {word} pkt {one} => {other} with ip ident 0\tpassed {flow}",
        )
    why = f"on zone-pair {pair} class {name} due to  DROP action found in policy-map with ip ident 0"
    return "FW", "DROP_PKT", f"Dropping {word} session {one} {other} {why}\tdropped {flow}"


def ends(packet: bytes) -> Ends | None:
    """Return protocol, addresses, and ports (of ICMP: type and code) of a packet."""
    try:
        if packet[0] >> 4 == 4:
            size, protocol = (packet[0] & 15) * 4, packet[9]
            addresses = [socket.inet_ntop(socket.AF_INET, packet[at : at + 4]) for at in (12, 16)]
            first = int.from_bytes(packet[6:8], "big") & 0x1FFF == 0
        else:
            size, protocol, first = 40, packet[6], True
            addresses = [socket.inet_ntop(socket.AF_INET6, packet[at : at + 16]).upper() for at in (8, 24)]
        ports = (0, 0)
        if first and protocol in _ICMP:
            ports = (packet[size], packet[size + 1])
        elif first and protocol in {_TCP, _UDP}:
            ports = struct.unpack_from("!HH", packet, size)
    except (IndexError, ValueError, struct.error):
        return None
    return protocol, addresses[0], addresses[1], ports[0], ports[1]


def attribute(kind: int, data: bytes) -> bytes:
    """Return an encoded netlink attribute."""
    return struct.pack("=HH", 4 + len(data), kind) + data + bytes(-len(data) % 4)


def attributes(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Return the attributes of a netlink message."""
    at = 0
    while at + 4 <= len(data):
        size, kind = struct.unpack_from("=HH", data, at)
        if size < 4:
            return
        yield kind & 0x3FFF, data[at + 4 : at + size]
        at += size + 3 & ~3


def messages(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Return the messages of one read from netlink: (type, body)."""
    at = 0
    while at + 16 <= len(data):
        size, kind = struct.unpack_from("=IH", data, at)
        if size < 16:
            return
        yield kind, data[at + 16 : at + size]
        at += size + 3 & ~3
