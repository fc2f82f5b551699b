"""Probes from addresses that their node does not have. Only this process answers them. Standard library only.

The node's own stack accepts no packets to such an address, so answers are read at the node's tap. An ARP request or
neighbor solicitation for the address is answered with the hardware address of the interface on which it arrives.
"""

from __future__ import annotations

import contextlib
import fcntl
import ipaddress
import socket
import struct
from typing import Any

from pytest_netbench.probing import packets
from pytest_netbench.probing.disguise import Disguise
from pytest_netbench.probing.exchanges import Attempt, Exchange
from pytest_netbench.probing.identities import Identities
from pytest_netbench.probing.packets import ACK, PSH, RST, SYN, Seen
from pytest_netbench.probing.receivers import Receiver
from pytest_netbench.probing.sockets import (
    Sockets,
    allow_any_source,
    from_address,
    with_mark,
)

_SIOCGIFHWADDR = 0x8927
_ARP = struct.Struct("!HHBBH6s4s6s4s")
_ARP_REQUEST, _ARP_REPLY = 1, 2


class SpoofedSources:
    """Implements the foreign addresses of one node."""

    def __init__(self, *, receiver: Receiver, sockets: Sockets, identities: Identities, disguise: Disguise) -> None:
        self._receiver = receiver
        self._sockets = sockets
        self._identities = identities
        self._disguise = disguise
        self._addresses: set[bytes] = set()
        self._talks: dict[tuple[bytes, int], _Talk] = {}
        self._raw: dict[int, socket.socket] = {}
        receiver.widen(self._take)

    def add(self, address: str) -> None:
        """Handle an address from now on."""
        self._addresses.add(ipaddress.ip_address(address).packed)

    def connect(self, exchange: Exchange) -> None:
        """Open a TCP connection.

        Raises:
            OSError: The kernel refuses it.
        """
        number = self._disguise.number(32)
        attempt = Attempt(
            exchange,
            number=exchange.tries,
            question=self._disguise.question("tcp", exchange.port),
            answer=self._disguise.answer("tcp", exchange.port),
        )
        source = ipaddress.ip_address(exchange.request["source_address"]).packed
        port = exchange.request["source_port"] or self._disguise.port()
        self._identities.add(
            attempt, node=exchange.source, protocol=packets.TCP, source_port=port, target_port=exchange.port
        )
        self._identities.segments[number] = attempt
        talk = self._talks[source, port] = _Talk(attempt, self._raw_socket(exchange), source, port, number)
        talk.send(SYN)

    def _raw_socket(self, exchange: Exchange) -> socket.socket:
        if exchange.version not in self._raw:
            made = self._sockets.open_raw(self._receiver.node, packets.TCP, exchange.version)
            allow_any_source(made, exchange.version)
            self._raw[exchange.version] = made
        return self._raw[exchange.version]

    def _take(self, data: bytes, seen: Seen | None, stamp: int, sender: Any) -> None:
        if sender[1] == packets.ARP_TYPE:
            self._take_arp(data, sender)
        elif seen is None:
            return
        elif seen.protocol == packets.ICMPV6 and seen.kind == packets.NEIGHBOR_SOLICITATION:
            self._take_solicitation(seen, sender)
        elif seen.target in self._addresses:
            self._take_answer(seen, stamp)

    def _take_answer(self, seen: Seen, stamp: int) -> None:
        known = self._identities
        if seen.protocol == packets.TCP:
            talk = self._talks.get((seen.target, seen.target_port))
            if talk is not None:
                talk.take(seen, stamp)
            return
        complaint = packets.read_complaint(seen)
        if complaint is not None:
            flow = (
                self._receiver.node,
                complaint.protocol,
                complaint.target,
                complaint.source_port,
                complaint.target_port,
            )
            exchange = known.exchange_of(flow)
            if exchange is not None:
                exchange.complain(complaint.detail)
            return
        udp = seen.protocol == packets.UDP
        if not udp and seen.kind not in (packets.ECHO_REPLY, packets.ECHO_REPLY6):
            return
        attempt = (known.answers if udp else known.questions).get(seen.payload)
        if attempt is None or attempt.exchange.source != self._receiver.node:
            return  # it passes here on its way to a node that has the address
        if attempt.exchange.packed == seen.source:
            attempt.exchange.answer(attempt, stamp)

    def _take_arp(self, data: bytes, sender: Any) -> None:
        if len(data) < _ARP.size:
            return
        *_, kind, asking, asker, _, wanted = _ARP.unpack_from(data)
        if kind != _ARP_REQUEST or wanted not in self._addresses:
            return
        hardware = self._hardware_address(sender[0])
        reply = _ARP.pack(1, 0x0800, 6, 4, _ARP_REPLY, hardware, wanted, asking, asker)
        self._send_frame(reply, sender[0], packets.ARP_TYPE, asking)

    def _take_solicitation(self, seen: Seen, sender: Any) -> None:
        wanted = seen.payload[:16]
        if wanted not in self._addresses:
            return
        message = packets.neighbor_advertisement(wanted, seen.source, self._hardware_address(sender[0]))
        self._send_frame(message, sender[0], 0x86DD, sender[4])

    def _hardware_address(self, interface: str) -> bytes:
        assert self._receiver.tap is not None
        request = struct.pack("16s24x", interface.encode())
        return fcntl.ioctl(self._receiver.tap, _SIOCGIFHWADDR, request)[18:24]

    def _send_frame(self, data: bytes, interface: str, ethertype: int, to: bytes) -> None:
        assert self._receiver.tap is not None
        with contextlib.suppress(OSError):
            # the interface went down meanwhile: whoever asked asks again
            self._receiver.tap.sendto(data, (interface, ethertype, 0, 0, to))


class _Talk:
    """A TCP connection from a foreign address, spoken here."""

    def __init__(self, attempt: Attempt, raw: socket.socket, source: bytes, port: int, number: int) -> None:
        self._attempt = attempt
        self._exchange = attempt.exchange
        self._raw = raw
        self._source = source
        self._port = port
        self._number = number
        self._confirmed = 0
        self._asked = False

    def send(self, flags: int, payload: bytes = b"") -> None:
        """Send one segment."""
        exchange = self._exchange
        message = packets.segment(
            self._source,
            exchange.packed,
            (self._port, exchange.port),
            number=self._number,
            confirmed=self._confirmed,
            flags=flags,
            payload=payload,
        )
        ancillary = [from_address(self._source)]
        if exchange.request["dscp"]:
            ancillary.append(with_mark(exchange.version, exchange.request["dscp"]))
        self._raw.sendmsg([message], ancillary, 0, (exchange.target, 0))

    def take(self, seen: Seen, stamp: int) -> None:
        """Take a segment of the other side."""
        exchange = self._exchange
        if (seen.source, seen.source_port) != (exchange.packed, exchange.port) or exchange.ended:
            return
        if seen.kind & RST:
            if exchange.occupied:
                exchange.answer(self._attempt, stamp, "refused by the program on the port")
            else:
                exchange.complain("refused")
        else:
            try:
                self._go_on(seen, stamp)
            except OSError as error:
                exchange.fail(error)

    def _go_on(self, seen: Seen, stamp: int) -> None:
        if seen.kind & SYN and seen.kind & ACK and not self._asked:
            self._confirm(seen, stamp)
        elif seen.payload and self._asked:
            self._exchange.answer(self._attempt, stamp)
            self.send(RST)

    def _confirm(self, seen: Seen, stamp: int) -> None:
        self._asked = True
        self._number = (self._number + 1) & 0xFFFFFFFF
        self._confirmed = (seen.number + 1) & 0xFFFFFFFF
        if self._exchange.occupied or not self._exchange.listen_on:
            self._exchange.answer(self._attempt, stamp, "connected")
            self.send(RST)
            return
        self.send(ACK)
        self.send(PSH | ACK, self._attempt.question)
        self._number = (self._number + len(self._attempt.question)) & 0xFFFFFFFF
        self._exchange.waits_again(stamp - self._attempt.begun)
