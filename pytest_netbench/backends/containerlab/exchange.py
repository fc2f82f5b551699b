"""Messages with descriptors between the helper of a lab and its owner. Standard library only."""

from __future__ import annotations

import array
import contextlib
import os
import socket
import struct
from collections.abc import Iterator, Sequence
from typing import Final

SOCKET: Final = "helper"
"""Of the helper, in the folder of the lab."""
_LENGTH = struct.Struct("=Q")
MOST_DESCRIPTORS: Final = 253
"""The kernel takes no more in one message."""


@contextlib.contextmanager
def address(folder: str) -> Iterator[str]:
    """The address of a helper, however long the path of its folder is."""
    directory = os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{directory}/{SOCKET}"
    finally:
        os.close(directory)


def connected(folder: str) -> socket.socket:
    """A connection to a helper.

    Raises:
        OSError: There is none.
    """
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with address(folder) as path:
            connection.connect(path)
    except BaseException:
        connection.close()
        raise
    return connection


def send(connection: socket.socket, data: bytes, descriptors: Sequence[int] = ()) -> None:
    """Send a message and descriptors.

    Raises:
        OSError: The other end is gone, or there are too many descriptors.
    """
    socket.send_fds(connection, [_LENGTH.pack(len(data))], list(descriptors))
    connection.sendall(data)


def receive(connection: socket.socket) -> tuple[bytes, list[int]]:
    """A message and its descriptors, which are the caller's from then on.

    Raises:
        OSError: The other end is gone.
    """
    header, descriptors = _received(connection)
    if len(header) != _LENGTH.size:
        raise ConnectionError("the connection was closed")
    left, parts = _LENGTH.unpack(header)[0], []
    while left:
        part = connection.recv(min(left, 1 << 20))
        if not part:
            raise ConnectionError("the connection was closed")
        parts.append(part)
        left -= len(part)
    return b"".join(parts), descriptors


def _received(connection: socket.socket) -> tuple[bytes, list[int]]:
    """What came first. Descriptors are closed in programs that start meanwhile, which ``recv_fds`` cannot do."""
    found = array.array("i")
    room = socket.CMSG_SPACE(MOST_DESCRIPTORS * found.itemsize)
    data, ancillary, _, _ = connection.recvmsg(_LENGTH.size, room, socket.MSG_CMSG_CLOEXEC)
    for level, kind, value in ancillary:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            found.frombytes(value[: len(value) - len(value) % found.itemsize])
    return data, [*found]
