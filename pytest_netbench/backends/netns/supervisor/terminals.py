"""Pseudo-terminals of the lab. Standard library only."""

from __future__ import annotations

import fcntl
import os
import struct
import termios

from pytest_netbench.backends.netns.supervisor import roots

_UNLOCK = 0x40045431  # TIOCSPTLCK
_PEER = 0x5441  # TIOCGPTPEER
_LARGEST = 0xFFFF


def open_terminal(*, columns: int, rows: int) -> tuple[int, int]:
    """Return both ends of a new pseudo-terminal of this size, or of the nearest size there is: (master, slave)."""
    columns, rows = (max(1, min(value, _LARGEST)) for value in (columns, rows))
    master = os.open(f"{roots.PTS}/ptmx", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
    try:
        fcntl.ioctl(master, _UNLOCK, struct.pack("i", 0))
        slave = fcntl.ioctl(master, _PEER, os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
        fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    except BaseException:
        os.close(master)
        raise
    return master, slave
