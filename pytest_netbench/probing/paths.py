"""Hops towards an address: echo requests of every hop limit at once, twice. Standard library only."""

from __future__ import annotations

import contextlib
import ipaddress
import os
import socket
import time
from typing import Any

from pytest_netbench.probing import packets
from pytest_netbench.probing.disguise import Disguise
from pytest_netbench.probing.sockets import Sockets

TRIES = 2
_HOP_LIMITS = {4: (socket.IPPROTO_IP, socket.IP_TTL), 6: (socket.IPPROTO_IPV6, socket.IPV6_UNICAST_HOPS)}


def trace(sockets: Sockets, request: dict[str, Any]) -> list[str | None]:
    """The address of each hop up to the last that answered; ``None`` for one that did not."""
    return _Trace(sockets, request).run()


class _Trace:
    def __init__(self, sockets: Sockets, request: dict[str, Any]) -> None:
        self._target = request["target"]
        self._version = ipaddress.ip_address(self._target).version
        self._limits = range(1, request["max_hops"] + 1)
        self._patience_s = request["patience_s"] / TRIES
        self._socket = sockets.open(request["source"], "icmp", self._version)
        self._socket.setblocking(True)
        self._disguise = Disguise()
        self._identifier = int.from_bytes(os.urandom(2), "big")
        self._hops: dict[int, str] = {}
        self._reached: int | None = None

    def run(self) -> list[str | None]:
        for _ in range(TRIES):
            self._send()
            self._receive()
            if self._is_complete():
                break
        last = self._reached or max(self._hops, default=0)
        return [self._hops.get(limit) for limit in range(1, last + 1)]

    def _send(self) -> None:
        for limit in self._limits:
            self._socket.setsockopt(*_HOP_LIMITS[self._version], limit)
            with contextlib.suppress(OSError):
                message = packets.echo_request(self._identifier, limit, self._disguise.echo(), version=self._version)
                self._socket.sendto(message, (self._target, 0))

    def _receive(self) -> None:
        deadline = time.monotonic() + self._patience_s
        while not self._is_complete() and (left := deadline - time.monotonic()) > 0:
            self._socket.settimeout(left)
            try:
                data, sender = self._socket.recvfrom(2048)
            except TimeoutError:
                return
            self._take(data, sender[0])

    def _take(self, data: bytes, sender: str) -> None:
        message = packets.read_icmp(data, version=self._version)
        if message is None or message.identifier != self._identifier:
            return
        self._hops.setdefault(message.sequence, sender)
        if message.kind == "reply":
            self._reached = min(self._reached or message.sequence, message.sequence)

    def _is_complete(self) -> bool:
        return self._reached is not None and all(limit in self._hops for limit in range(1, self._reached + 1))
