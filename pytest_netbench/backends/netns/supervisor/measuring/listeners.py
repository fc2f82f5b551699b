"""The answering side of probes: echoes on the ports that probes go to. Standard library only."""

from __future__ import annotations

import contextlib
import errno
import selectors
import socket
from collections.abc import Sequence

from pytest_netbench.backends.netns.supervisor.measuring.exchanges import Exchange
from pytest_netbench.backends.netns.supervisor.measuring.sockets import Sockets


class Listeners:
    """Listens where probes go to, answers them, and notes from whom they came."""

    def __init__(self, sockets: Sockets, selector: selectors.BaseSelector, exchanges: Sequence[Exchange]) -> None:
        self._sockets = sockets
        self._selector = selector
        self._exchanges = exchanges
        self._served: set[tuple[str, str, int, int]] = set()

    def listen(self, node: str, protocol: str, port: int, version: int) -> None:
        """Answer on a port, unless a program of the node's own does.

        Raises:
            OSError: What the kernel has against it.
        """
        key = (node, protocol, port, version)
        if key in self._served:
            return
        listener = self._sockets.open(node, protocol, version)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if version == 6:
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        try:
            listener.bind(("", port))
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
            listener.close()
        else:
            self._serve(listener, protocol)
        self._served.add(key)

    def _serve(self, listener: socket.socket, protocol: str) -> None:
        if protocol == "tcp":
            listener.listen(64)
        handler = self._accept if protocol == "tcp" else self._echo_datagram
        self._selector.register(listener, selectors.EVENT_READ, lambda: handler(listener))

    def _accept(self, listener: socket.socket) -> None:
        with contextlib.suppress(BlockingIOError, ConnectionError):
            connection, peer = listener.accept()
            connection.setblocking(False)
            self._selector.register(connection, selectors.EVENT_READ, lambda: self._echo_stream(connection, peer[0]))

    def _echo_stream(self, connection: socket.socket, source: str) -> None:
        data = b""
        with contextlib.suppress(OSError):
            data = connection.recv(256)
        if data:
            self._note(data, source)
            with contextlib.suppress(OSError):
                connection.send(data)
        else:
            self._selector.unregister(connection)
            connection.close()

    def _echo_datagram(self, listener: socket.socket) -> None:
        with contextlib.suppress(OSError):
            data, peer = listener.recvfrom(256)
            self._note(data, peer[0])
            listener.sendto(data, peer)

    def _note(self, token: bytes, source: str) -> None:
        for exchange in self._exchanges:
            if exchange.token == token:
                exchange.source = source
