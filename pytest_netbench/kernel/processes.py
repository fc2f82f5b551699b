"""Processes by what names them for ever. Standard library only."""

from __future__ import annotations

import os
import signal
from typing import NoReturn

_STATE, _START_TIME = 0, 19  # of the words behind the name in /proc/PID/stat


def started(pid: int) -> str:
    """When a process was started; with its number that names it for ever.

    Raises:
        OSError: There is no such process.
    """
    return _words(pid)[_START_TIME]


def lives(pid: int, since: str) -> bool:
    """Whether the process that was started then runs; one that has ended and that nobody has asked for does not."""
    try:
        words = _words(pid)
    except OSError:
        return False
    return words[_STATE] not in ("Z", "X") and words[_START_TIME] == since


def end_as(status: int) -> NoReturn:
    """End this process as another one ended.

    Args:
        status: Of the other one, as ``waitpid`` gives it.
    """
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        signal.signal(number, signal.SIG_DFL) if number not in (signal.SIGKILL, signal.SIGSTOP) else None
        os.kill(os.getpid(), number)
    os._exit(os.waitstatus_to_exitcode(status) & 0xFF)


def _words(pid: int) -> list[str]:
    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
        return file.read().rpartition(")")[2].split()
