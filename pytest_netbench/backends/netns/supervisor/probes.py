"""Probing: many packet exchanges at once from one process.

A socket belongs for ever to the network it was made in, so one process makes its sockets in all nodes and then serves them in
one loop. Runs in a forked child of the supervisor; standard library only.
"""

from __future__ import annotations

import contextlib
import errno
import ipaddress
import os
import selectors
import socket
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pytest_netbench.backends.netns.supervisor import nodes, packets
from pytest_netbench.backends.netns.supervisor.sandbox import Namespaces

_TRIES = 2
_ERRORS = {4: (socket.IPPROTO_IP, 11), 6: (socket.IPPROTO_IPV6, 25)}  # IP_RECVERR, IPV6_RECVERR
_ETH_P_ALL_IP = (0x0800, 0x86DD)
_REFUSED = {errno.ECONNREFUSED: "refused", errno.EHOSTUNREACH: "host unreachable", errno.ENETUNREACH: "network unreachable",
            errno.EACCES: "administratively prohibited", errno.EPERM: "blocked by the sender's own filter"}  # fmt: skip


@dataclass(eq=False)
class _Exchange:
    """One probe under way."""

    request: dict[str, Any]
    token: bytes
    identifier: int
    version: int
    started: float = 0.0
    tries: int = 0
    next_try: float = 0.0
    ended: bool = False
    delivered: bool = False
    detail: str = ""
    dscp: int | None = None
    source: str | None = None
    client: socket.socket | None = None

    def end(self, *, delivered: bool, detail: str) -> None:
        if not self.ended:
            self.ended, self.delivered, self.detail = True, delivered, detail

    def answer(self) -> dict[str, Any]:
        return {
            "delivered": self.delivered,
            "detail": self.detail or f"no answer in {self.request['timeout_s']:g} s ({self.tries} tries)",
            "received_dscp": self.dscp,
            "seen_source": self.source,
        }


class Prober:
    """Serves a batch of probes."""

    def __init__(self, spaces: Mapping[str, Namespaces], home: int) -> None:
        self._spaces = spaces
        self._home = home
        self._selector = selectors.DefaultSelector()
        self._listeners: dict[tuple[str, str, int, int], socket.socket | None] = {}
        self._sniffers: set[str] = set()
        self._exchanges: list[_Exchange] = []

    def run(self, requests: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """All probes side by side; answers in order."""
        self._exchanges = [self._prepare(number, request) for number, request in enumerate(requests)]
        for exchange in self._exchanges:
            self._guarded(exchange, self._open)
        begin = time.monotonic()
        for exchange in self._exchanges:
            exchange.started = exchange.next_try = begin
        while open_ones := [exchange for exchange in self._exchanges if not exchange.ended]:
            self._try_due(open_ones)
            self._serve(open_ones)
        self._linger()
        return [exchange.answer() for exchange in self._exchanges]

    def _prepare(self, number: int, request: dict[str, Any]) -> _Exchange:
        token = os.urandom(12).hex().encode()
        identifier = (int.from_bytes(os.urandom(2), "big") + number) & 0xFFFF
        version = ipaddress.ip_address(request["target"]).version
        return _Exchange(request=request, token=token, identifier=identifier, version=version)

    def _guarded(self, exchange: _Exchange, action: Callable[[_Exchange], None]) -> None:
        try:
            action(exchange)
        except OSError as error:
            exchange.end(delivered=False, detail=_REFUSED.get(error.errno or 0, error.strerror or str(error)))

    def _socket(self, node: str, version: int, kind: int, protocol: int = 0) -> socket.socket:
        family = socket.AF_INET if version == 4 else socket.AF_INET6
        with nodes.inside_network(self._spaces[node], self._home):
            made = socket.socket(family, kind, protocol)
        made.setblocking(False)
        return made

    def _open(self, exchange: _Exchange) -> None:
        request = exchange.request
        if request["listen_on"]:
            self._sniff(request["listen_on"])
            if request["protocol"] != "icmp":
                self._listen(
                    request["listen_on"],
                    request["protocol"],
                    request["listen_port"] or request["port"],
                    exchange.version,
                )
        if request["protocol"] == "icmp":
            protocol = socket.IPPROTO_ICMP if exchange.version == 4 else socket.IPPROTO_ICMPV6
            client = self._socket(request["source"], exchange.version, socket.SOCK_RAW, protocol)
        elif request["protocol"] == "udp":
            client = self._socket(request["source"], exchange.version, socket.SOCK_DGRAM)
        else:
            client = self._socket(request["source"], exchange.version, socket.SOCK_STREAM)
        exchange.client = client
        mark(client, exchange.version, request["dscp"])
        if request["protocol"] == "udp":
            # else the kernel keeps from it every ICMP error but "port unreachable"
            client.setsockopt(*_ERRORS[exchange.version], 1)
        if request["source_address"]:
            client.bind((request["source_address"], 0))
        if request["protocol"] == "udp":
            client.connect((request["target"], request["port"]))
        if request["protocol"] != "tcp":
            self._selector.register(client, selectors.EVENT_READ, lambda: self._guarded(exchange, self._answered))

    def _listen(self, node: str, protocol: str, port: int, version: int) -> None:
        key = (node, protocol, port, version)
        if key in self._listeners:
            return
        listener = self._socket(node, version, socket.SOCK_STREAM if protocol == "tcp" else socket.SOCK_DGRAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if version == 6:
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        try:
            listener.bind(("", port))
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
            listener.close()
            self._listeners[key] = None
            return
        if protocol == "tcp":
            listener.listen(64)
        self._listeners[key] = listener
        handler = self._accept if protocol == "tcp" else self._echo_datagram
        self._selector.register(listener, selectors.EVENT_READ, lambda: handler(listener))

    def _sniff(self, node: str) -> None:
        if node in self._sniffers:
            return
        self._sniffers.add(node)
        for ethertype in _ETH_P_ALL_IP:
            with nodes.inside_network(self._spaces[node], self._home):
                sniffer = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ethertype))
            sniffer.setblocking(False)
            self._selector.register(sniffer, selectors.EVENT_READ, lambda sniffer=sniffer: self._sniffed(sniffer, node))

    def _try_due(self, open_ones: list[_Exchange]) -> None:
        now = time.monotonic()
        for exchange in open_ones:
            if now - exchange.started >= exchange.request["timeout_s"]:
                exchange.end(delivered=False, detail="")
            elif now >= exchange.next_try and exchange.tries < _TRIES:
                exchange.tries += 1
                exchange.next_try = now + exchange.request["timeout_s"] / _TRIES
                self._guarded(exchange, self._send)

    def _send(self, exchange: _Exchange) -> None:
        request, client = exchange.request, exchange.client
        assert client is not None
        if request["protocol"] == "icmp":
            message = packets.echo_request(exchange.identifier, exchange.tries, version=exchange.version)
            client.sendto(message, (request["target"], 0))
        elif request["protocol"] == "udp":
            client.send(exchange.token)
        elif exchange.tries == 1:
            self._connect(exchange, client)

    def _connect(self, exchange: _Exchange, client: socket.socket) -> None:
        request = exchange.request
        code = client.connect_ex((request["target"], request["port"]))
        if code not in (0, errno.EINPROGRESS):
            raise OSError(code, os.strerror(code))

        def connected() -> None:
            failure = client.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            if failure:
                self._selector.unregister(client)
                raise OSError(failure, os.strerror(failure))
            if not request["listen_on"]:
                self._selector.unregister(client)
                exchange.end(delivered=True, detail=self._took(exchange, "connected"))
                return
            client.send(exchange.token)
            self._selector.modify(client, selectors.EVENT_READ, lambda: self._guarded(exchange, self._answered))

        self._selector.register(client, selectors.EVENT_WRITE, lambda: self._guarded(exchange, lambda _: connected()))

    def _answered(self, exchange: _Exchange) -> None:
        client = exchange.client
        assert client is not None
        if exchange.request["protocol"] != "icmp":
            try:
                data = client.recv(256)
            except BlockingIOError:
                return
            except OSError:
                # the queued error would keep it ready for ever
                self._selector.unregister(client)
                raise
            if data == exchange.token:
                exchange.end(delivered=True, detail=self._took(exchange, "answered"))
            elif not data:
                self._selector.unregister(client)
                exchange.end(delivered=True, detail=self._took(exchange, "connected, then closed"))
            return
        data, sender = client.recvfrom(2048)
        message = packets.read_icmp(data, version=exchange.version)
        if message is None or message.identifier != exchange.identifier:
            return
        if message.kind == "reply":
            exchange.end(delivered=True, detail=self._took(exchange, "echo reply"))
        else:
            exchange.end(delivered=False, detail=f"{message.detail or 'hop limit exceeded'} (from {sender[0]})")

    def _accept(self, listener: socket.socket) -> None:
        with contextlib.suppress(BlockingIOError, ConnectionError):
            connection, peer = listener.accept()
            connection.setblocking(False)
            self._selector.register(connection, selectors.EVENT_READ, lambda: self._echo_stream(connection, peer))

    def _echo_stream(self, connection: socket.socket, peer: tuple[Any, ...]) -> None:
        data = b""
        with contextlib.suppress(OSError):
            data = connection.recv(256)
        if data:
            self._arrived(data, peer[0])
            with contextlib.suppress(OSError):
                connection.send(data)
        else:
            self._selector.unregister(connection)
            connection.close()

    def _echo_datagram(self, listener: socket.socket) -> None:
        with contextlib.suppress(OSError):
            data, peer = listener.recvfrom(256)
            self._arrived(data, peer[0])
            listener.sendto(data, peer)

    def _arrived(self, token: bytes, source: str) -> None:
        for exchange in self._exchanges:
            if exchange.token == token:
                exchange.source = source

    def _sniffed(self, sniffer: socket.socket, node: str) -> None:
        data, address = sniffer.recvfrom(2048)
        if address[2] == socket.PACKET_OUTGOING:
            return
        seen = packets.read_ip(data)
        for exchange in self._exchanges if seen else ():
            if exchange.request["listen_on"] == node and seen is not None and self._is_of(exchange, seen):
                exchange.dscp = seen.dscp
                exchange.source = exchange.source or seen.source

    def _is_of(self, exchange: _Exchange, seen: packets.Seen) -> bool:
        request = exchange.request
        if request["protocol"] == "icmp":
            return seen.protocol in (packets.ICMP, packets.ICMPV6) and seen.target_port == exchange.identifier
        if seen.protocol != (packets.TCP if request["protocol"] == "tcp" else packets.UDP):
            return False
        if seen.target_port != (request["listen_port"] or request["port"]):
            return False
        rivals = [e for e in self._exchanges if e is not exchange and e.request["listen_on"] == request["listen_on"]
                  and e.request["protocol"] == request["protocol"]
                  and (e.request["listen_port"] or e.request["port"]) == seen.target_port]  # fmt: skip
        return not rivals or (exchange.client is not None and exchange.client.getsockname()[1] == seen.source_port)

    def _serve(self, open_ones: list[_Exchange]) -> None:
        now = time.monotonic()
        waits = [exchange.started + exchange.request["timeout_s"] - now for exchange in open_ones if not exchange.ended]
        waits += [exchange.next_try - now for exchange in open_ones if not exchange.ended and exchange.tries < _TRIES]
        if waits:
            self._handle(max(0.0, min(waits)))

    def _handle(self, timeout: float) -> bool:
        events = self._selector.select(timeout)
        for key, _ in events:
            with contextlib.suppress(BlockingIOError):
                key.data()
        return bool(events)

    def _linger(self) -> None:
        """Take what has already arrived: an answer may overtake the sniffer's copy of its request."""
        while self._handle(0):
            continue

    def _took(self, exchange: _Exchange, what: str) -> str:
        return f"{what} after {(time.monotonic() - exchange.started) * 1000:.1f} ms"


def mark(sock: socket.socket, version: int, dscp: int) -> None:
    """Give what ``sock`` sends a DSCP."""
    if dscp and version == 4:
        sock.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, dscp << 2)
    elif dscp:
        sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_TCLASS, dscp << 2)


def trace(spaces: Mapping[str, Namespaces], home: int, request: dict[str, Any]) -> list[str | None]:
    """Hops towards an address: echo requests of every hop limit at once, twice."""
    version = ipaddress.ip_address(request["target"]).version
    protocol = socket.IPPROTO_ICMP if version == 4 else socket.IPPROTO_ICMPV6
    with nodes.inside_network(spaces[request["source"]], home):
        raw = socket.socket(socket.AF_INET if version == 4 else socket.AF_INET6, socket.SOCK_RAW, protocol)
    identifier = int.from_bytes(os.urandom(2), "big")
    level, option = (
        (socket.IPPROTO_IP, socket.IP_TTL) if version == 4 else (socket.IPPROTO_IPV6, socket.IPV6_UNICAST_HOPS)
    )
    hops: dict[int, str] = {}
    reached: int | None = None
    for _ in range(_TRIES):
        for limit in range(1, request["max_hops"] + 1):
            raw.setsockopt(level, option, limit)
            with contextlib.suppress(OSError):
                raw.sendto(packets.echo_request(identifier, limit, version=version), (request["target"], 0))
        deadline = time.monotonic() + request["patience_s"] / _TRIES
        while (left := deadline - time.monotonic()) > 0:
            raw.settimeout(left)
            try:
                data, sender = raw.recvfrom(2048)
            except TimeoutError:
                break
            message = packets.read_icmp(data, version=version)
            if message is None or message.identifier != identifier:
                continue
            hops.setdefault(message.sequence, sender[0])
            if message.kind == "reply":
                reached = min(reached or message.sequence, message.sequence)
            if reached and all(limit in hops for limit in range(1, reached + 1)):
                return [hops[limit] for limit in range(1, reached + 1)]
    last = reached or max(hops, default=0)
    return [hops.get(limit) for limit in range(1, last + 1)]
