"""The connection to the lab's owner. Standard library only."""

from __future__ import annotations

import os
import socket
from collections.abc import Sequence
from typing import Any

from pytest_netbench.backends.netns.supervisor import wire_format

Message = dict[str, Any]


class Owner:
    """Takes requests and gives answers. There is no lab without an owner: this process ends with the connection."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._decoder = wire_format.Decoder()
        self._under_way: dict[int, str] = {}

    def fileno(self) -> int:
        """The descriptor to wait on."""
        return self._control.fileno()

    def receive(self) -> list[Message]:
        """Requests that are complete by now."""
        try:
            data = self._control.recv(1 << 20)
        except ConnectionError:
            data = b""
        if not data:
            os._exit(0)
        requests = self._decoder.feed(data)
        self._under_way |= {request["id"]: request["op"] for request in requests}
        return requests

    def awaits(self, *operations: str) -> bool:
        """Return whether a request for one of these operations is not answered yet."""
        return any(operation in operations for operation in self._under_way.values())

    def answer(self, request: Message, result: Message, *, fds: Sequence[int] = ()) -> None:
        """What a request led to, and descriptors that belong to it."""
        self._send({"id": request["id"], "ok": result}, fds)

    def refuse(self, request: Message, why: str) -> None:
        """Why a request failed."""
        self._send({"id": request["id"], "error": why})

    def _send(self, message: Message, fds: Sequence[int] = ()) -> None:
        self._under_way.pop(message["id"], None)
        data = wire_format.encode({**message, "fds": len(fds)} if fds else message)
        try:
            if fds:
                sent = socket.send_fds(self._control, [data], fds)
                data = data[sent:]
            self._control.sendall(data)
        except (BrokenPipeError, ConnectionError):
            os._exit(0)
