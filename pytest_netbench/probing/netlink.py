"""Dumps of what the kernel knows of a network, over routing sockets. Standard library only."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator

HEADER = struct.Struct("=IHHII")
REQUEST = 0x1
_DUMP = 0x300
_ERROR, _DONE = 2, 3
_ATTRIBUTE = struct.Struct("=HH")


def open_socket() -> socket.socket:
    """A routing socket in the network of this process."""
    return socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)


def message(kind: int, flags: int, body: bytes) -> bytes:
    """A message with its header."""
    return HEADER.pack(HEADER.size + len(body), kind, flags, 1, 0) + body


def dump(link: socket.socket, kind: int, body: bytes) -> Iterator[bytes]:
    """What the kernel lists of a kind, each without its header."""
    link.send(message(kind, REQUEST | _DUMP, body))
    while True:
        data = link.recv(1 << 17)
        position = 0
        while position + HEADER.size <= len(data):
            size, answer, *_ = HEADER.unpack_from(data, position)
            if answer in (_DONE, _ERROR):
                return
            yield data[position + HEADER.size : position + size]
            position += (max(size, HEADER.size) + 3) & ~3


def attributes(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Kind and value of each attribute."""
    position = 0
    while position + _ATTRIBUTE.size <= len(data):
        size, kind = _ATTRIBUTE.unpack_from(data, position)
        yield kind, data[position + _ATTRIBUTE.size : position + size]
        position += (max(size, _ATTRIBUTE.size) + 3) & ~3


def attribute(kind: int, value: bytes) -> bytes:
    """One attribute, as the last of a message."""
    return _ATTRIBUTE.pack(_ATTRIBUTE.size + len(value), kind) + value
