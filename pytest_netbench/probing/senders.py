"""The sending side of all probes but TCP connections: few sockets per node. Standard library only."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Mapping
from dataclasses import dataclass

from pytest_netbench.probing import packets
from pytest_netbench.probing.disguise import Disguise
from pytest_netbench.probing.exchanges import Attempt, Exchange
from pytest_netbench.probing.identities import Identities
from pytest_netbench.probing.receivers import Receiver
from pytest_netbench.probing.sockets import (
    Ancillary,
    Sockets,
    allow_any_source,
    from_address,
    with_mark,
)


class Senders:
    """Sends echo requests, datagrams, packets of tunnels, and segments and ICMP errors of no session.

    Args:
        sockets: Makes sockets in nodes.
        receivers: What each node sees.
        identities: Is told whose packet each one is.
        disguise: Draws contents.
        window: What segments of no session announce.
    """

    def __init__(
        self,
        *,
        sockets: Sockets,
        receivers: Mapping[str, Receiver],
        identities: Identities,
        disguise: Disguise,
        window: int,
    ) -> None:
        self._sockets = sockets
        self._receivers = receivers
        self._identities = identities
        self._disguise = disguise
        self._window = window
        self._sessions: dict[Exchange, _Session] = {}
        self._spoofed_echo: dict[tuple[str, int], socket.socket] = {}
        self._echo_identifiers: dict[Exchange, int] = {}
        self._datagram: dict[tuple[str, int, bool], list[tuple[socket.socket, int]]] = {}
        self._raw: dict[tuple[str, str, int, bool], socket.socket] = {}
        self._from_port: dict[tuple[str, int, bool, int], socket.socket] = {}
        self._lanes: dict[tuple[str, bytes, int], int] = {}
        self._lane_of: dict[Exchange, int] = {}

    def send(self, exchange: Exchange) -> None:
        """Send a probe (again).

        Raises:
            OSError: The kernel refuses it. ``BlockingIOError`` means that a buffer is full; a later attempt may work.
        """
        send = {
            "icmp": self._send_echo,
            "udp": self._send_datagram,
            "segment": self._send_segment,
            "unreachable": self._send_unreachable,
        }
        send.get(exchange.protocol, self._send_tunnelled)(exchange)

    def _send_echo(self, exchange: Exchange) -> None:
        identifier = self._echo_identifiers.setdefault(exchange, self._disguise.number(16))
        attempt = Attempt(exchange, number=exchange.tries, question=self._disguise.echo(), answer=b"")
        protocol = packets.ICMP if exchange.version == 4 else packets.ICMPV6
        self._identities.add(
            attempt, node=exchange.source, protocol=protocol, source_port=exchange.tries, target_port=identifier
        )
        message = packets.echo_request(identifier, exchange.tries, attempt.question, version=exchange.version)
        self._echo_socket(exchange).sendmsg([message], _ancillary(exchange), 0, (exchange.target, 0))

    def _echo_socket(self, exchange: Exchange) -> socket.socket:
        if not exchange.foreign:
            return self._receivers[exchange.source].hear("icmp", exchange.version)
        key = (exchange.source, exchange.version)
        if key not in self._spoofed_echo:
            self._spoofed_echo[key] = self._open(exchange, "icmp")
        return self._spoofed_echo[key]

    def _send_tunnelled(self, exchange: Exchange) -> None:
        question = self._disguise.tunnelled(exchange.protocol)
        attempt = Attempt(exchange, number=exchange.tries, question=question, answer=b"")
        protocol = packets.GRE if exchange.protocol == "gre" else packets.ESP
        self._identities.add(attempt, node=exchange.source, protocol=protocol, source_port=0, target_port=0)
        self._raw_socket(exchange).sendmsg([question], _ancillary(exchange), 0, (exchange.target, 0))

    def _send_segment(self, exchange: Exchange) -> None:
        if exchange not in self._sessions:
            self._sessions[exchange] = _Session(
                port=exchange.request["source_port"] or self._disguise.port_of_no_session(),
                number=self._disguise.number(32),
                confirmed=self._disguise.number(32),
            )
        session = self._sessions[exchange]
        source = self._source_of(exchange)
        question = self._disguise.question("tcp", exchange.port)
        attempt = Attempt(exchange, number=exchange.tries, question=question, answer=b"")
        self._identities.add(
            attempt,
            node=exchange.source,
            protocol=packets.TCP,
            source_port=session.port,
            target_port=exchange.port,
        )
        message = packets.segment(
            source,
            exchange.packed,
            (session.port, exchange.port),
            number=session.number,
            confirmed=session.confirmed,
            flags=packets.PSH | packets.ACK,
            payload=question,
            window=self._window,
        )
        # the checksum covers the source, so the kernel must not choose again
        self._raw_socket(exchange).sendmsg([message], _ancillary(exchange, source), 0, (exchange.target, 0))
        session.number = (session.number + len(question)) & 0xFFFFFFFF

    def _source_of(self, exchange: Exchange) -> bytes:
        if (address := exchange.request["source_address"]) is not None:
            return ipaddress.ip_address(address).packed
        return self._sockets.source_of(exchange.source, exchange.target, exchange.version, exchange.request["dscp"])

    def _send_unreachable(self, exchange: Exchange) -> None:
        question = self._disguise.quoted()
        attempt = Attempt(exchange, number=exchange.tries, question=question, answer=b"")
        self._identities.questions[question] = attempt
        ports = (self._disguise.port(), self._disguise.port())
        message = packets.host_unreachable(
            exchange.packed, self._disguise.address(exchange.version), ports, attempt.question
        )
        self._echo_socket(exchange).sendmsg([message], _ancillary(exchange), 0, (exchange.target, 0))

    def _raw_socket(self, exchange: Exchange) -> socket.socket:
        key = (exchange.source, exchange.protocol, exchange.version, exchange.foreign)
        if key not in self._raw:
            self._raw[key] = self._open(exchange, exchange.protocol)
        return self._raw[key]

    def _send_datagram(self, exchange: Exchange) -> None:
        sender, port = self._datagram_socket(exchange)
        attempt = Attempt(
            exchange,
            number=exchange.tries,
            question=self._disguise.question("udp", exchange.port),
            answer=self._disguise.answer("udp", exchange.port) if exchange.listen_on else b"",
        )
        self._identities.add(
            attempt, node=exchange.source, protocol=packets.UDP, source_port=port, target_port=exchange.port
        )
        sender.sendmsg([attempt.question], _ancillary(exchange), 0, (exchange.target, exchange.port))

    def _datagram_socket(self, exchange: Exchange) -> tuple[socket.socket, int]:
        """A socket that sends no other probe of this batch to the same port of the same address."""
        if (port := exchange.request["source_port"]) is not None:
            return self._port_socket(exchange, port), port
        if exchange not in self._lane_of:
            flow = (exchange.source, exchange.packed, exchange.port)
            self._lane_of[exchange] = self._lanes[flow] = self._lanes.get(flow, -1) + 1
        lanes = self._datagram.setdefault((exchange.source, exchange.version, exchange.foreign), [])
        while len(lanes) <= self._lane_of[exchange]:
            made = self._open(exchange, "udp")
            made.bind(("", 0))
            lanes.append((made, made.getsockname()[1]))
        return lanes[self._lane_of[exchange]]

    def _port_socket(self, exchange: Exchange, port: int) -> socket.socket:
        key = (exchange.source, exchange.version, exchange.foreign, port)
        if key not in self._from_port:
            self._from_port[key] = self._open(exchange, "udp")
            self._from_port[key].setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self._from_port[key].bind(("", port))
        return self._from_port[key]

    def _open(self, exchange: Exchange, protocol: str) -> socket.socket:
        made = self._sockets.open(exchange.source, protocol, exchange.version)
        if exchange.foreign:
            allow_any_source(made, exchange.version)
        return made


@dataclass
class _Session:
    """The session that a segment pretends to belong to: a repeated one continues it."""

    port: int
    number: int
    confirmed: int


def _ancillary(exchange: Exchange, source: bytes | None = None) -> list[Ancillary]:
    found: list[Ancillary] = []
    if exchange.request["dscp"]:
        found.append(with_mark(exchange.version, exchange.request["dscp"]))
    if source is None and exchange.request["source_address"]:
        source = ipaddress.ip_address(exchange.request["source_address"]).packed
    if source is not None:
        found.append(from_address(source))
    return found
