"""TCP probes: connections by the node's own stack, and listeners that answer them. Standard library only."""

from __future__ import annotations

import errno
import os
import socket
import struct

from pytest_netbench.probing import packets
from pytest_netbench.probing.disguise import Disguise
from pytest_netbench.probing.events import Events, now_ns
from pytest_netbench.probing.exchanges import Attempt, Exchange
from pytest_netbench.probing.identities import Identities
from pytest_netbench.probing.receivers import Receiver
from pytest_netbench.probing.sockets import Sockets, mark

_FAMILIES = {4: socket.AF_INET, 6: socket.AF_INET6}
_LONGEST = 4096
# struct tcp_info: eight bytes of states, then 32-bit words; the sixteenth is the smoothed round trip in microseconds
_TCP_INFO = struct.Struct("8x16I")


class Listeners:
    """Listens on TCP ports of nodes and answers the probes that come."""

    def __init__(self, *, sockets: Sockets, events: Events, identities: Identities) -> None:
        self._sockets = sockets
        self._events = events
        self._identities = identities
        self._ports: dict[tuple[str, int, int], bool] = {}
        self._connections: list[socket.socket] = []

    def close(self) -> None:
        """Close the connections that were answered."""
        for connection in self._connections:
            connection.close()

    def listen(self, receiver: Receiver, version: int, port: int) -> bool:
        """Answer on a port, unless a program of the node's own is there; returns whether one is.

        Where one is, the node's stack is asked whether it accepted a connection: that program answers as it likes.

        Raises:
            OSError: The kernel refuses it.
        """
        key = (receiver.node, version, port)
        if key not in self._ports:
            listener = self._sockets.bind(receiver.node, "tcp", version, port)
            self._ports[key] = listener is None
            if listener is None:
                receiver.hear("tcp", version)
            else:
                self._events.on_readable(listener, lambda: self._accept(listener, receiver.node, port))
        return self._ports[key]

    def _accept(self, listener: socket.socket, node: str, port: int) -> None:
        while True:
            try:
                connection, peer = listener.accept()
            except OSError:
                # nobody waits any more, or whoever came has gone or cannot be reached: its client reports that
                return
            connection.setblocking(False)
            self._connections.append(connection)
            visitor = _Visitor(
                connection, events=self._events, identities=self._identities, source=peer[0], place=(node, port)
            )
            visitor.wait()


class _Visitor:
    """A connection to a listener of ours."""

    def __init__(
        self,
        connection: socket.socket,
        *,
        events: Events,
        identities: Identities,
        source: str,
        place: tuple[str, int],
    ) -> None:
        self._events = events
        self._identities = identities
        self._connection = connection
        self._source = source.partition("%")[0]
        self._place = place
        self._heard = b""

    def wait(self) -> None:
        self._events.on_readable(self._connection, self._read)

    def _read(self) -> None:
        try:
            data = self._connection.recv(_LONGEST)
        except BlockingIOError:
            return
        except OSError:
            # reset, or unreachable: its client reports that
            data = b""
        self._heard += data
        attempt = self._identities.questions.get(self._heard)
        if data and attempt is not None:
            self._answer(attempt)
        elif not data or len(self._heard) > _LONGEST:
            self._events.forget(self._connection)
            self._connection.close()

    def _answer(self, attempt: Attempt) -> None:
        exchange = attempt.exchange
        if (exchange.listen_on, exchange.listen_port) != self._place:
            return
        family = socket.AF_INET6 if ":" in self._source else socket.AF_INET
        # the segment that opened the connection has been seen before, and its marking with it
        exchange.arrive(attempt, self._place[0], _in_time(exchange), socket.inet_pton(family, self._source), None)
        exchange.accept()
        try:
            self._connection.send(attempt.answer)
        except OSError as error:
            exchange.complain(f"{self._place[0]} could not send the answer: {error.strerror}")
        exchange.waits_again()


class Clients:
    """Opens connections."""

    def __init__(self, *, sockets: Sockets, events: Events, identities: Identities, disguise: Disguise) -> None:
        self._sockets = sockets
        self._events = events
        self._identities = identities
        self._disguise = disguise
        self._open: dict[Exchange, list[socket.socket]] = {}

    @property
    def count(self) -> int:
        """Probes that have open connections."""
        return len(self._open)

    def connect(self, exchange: Exchange, receiver: Receiver) -> None:
        """Open a connection (one more, if there is one already).

        Raises:
            OSError: The kernel refuses it.
        """
        client = self._sockets.open(exchange.source, "tcp", exchange.version)
        self._open.setdefault(exchange, []).append(client)
        mark(client, exchange.version, exchange.request["dscp"])
        client.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        client.bind((exchange.request["source_address"] or "", exchange.request["source_port"] or 0))
        attempt = Attempt(
            exchange,
            number=exchange.tries,
            question=self._disguise.question("tcp", exchange.port),
            answer=self._disguise.answer("tcp", exchange.port),
        )
        port = client.getsockname()[1]
        self._identities.add(
            attempt, node=exchange.source, protocol=packets.TCP, source_port=port, target_port=exchange.port
        )
        code = client.connect_ex((exchange.target, exchange.port))
        if code not in (0, errno.EINPROGRESS):
            raise OSError(code, os.strerror(code))
        # its first sequence number, before anything is read at the target
        receiver.read_tap()
        self._events.on_writable(client, lambda: self._connected(attempt, client))

    def close(self, exchange: Exchange) -> None:
        """Close what is open for a probe."""
        for client in self._open.pop(exchange, ()):
            self._events.forget(client)
            client.close()

    def _connected(self, attempt: Attempt, client: socket.socket) -> None:
        exchange = attempt.exchange
        self._events.forget(client)
        failure = client.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        if failure == errno.ECONNREFUSED and exchange.occupied:
            exchange.answer(attempt, _in_time(exchange), "refused by the program on the port")
        elif failure:
            exchange.fail(OSError(failure, os.strerror(failure)))
        elif _round_trip_ns(client) > exchange.timeout_ns * exchange.tries:
            return
        elif exchange.occupied or not exchange.listen_on:
            exchange.answer(attempt, _in_time(exchange), "connected")
        else:
            self._ask(attempt, client)

    def _ask(self, attempt: Attempt, client: socket.socket) -> None:
        try:
            client.send(attempt.question)
        except OSError as error:
            attempt.exchange.fail(error)
            return
        attempt.exchange.waits_again()
        self._events.on_readable(client, lambda: self._answered(attempt, client))

    def _answered(self, attempt: Attempt, client: socket.socket) -> None:
        exchange = attempt.exchange
        try:
            data = client.recv(_LONGEST)
        except BlockingIOError:
            return
        except OSError as error:
            exchange.fail(error)
        else:
            exchange.answer(attempt, _in_time(exchange), "answered" if data else "connected, then closed")
        self._events.forget(client)


def _in_time(exchange: Exchange) -> int:
    """When something that has no time of its own arrived: before its deadline, or it would have been given up."""
    return min(now_ns(), exchange.deadline)


def _round_trip_ns(client: socket.socket) -> int:
    info = client.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _TCP_INFO.size)
    return int(_TCP_INFO.unpack(info)[15]) * 1000
