"""ICMP echo: any number of concurrent requests, timed by the clock of the machine."""

from __future__ import annotations

import os
import socket
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass

from pytest_netbench.platforms.cisco_ios.services.programs.common import packets
from pytest_netbench.platforms.cisco_ios.services.programs.common.loop import Loop, Timer

_CLOCK = 1000
"""Of the preloaded library, see ``CLOCK_OF_WALL`` in ``native/labtime.h``."""


def now() -> float:
    """Return seconds of the wall. Only differences mean something."""
    try:
        return time.clock_gettime(_CLOCK)
    except OSError:  # the library is not there, so all clocks go by the wall
        return time.monotonic()


Answer = Callable[[float | None], None]


@dataclass
class _Waiting:
    target: str
    answer: Answer
    sent: float
    timer: Timer


class Pinger:
    """Sends echo requests."""

    def __init__(self, loop: Loop) -> None:
        self._loop = loop
        self._identifier = os.getpid() & 0xFFFF
        self._sequence = 0
        self._waiting: dict[int, _Waiting] = {}
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_RAW | socket.SOCK_NONBLOCK, socket.IPPROTO_ICMP)
        loop.watch(self._socket.fileno(), self._readable)

    def ping(
        self,
        target: str,
        answer: Answer,
        *,
        timeout_s: float,
        source: str = "",
        interface: str = "",
        size: int = 28,
        tos: int = 0,
    ) -> bool:
        """Send a request; call ``answer`` with the milliseconds until its reply, or ``None`` after ``timeout_s``.

        The milliseconds are wall time, the timeout is lab time.

        Returns:
            ``False`` if the request could not be sent; then ``answer`` is not called.
        """
        self._sequence = self._sequence % 0xFFFF + 1
        sequence = self._sequence
        payload = bytes(max(0, size))
        try:
            self._send(
                target, packets.echo(packets.ECHO_REQUEST, self._identifier, sequence, payload), source, interface, tos
            )
        except OSError:
            return False
        timer = self._loop.after(timeout_s, lambda: self._lost(sequence))
        self._waiting[sequence] = _Waiting(target, answer, now(), timer)
        return True

    def _send(self, target: str, request: bytes, source: str, interface: str, tos: int) -> None:
        index = socket.if_nametoindex(interface) if interface else 0
        info = struct.pack("i4s4s", index, socket.inet_aton(source) if source else bytes(4), bytes(4))
        ancillary = [(socket.IPPROTO_IP, 8, info)] if source or interface else []  # IP_PKTINFO
        if tos:
            ancillary.append((socket.IPPROTO_IP, socket.IP_TOS, struct.pack("i", tos)))
        self._socket.sendmsg([request], ancillary, 0, (target, 0))

    def _lost(self, sequence: int) -> None:
        waiting = self._waiting.pop(sequence, None)
        if waiting is not None:
            waiting.answer(None)

    def _readable(self) -> None:
        try:
            datagram = packets.Ipv4.parse(self._socket.recv(65535))
        except OSError:
            return
        if datagram is None or len(datagram.payload) < 8 or datagram.payload[0] != packets.ECHO_REPLY:
            return
        identifier, sequence = struct.unpack_from("!HH", datagram.payload, 4)
        waiting = self._waiting.get(sequence)
        if identifier == self._identifier and waiting is not None and waiting.target == datagram.source:
            del self._waiting[sequence]
            waiting.timer.cancel()
            waiting.answer((now() - waiting.sent) * 1000)
