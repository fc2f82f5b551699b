"""Waiting for many sockets, and reading them empty with the kernel's receive times. Standard library only.

All times are nanoseconds of the monotonic clock.
"""

from __future__ import annotations

import select
import socket
import struct
import time
from collections.abc import Callable, Iterator
from typing import Any

_SO_TIMESTAMPNS = 35
_SO_MEMINFO = 55
_MEMINFO = struct.Struct("9I")
_STAMP = struct.Struct("qq")
_ANCILLARY = 256
_LARGEST = 4096
_BUFFER_BYTES = 8 << 20
_AT_ONCE = 512
_ROUNDS = 64
_CLOCK_READINGS = 3

now_ns = time.monotonic_ns


class Events:
    """Calls a handler for each socket that is ready. Its work depends on the events, not on the sockets."""

    def __init__(self) -> None:
        self._epoll = select.epoll()
        self._handlers: dict[int, Callable[[], None]] = {}

    def on_readable(self, sock: socket.socket, handler: Callable[[], None]) -> None:
        """Call ``handler`` whenever there is something to read."""
        self._set(sock, select.EPOLLIN, handler)

    def on_writable(self, sock: socket.socket, handler: Callable[[], None]) -> None:
        """Call ``handler`` whenever ``sock`` can be written to, which for TCP means that it is connected or failed."""
        self._set(sock, select.EPOLLOUT, handler)

    def _set(self, sock: socket.socket, events: int, handler: Callable[[], None]) -> None:
        number = sock.fileno()
        (self._epoll.modify if number in self._handlers else self._epoll.register)(number, events)
        self._handlers[number] = handler

    def forget(self, sock: socket.socket) -> None:
        """Call no handler for ``sock`` any more. Idempotent."""
        if self._handlers.pop(sock.fileno(), None) is not None:
            self._epoll.unregister(sock.fileno())

    def sweep(self, wait_ns: int = 0) -> bool:
        """Wait at most this long for an event, then handle events until there are none; a flood ends that early.

        Returns:
            Whether there are none.
        """
        ready = self._epoll.poll(max(0, wait_ns) / 1e9)
        for _ in range(_ROUNDS):
            if not ready:
                return True
            for number, _event in ready:
                if (handler := self._handlers.get(number)) is not None:
                    handler()
            ready = self._epoll.poll(0)
        return not ready


def stamped(sock: socket.socket) -> None:
    """Let the kernel note when packets arrive, and keep many of them."""
    sock.setblocking(False)
    sock.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPNS, 1)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _BUFFER_BYTES)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _BUFFER_BYTES)


def packets_of(sock: socket.socket) -> Iterator[tuple[bytes, int, Any, list[tuple[int, int, bytes]]]]:
    """All packets that wait in a socket: data, time of arrival, sender, ancillary data."""
    offset = _wall_offset()
    for _ in range(_AT_ONCE):
        try:
            data, ancillary, _flags, sender = sock.recvmsg(_LARGEST, _ANCILLARY)
        except BlockingIOError:
            return
        except OSError:
            # an interface that goes down leaves an error in the queue, between packets
            continue
        yield data, _arrival(ancillary, offset), sender, ancillary


def _wall_offset() -> int:
    """How far the wall clock is ahead of the monotonic one, in nanoseconds.

    Two clocks cannot be read at once: this process may be interrupted in between. The tightest of a few readings is
    right to some hundred nanoseconds, less than a packet needs from one node to the next.
    """
    readings = []
    for _ in range(_CLOCK_READINGS):
        before, wall, after = now_ns(), time.time_ns(), now_ns()
        readings.append((after - before, wall - (before + after) // 2))
    return min(readings)[1]


def _arrival(ancillary: list[tuple[int, int, bytes]], offset: int) -> int:
    for level, kind, data in ancillary:
        if level == socket.SOL_SOCKET and kind == _SO_TIMESTAMPNS:
            seconds, nanoseconds = _STAMP.unpack(data)
            return int(seconds * 1_000_000_000 + nanoseconds - offset)
    return now_ns()


def dropped(sock: socket.socket) -> int:
    """Packets that the kernel could not put into the socket, since it was made."""
    return int(_MEMINFO.unpack_from(sock.getsockopt(socket.SOL_SOCKET, _SO_MEMINFO, _MEMINFO.size))[8])
