"""Ports of loopback, offered to other containers at the container's own address."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from typing import Final, Self

_AT_ONCE: Final = 65536


class Relay:
    """Carries connections to a port of this machine's loopback, from the same port at another of its addresses.

    Args:
        host: The address, which is not that of loopback.
        port: The port.

    Raises:
        OSError: It cannot listen there.
    """

    def __init__(self, host: str, port: int) -> None:
        self._target = ("127.0.0.1", port)
        self._listener = socket.create_server((host, port))
        threading.Thread(target=self._accept, name=f"netbench-relay-{port}", daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        # accept() returns only after a shutdown
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                threading.Thread(target=self._carry, args=(client,), daemon=True).start()

    def _carry(self, client: socket.socket) -> None:
        with client, suppress(OSError), socket.create_connection(self._target) as server:
            back = threading.Thread(target=_copy, args=(server, client), daemon=True)
            back.start()
            _copy(client, server)
            back.join()


def _copy(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(_AT_ONCE):
            target.sendall(data)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)
