"""The server of a pod: all connections in one loop."""

from __future__ import annotations

import _socket as socket
import select
import struct
import time

from pytest_netbench.lab.kubernetes.pod.common import LONGEST, log
from pytest_netbench.lab.kubernetes.pod.protocols import PROTOCOLS, Dns, Http

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

MOST_CLIENTS = 256
IDLE_S = 30.0


class Server:
    """Serves all connections."""

    def __init__(self) -> None:
        self._epoll = select.epoll()
        self._handlers: dict[int, Callable[[], None]] = {}
        self._clients: dict[socket.socket, float] = {}

    def listen(self, protocol: str, port: int) -> None:
        server = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        server.bind(("", port))
        server.listen(128)
        server.setblocking(False)
        self._watch(server, lambda: self._accept(server, PROTOCOLS[protocol]))
        if protocol == "dns":
            datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            datagrams.bind(("", port))
            datagrams.setblocking(False)
            self._watch(datagrams, lambda: self._datagram(datagrams))
        log(f"serving {protocol} on port {port}")

    def _watch(self, one: socket.socket, handler: Callable[[], None]) -> None:
        self._handlers[one.fileno()] = handler
        self._epoll.register(one.fileno(), select.EPOLLIN)

    def _accept(self, server: socket.socket, protocol: type) -> None:
        try:
            client = socket.socket(fileno=server._accept()[0])  # type: ignore[attr-defined]  # noqa: SLF001 - as `socket` does
        except OSError:
            return
        if len(self._clients) >= MOST_CLIENTS:
            self._drop(min(self._clients, key=self._clients.__getitem__))
        client.setblocking(False)
        talk = protocol()
        self._clients[client] = time.monotonic()
        self._watch(client, lambda: self._read(client, talk))

    def _read(self, client: socket.socket, talk: Http) -> None:
        try:
            data = client.recv(LONGEST)
            answer = talk.feed(data) if data else b""
            if answer:
                client.sendall(answer)
        except (OSError, ValueError, IndexError, struct.error):
            data = b""
        if data:
            self._clients[client] = time.monotonic()
        else:
            self._drop(client)

    def _drop(self, client: socket.socket) -> None:
        del self._clients[client]
        self._epoll.unregister(client.fileno())
        del self._handlers[client.fileno()]
        client.close()

    def _datagram(self, datagrams: socket.socket) -> None:
        try:
            query, sender = datagrams.recvfrom(4096)
            if answer := Dns.answer(query):
                datagrams.sendto(answer, sender)
        except (OSError, ValueError, IndexError, struct.error):
            pass

    def run(self, until: float) -> None:
        """Serve until a moment of the monotonic clock."""
        while (left := until - time.monotonic()) > 0:
            for number, _ in self._epoll.poll(left):
                # another event may have ended what this one is about
                if (handler := self._handlers.get(number)) is not None:
                    handler()
        oldest = time.monotonic() - IDLE_S
        for client in [one for one, used in self._clients.items() if used < oldest]:
            self._drop(client)
