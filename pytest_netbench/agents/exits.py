"""How a process ended, in words."""

from __future__ import annotations

import signal
from typing import Final

_AS_STATUS: Final = 128
"""Shells, and bubblewrap, end with this plus the number of the signal that ended their program."""


def in_words(status: int, *, by_shell: bool = False) -> str:
    """Return ``status 3``, or ``signal 11 (SIGSEGV)``.

    Args:
        status: The exit status; negative for a signal, as ``subprocess`` has it.
        by_shell: The status may be that of a shell or of bubblewrap, which tell a signal by a status above 128.
    """
    if status < 0:
        return _signal(-status)
    if by_shell and _name(status - _AS_STATUS):
        return _signal(status - _AS_STATUS)
    return f"status {status}"


def _signal(number: int) -> str:
    name = _name(number)
    words = f"signal {number} ({name})" if name else f"signal {number}"
    killed = ": it was killed from outside, e.g. because memory ran out"
    return words + killed if number == signal.SIGKILL else words


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return ""
