"""The receiving side of probes at one node: a tap and a few raw sockets for all probes. Standard library only.

The tap sees received packets before any filter of the node; a raw socket gets what the node's own stack accepted. The
difference between the two is what the node itself denies.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable
from typing import Any

from pytest_netbench.probing import filters, packets
from pytest_netbench.probing.events import Events, dropped, packets_of, stamped
from pytest_netbench.probing.exchanges import Attempt, Exchange
from pytest_netbench.probing.identities import Identities
from pytest_netbench.probing.packets import Seen
from pytest_netbench.probing.sockets import Sockets, from_address

_ECHOES = (packets.ECHO, packets.ECHO6)
_REPLIES = (packets.ECHO_REPLY, packets.ECHO_REPLY6)
_NUMBERS = {
    ("icmp", 4): packets.ICMP,
    ("icmp", 6): packets.ICMPV6,
    ("udp", 4): packets.UDP,
    ("udp", 6): packets.UDP,
    ("tcp", 4): packets.TCP,
    ("tcp", 6): packets.TCP,
    **{("gre", version): packets.GRE for version in (4, 6)},
    **{("esp", version): packets.ESP for version in (4, 6)},
    **{("segment", version): packets.TCP for version in (4, 6)},
    ("unreachable", 4): packets.ICMP,
    ("unreachable", 6): packets.ICMPV6,
}
_RECVPKTINFO, _PKTINFO, _RECVTCLASS, _TCLASS = 49, 50, 66, 67


class Receiver:
    """What one node sees of the probes.

    Args:
        node: Its name.
        sockets: Makes sockets in nodes.
        events: Calls this when there is something to read.
        identities: Whose packet it is.
        window: What segments of no session announce; others are not looked at.
    """

    def __init__(self, *, node: str, sockets: Sockets, events: Events, identities: Identities, window: int) -> None:
        self.node = node
        self._sockets = sockets
        self._events = events
        self._identities = identities
        self._window = window
        self.tap: socket.socket | None = None
        self._raw: dict[tuple[int, int], socket.socket] = {}
        self._ports: dict[tuple[int, int], socket.socket | None] = {}
        self._take_rest: Callable[[bytes, Seen | None, int, Any], None] | None = None

    def watch(self) -> None:
        """See from now on what comes to the node. Idempotent."""
        if self.tap is None:
            self.tap = self._sockets.open_tap(self.node, filters.requests(self._window))
            stamped(self.tap)
            self._events.on_readable(self.tap, self.read_tap)

    def widen(self, take_rest: Callable[[bytes, Seen | None, int, Any], None]) -> None:
        """See everything that comes to the node, and hand what is no request to ``take_rest``."""
        self.watch()
        assert self.tap is not None
        filters.attach(self.tap, filters.everything_in(self._window))
        self._take_rest = take_rest

    def hear(self, protocol: str, version: int) -> socket.socket:
        """Be given from now on what the node's own stack accepts of a protocol. Idempotent."""
        number = _NUMBERS[protocol, version]
        key = (number, version)
        if key not in self._raw:
            raw = self._raw[key] = self._sockets.open_raw(self.node, number, version)
            if number == packets.TCP:
                filters.attach(raw, filters.of_tcp(self._window, version=version))
            stamped(raw)
            if version == 6:
                raw.setsockopt(socket.IPPROTO_IPV6, _RECVPKTINFO, 1)
                raw.setsockopt(socket.IPPROTO_IPV6, _RECVTCLASS, 1)
            self._events.on_readable(raw, lambda: self._read_raw(raw, number, version))
        return self._raw[key]

    def answer_datagrams(self, version: int, port: int) -> None:
        """Answer the probes that come to a UDP port, whoever else listens there. Idempotent."""
        self.hear("udp", version)
        if (version, port) not in self._ports:
            # bound so that the kernel does not call the port unreachable; read is the raw socket
            self._ports[version, port] = self._sockets.bind(self.node, "udp", version, port)

    def dropped(self) -> int:
        """Packets that the kernel had no room for."""
        return sum(dropped(sock) for sock in (self.tap, *self._raw.values()) if sock is not None)

    def read_tap(self) -> None:
        """Take what the tap has seen."""
        if self.tap is None:
            return
        for data, stamp, sender, _ in packets_of(self.tap):
            seen = packets.read_ip(data) if sender[1] != packets.ARP_TYPE else None
            if seen is not None and self._take_request(seen, stamp, outgoing=sender[2] == socket.PACKET_OUTGOING):
                continue
            if self._take_rest is not None and sender[2] != socket.PACKET_OUTGOING:
                self._take_rest(data, seen, stamp, sender)

    def _take_request(self, seen: Seen, stamp: int, *, outgoing: bool) -> bool:
        known = self._identities
        if seen.protocol == packets.TCP and seen.kind & (packets.SYN | packets.ACK) == packets.SYN:
            if outgoing:
                flow = (self.node, packets.TCP, seen.target, seen.source_port, seen.target_port)
                if (started := known.flows.get(flow)) is not None:
                    known.segments[seen.number] = started
                return True
            attempt = known.segments.get(seen.number)
        elif seen.protocol == packets.TCP:
            attempt = known.lone("segment", seen.payload)
        elif seen.protocol in (packets.ICMP, packets.ICMPV6) and seen.kind not in _ECHOES:
            attempt = known.lone("unreachable", packets.read_unreachable(seen))
        else:
            attempt = known.questions.get(seen.payload)
        if attempt is None or outgoing:
            return False
        attempt.exchange.arrive(attempt, self.node, stamp, seen.source, seen.dscp)
        return True

    def _read_raw(self, raw: socket.socket, protocol: int, version: int) -> None:
        take = {
            packets.UDP: self._take_datagram,
            packets.TCP: self._take_segment,
            **dict.fromkeys(packets.TUNNELS, self._take_tunnelled),
        }.get(protocol, self._take_icmp)
        for data, stamp, sender, ancillary in packets_of(raw):
            seen = packets.read_ip(data) if version == 4 else _read_v6(protocol, data, sender, ancillary)
            if seen is not None:
                take(seen, stamp, sender)

    def _take_icmp(self, seen: Seen, stamp: int, sender: Any) -> None:
        attempt = self._identities.questions.get(seen.payload)
        if attempt is not None and seen.kind in _ECHOES:
            if attempt.exchange.arrive(attempt, self.node, stamp, seen.source, seen.dscp):
                attempt.exchange.accept()
        elif attempt is not None and seen.kind in _REPLIES:
            if attempt.exchange.source == self.node and seen.source == attempt.exchange.packed:
                attempt.exchange.answer(attempt, stamp)
        elif (alone := self._identities.lone("unreachable", packets.read_unreachable(seen))) is not None:
            if alone.exchange.arrive(alone, self.node, stamp, seen.source, seen.dscp):
                alone.exchange.accept()
        elif (complaint := packets.read_complaint(seen)) is not None:
            flow = (self.node, complaint.protocol, complaint.target, complaint.source_port, complaint.target_port)
            exchange = self._identities.exchange_of(flow)
            if exchange is not None:
                exchange.complain(_words(complaint, exchange, sender[0]))

    def _take_tunnelled(self, seen: Seen, stamp: int, _sender: Any) -> None:
        attempt = self._identities.questions.get(seen.payload)
        if attempt is not None and attempt.exchange.arrive(attempt, self.node, stamp, seen.source, seen.dscp):
            attempt.exchange.accept()

    def _take_segment(self, seen: Seen, stamp: int, _sender: Any) -> None:
        if seen.kind & (packets.SYN | packets.ACK) == packets.SYN:
            attempt = self._identities.segments.get(seen.number)
        else:
            attempt = self._identities.lone("segment", seen.payload)
        if attempt is not None and attempt.exchange.arrive(attempt, self.node, stamp, seen.source, seen.dscp):
            attempt.exchange.accept()

    def _take_datagram(self, seen: Seen, stamp: int, sender: Any) -> None:
        known = self._identities
        if (asked := known.questions.get(seen.payload)) is not None:
            if asked.exchange.arrive(asked, self.node, stamp, seen.source, seen.dscp):
                self._answer(asked, seen, stamp, sender)
            return
        attempt = known.answers.get(seen.payload)
        if attempt is None:
            attempt = known.flows.get((self.node, packets.UDP, seen.source, seen.target_port, seen.source_port))
            if attempt is None or attempt.exchange.listen_on is not None:
                return
        exchange = attempt.exchange
        if (exchange.source, exchange.packed, exchange.port) == (self.node, seen.source, seen.source_port):
            exchange.answer(attempt, stamp)

    def _answer(self, attempt: Attempt, seen: Seen, stamp: int, sender: Any) -> None:
        exchange = attempt.exchange
        exchange.accept()
        if exchange.listen_on != self.node or seen.target_port != exchange.listen_port:
            return
        source = [from_address(seen.target)]
        to = (sender[0], seen.source_port, *sender[2:])
        try:
            if (bound := self._ports.get((exchange.version, seen.target_port))) is not None:
                bound.sendmsg([attempt.answer], source, 0, to)
            else:
                ports = (seen.target_port, seen.source_port)
                message = packets.datagram(seen.target, seen.source, *ports, attempt.answer)
                self.hear("udp", exchange.version).sendmsg([message], source, 0, (sender[0], 0, *sender[2:]))
        except BlockingIOError:
            # no room now: the question comes again
            return
        except OSError as error:
            exchange.complain(f"{self.node} could not send the answer: {error.strerror}")
        exchange.waits_again(stamp - attempt.begun)


def _read_v6(protocol: int, data: bytes, sender: Any, ancillary: list[tuple[int, int, bytes]]) -> Seen | None:
    found = {kind: value for level, kind, value in ancillary if level == socket.IPPROTO_IPV6}
    if _PKTINFO not in found or _TCLASS not in found:
        return None
    source = socket.inet_pton(socket.AF_INET6, sender[0].partition("%")[0])
    dscp = struct.unpack("i", found[_TCLASS])[0] >> 2
    return packets.read_transport(protocol, source, found[_PKTINFO][:16], dscp, data)


def _words(complaint: packets.Complaint, exchange: Exchange, sender: str) -> str:
    if complaint.detail == "port unreachable" and exchange.protocol != "icmp":
        return "refused"
    return f"{complaint.detail} (from {sender})"
