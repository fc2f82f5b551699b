"""Carrier of interfaces in the lab's own namespace, and its changes. Standard library only."""

from __future__ import annotations

import array
import contextlib
import fcntl
import socket
import struct

_RTMGRP_LINK = 1
_RTM_NEWLINK = 16
_HEADER = struct.Struct("=IHHII")
_SIOCGIFFLAGS = 0x8913
_SIOCSIFFLAGS = 0x8914
_SIOCETHTOOL = 0x8946
_GLINK = 0x0A
_IFF_UP = 0x1


class Carriers:
    """Reads carriers, sets interfaces up and down, and tells which interfaces changed."""

    def __init__(self) -> None:
        self._control = socket.socket(socket.AF_INET, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)
        self._events = socket.socket(
            socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_CLOEXEC | socket.SOCK_NONBLOCK, socket.NETLINK_ROUTE
        )
        self._events.bind((0, _RTMGRP_LINK))

    def fileno(self) -> int:
        """The descriptor to wait on."""
        return self._events.fileno()

    def changed(self) -> set[int] | None:
        """Indexes of interfaces that changed since the last call; ``None`` if changes were missed."""
        found: set[int] = set()
        complete = True
        while True:
            try:
                data = self._events.recv(1 << 16)
            except BlockingIOError:
                return found if complete else None
            except OSError:  # the kernel's buffer overflowed
                complete = False
                continue
            position = 0
            while position + _HEADER.size <= len(data):
                size, kind, *_ = _HEADER.unpack_from(data, position)
                if kind == _RTM_NEWLINK:
                    found.add(struct.unpack_from("=i", data, position + _HEADER.size + 4)[0])
                position += (max(size, _HEADER.size) + 3) & ~3

    def has(self, name: str) -> bool:
        """Whether an interface is up and has carrier. The kernel answers at once; its flags follow later."""
        value = array.array("I", [_GLINK, 0])
        request = struct.pack("16sP", name.encode(), value.buffer_info()[0])
        with contextlib.suppress(OSError):  # it is gone
            fcntl.ioctl(self._control, _SIOCETHTOOL, request)
        return bool(value[1])

    def set_up(self, name: str, up: bool) -> None:
        """Set an interface up or down.

        Raises:
            OSError: There is none of that name.
        """
        request = struct.pack("16sH14x", name.encode(), 0)
        flags = struct.unpack("16sH14x", fcntl.ioctl(self._control, _SIOCGIFFLAGS, request))[1]
        wanted = flags | _IFF_UP if up else flags & ~_IFF_UP
        fcntl.ioctl(self._control, _SIOCSIFFLAGS, struct.pack("16sH14x", name.encode(), wanted))
