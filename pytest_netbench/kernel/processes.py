"""Processes by what names them for ever. Standard library only."""

from __future__ import annotations

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


def _words(pid: int) -> list[str]:
    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
        return file.read().rpartition(")")[2].split()
