"""What happens on a pseudo-terminal, as its master end tells. Standard library only."""

from __future__ import annotations

import array
import fcntl
import os
import struct
import termios
from typing import Final, Literal

_PEER: Final = 0x5441  # TIOCGPTPEER
_SESSION: Final = 0x5429  # TIOCGSID
_LFLAG: Final = 3
_SLEEPS: Final = "S"


def foreground(master: int) -> Literal["prompt", "keys", "runs"]:
    """Return what has the terminal whose master end this is.

    ``prompt``: the leader of its session edits a line, and has read all keys. ``keys``: another program reads keys one
    by one. ``runs``: what runs reads lines or nothing. A terminal whose programs have ended ``runs``.
    """
    try:
        if termios.tcgetattr(master)[_LFLAG] & termios.ICANON:
            return "runs"
        leader, group = _number(master, _SESSION), os.tcgetpgrp(master)
        if leader != group:
            return "keys"
        return "prompt" if _sleeps(leader) and not _unread(master) else "runs"
    except (OSError, termios.error):
        return "runs"


def _number(terminal: int, request: int) -> int:
    return int(struct.unpack("i", fcntl.ioctl(terminal, request, bytes(4)))[0])


def _unread(master: int) -> bool:
    """Whether keys wait that the program has not read."""
    slave = fcntl.ioctl(master, _PEER, os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
    try:
        count = array.array("i", [0])
        fcntl.ioctl(slave, termios.FIONREAD, count)
        return count[0] > 0
    finally:
        os.close(slave)


def _sleeps(pid: int) -> bool:
    with open(f"/proc/{pid}/stat") as file:
        return file.read().rpartition(")")[2].split()[0] == _SLEEPS
