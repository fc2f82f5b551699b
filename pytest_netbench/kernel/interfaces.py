"""Interfaces of the network namespace that the calling thread is in. Standard library only."""

from __future__ import annotations

import array
import errno
import fcntl
import socket
import struct
from collections.abc import Collection, Sequence

_SIOCGIFFLAGS = 0x8913
_SIOCSIFFLAGS = 0x8914
_SIOCETHTOOL = 0x8946
_IFF_UP = 0x1
_ETHTOOL_OFF = (0x1F, 0x24, 0x2C)  # STSO, SGSO, SGRO
_ETHTOOL_STATE = (0x1E, 0x23, 0x2B)  # GTSO, GGSO, GGRO
_CHECKSUMS_OFF = 0x17  # STXCSUM


def set_up(name: str) -> None:
    """Set an interface up."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        _set_up(control, name)


def plug_in(names: Sequence[str], *, summed: Collection[str] = ()) -> None:
    """Set interfaces up, with segmentation offload off, so that packets on the wire are packets.

    They are up before anything boots: a startup config that shuts one down then has the last word. Those that are
    ``summed`` send whole checksums, for a program at the other end that reads packets as they are.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        for name in names:
            for command in (*_ETHTOOL_OFF, *((_CHECKSUMS_OFF,) if name in summed else ())):
                _ethtool(control, name, command, 0)
            _set_up(control, name)


def offloads(name: str) -> tuple[int, ...]:
    """Which segmentation offloads an interface has: TCP, generic, and of receiving; each 0 or 1."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        return tuple(_ethtool(control, name, command, 0) for command in _ETHTOOL_STATE)


def set_offloads(name: str, state: Sequence[int]) -> None:
    """Set what ``offloads`` returns."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        for command, value in zip(_ETHTOOL_OFF, state, strict=True):
            _ethtool(control, name, command, value)


def _ethtool(control: socket.socket, name: str, command: int, value: int) -> int:
    """The value of an answer; 0 for what an interface does not have."""
    words = array.array("I", [command, value])
    try:
        fcntl.ioctl(control, _SIOCETHTOOL, struct.pack("16sP", name.encode(), words.buffer_info()[0]))
    except OSError as error:
        if error.errno != errno.EOPNOTSUPP:
            raise
        return 0
    return words[1]


def _set_up(control: socket.socket, name: str) -> None:
    request = struct.pack("16sH14x", name.encode(), 0)
    flags = struct.unpack("16sH14x", fcntl.ioctl(control, _SIOCGIFFLAGS, request))[1]
    fcntl.ioctl(control, _SIOCSIFFLAGS, struct.pack("16sH14x", name.encode(), flags | _IFF_UP))
