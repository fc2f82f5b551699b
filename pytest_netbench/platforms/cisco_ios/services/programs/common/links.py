"""The kernel's state of links: up or down, addresses, hardware addresses; with notification of changes."""

from __future__ import annotations

import contextlib
import fcntl
import socket
import struct
from collections.abc import Callable
from dataclasses import dataclass

from pytest_netbench.platforms.cisco_ios.services.programs.common.loop import Loop

_SIOCGIFFLAGS, _SIOCGIFADDR, _SIOCGIFNETMASK, _SIOCGIFHWADDR = 0x8913, 0x8915, 0x891B, 0x8927
_IFF_UP, _IFF_RUNNING = 0x1, 0x40
_RTMGRP_LINK, _RTMGRP_IPV4_IFADDR, _RTMGRP_IPV4_ROUTE = 0x1, 0x10, 0x40


@dataclass(frozen=True)
class Link:
    """The current state of a link. ``address`` is its primary IPv4 address, "" if it has none."""

    name: str
    index: int
    up: bool
    address: str
    mask: str
    mac: bytes


class Links:
    """The node's links."""

    def __init__(self, loop: Loop) -> None:
        self._control = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._listeners: list[Callable[[], None]] = []
        self._news = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_NONBLOCK, socket.NETLINK_ROUTE)
        self._news.bind((0, _RTMGRP_LINK | _RTMGRP_IPV4_IFADDR | _RTMGRP_IPV4_ROUTE))
        loop.watch(self._news.fileno(), self._changed)

    def listen(self, listener: Callable[[], None]) -> None:
        """Call ``listener`` after links, addresses or routes changed."""
        self._listeners.append(listener)

    def get(self, name: str) -> Link | None:
        """Return the link called ``name``, or ``None``."""
        try:
            flags = struct.unpack_from("H", self._ask(_SIOCGIFFLAGS, name))[0]
            wanted = _IFF_UP | _IFF_RUNNING
            return Link(
                name=name,
                index=socket.if_nametoindex(name),
                up=flags & wanted == wanted,
                address=self._address(_SIOCGIFADDR, name),
                mask=self._address(_SIOCGIFNETMASK, name),
                mac=self._ask(_SIOCGIFHWADDR, name)[2:8],
            )
        except OSError:
            return None

    def _address(self, question: int, name: str) -> str:
        try:
            return socket.inet_ntoa(self._ask(question, name)[4:8])
        except OSError:
            return ""

    def _ask(self, question: int, name: str) -> bytes:
        return fcntl.ioctl(self._control, question, struct.pack("16s24x", name.encode()))[16:]

    def _changed(self) -> None:
        # a full queue (OSError) is a notification too; changes are looked up, not read from messages
        with contextlib.suppress(OSError):
            while self._news.recv(1 << 16):
                continue
        for listener in self._listeners:
            listener()
