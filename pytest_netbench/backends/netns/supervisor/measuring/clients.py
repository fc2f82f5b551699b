"""The sending side of probes. Standard library only."""

from __future__ import annotations

import errno
import os
import selectors
import socket
from collections.abc import Callable

from pytest_netbench.backends.netns.supervisor import packets
from pytest_netbench.backends.netns.supervisor.measuring.exchanges import Exchange
from pytest_netbench.backends.netns.supervisor.measuring.sockets import Sockets, mark

_ERRORS = {4: (socket.IPPROTO_IP, 11), 6: (socket.IPPROTO_IPV6, 25)}  # IP_RECVERR, IPV6_RECVERR


class Clients:
    """Sends, and takes the answers."""

    def __init__(self, sockets: Sockets, selector: selectors.BaseSelector) -> None:
        self._sockets = sockets
        self._selector = selector

    def open(self, exchange: Exchange) -> None:
        """Make the socket of an exchange.

        Raises:
            OSError: What the kernel has against it.
        """
        request = exchange.request
        client = exchange.client = self._sockets.open(request["source"], exchange.protocol, exchange.version)
        mark(client, exchange.version, request["dscp"])
        if exchange.protocol == "udp":
            # else the kernel keeps from it every ICMP error but "port unreachable"
            client.setsockopt(*_ERRORS[exchange.version], 1)
        if request["source_address"]:
            client.bind((request["source_address"], 0))
        if exchange.protocol == "udp":
            client.connect((request["target"], request["port"]))
            self._watch(exchange, client, lambda: self._take_token(exchange, client))
        elif exchange.protocol == "icmp":
            self._watch(exchange, client, lambda: self._take_icmp(exchange, client))

    def send(self, exchange: Exchange) -> None:
        """Send the request of an exchange; of TCP, only the first time, for the kernel repeats it.

        Raises:
            OSError: What the kernel has against it.
        """
        request, client = exchange.request, exchange.client
        assert client is not None
        if exchange.protocol == "icmp":
            message = packets.echo_request(exchange.identifier, exchange.tries, version=exchange.version)
            client.sendto(message, (request["target"], 0))
        elif exchange.protocol == "udp":
            client.send(exchange.token)
        elif exchange.tries == 1:
            self._connect(exchange, client)

    def _watch(
        self, exchange: Exchange, client: socket.socket, handle: Callable[[], None], event: int = selectors.EVENT_READ
    ) -> None:
        def guarded() -> None:
            with exchange.ended_by_errors():
                handle()

        self._selector.register(client, event, guarded)

    def _connect(self, exchange: Exchange, client: socket.socket) -> None:
        code = client.connect_ex((exchange.request["target"], exchange.request["port"]))
        if code not in (0, errno.EINPROGRESS):
            raise OSError(code, os.strerror(code))
        self._watch(exchange, client, lambda: self._connected(exchange, client), selectors.EVENT_WRITE)

    def _connected(self, exchange: Exchange, client: socket.socket) -> None:
        self._selector.unregister(client)
        failure = client.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        if failure:
            raise OSError(failure, os.strerror(failure))
        if not exchange.request["listen_on"]:
            exchange.deliver("connected")
            return
        client.send(exchange.token)
        self._watch(exchange, client, lambda: self._take_token(exchange, client))

    def _take_token(self, exchange: Exchange, client: socket.socket) -> None:
        try:
            data = client.recv(256)
        except BlockingIOError:
            return
        except OSError:
            # the queued error would keep it ready for ever
            self._selector.unregister(client)
            raise
        if data == exchange.token:
            exchange.deliver("answered")
        elif not data:
            self._selector.unregister(client)
            exchange.deliver("connected, then closed")

    def _take_icmp(self, exchange: Exchange, client: socket.socket) -> None:
        data, sender = client.recvfrom(2048)
        message = packets.read_icmp(data, version=exchange.version)
        if message is None or message.identifier != exchange.identifier:
            return
        if message.kind == "reply":
            exchange.deliver("echo reply")
        else:
            exchange.end(delivered=False, detail=f"{message.detail or 'hop limit exceeded'} (from {sender[0]})")
