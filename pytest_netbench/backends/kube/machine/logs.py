"""What a container wrote: its last lines, each with its time. Pure."""

from __future__ import annotations

import time
from collections import deque
from datetime import UTC, datetime
from typing import Final, NamedTuple

MOST_BYTES: Final = 1 << 20
_LONGEST_LINE: Final = 1 << 16


class Line(NamedTuple):
    """A line, or the last part of an output that has no end of line.

    Attributes:
        moment: When it was written, in seconds since 1970.
        text: With its end of line.
    """

    moment: float
    text: bytes

    def stamped(self) -> bytes:
        """The line after its time, as the API writes it."""
        moment = datetime.fromtimestamp(self.moment, UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")
        return f"{moment}000Z ".encode() + self.text


class Log:
    """Keeps the last ``MOST_BYTES`` of an output."""

    def __init__(self) -> None:
        self._lines: deque[Line] = deque()
        self._bytes = 0
        self._dropped = 0
        self._partial = b""

    def feed(self, data: bytes, moment: float | None = None) -> None:
        """Take what was written, at a moment (now by default)."""
        moment = time.time() if moment is None else moment
        *whole, self._partial = (self._partial + data).split(b"\n")
        for text in whole:
            self._add(Line(moment, text + b"\n"))
        while len(self._partial) > _LONGEST_LINE:
            self._add(Line(moment, self._partial[:_LONGEST_LINE]))
            self._partial = self._partial[_LONGEST_LINE:]

    def finish(self) -> None:
        """Take what has no end of line as a line: nothing more is written."""
        if self._partial:
            self._add(Line(time.time(), self._partial))
            self._partial = b""

    def _add(self, line: Line) -> None:
        self._lines.append(line)
        self._bytes += len(line.text)
        while self._bytes > MOST_BYTES:
            self._bytes -= len(self._lines.popleft().text)
            self._dropped += 1

    @property
    def end(self) -> int:
        """How many lines there were ever."""
        return self._dropped + len(self._lines)

    def after(self, count: int) -> list[Line]:
        """The lines that are kept of those after the first ``count``."""
        first = max(0, count - self._dropped)
        return [line for number, line in enumerate(self._lines) if number >= first]


def new_text(before: str, now: str) -> str:
    """What was added to a text whose older part may have been dropped."""
    if now.startswith(before):
        return now[len(before) :]
    tail = before[-512:]
    found = now.rfind(tail)
    return now if found < 0 else now[found + len(tail) :]


def moment_of(line: str) -> float | None:
    """The time that a line of a pod's own program begins with."""
    try:
        return datetime.strptime(line[:20], "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC).timestamp()
    except ValueError:
        return None
