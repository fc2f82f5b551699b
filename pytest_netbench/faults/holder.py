"""Opens connections to a port, holds them, and opens one again for each that ends.

It says nothing on them, or makes a request of each that has always one more line.

Standard library only: it runs in nodes, from its source, by the Python that nodes have.
"""

from __future__ import annotations

import contextlib
import selectors
import socket
import sys
import time
from collections.abc import Sequence
from errno import EINPROGRESS
from typing import NoReturn

_PAUSE_S = 0.05
_AT_ONCE = 16  # of a burst, a server's queue would take some only, and the others come again after seconds
_MOST_BYTES = 4096
_PACE_S = 10.0  # servers wait longer for a line


class Holder:
    """Connections to one address.

    Args:
        address: IPv4 address and port.
        count: How many connections are open, or being opened, at a time.
        lines: What is said on each, one at a time, the last one again and again.
        pace_s: Wall seconds between two lines.
    """

    def __init__(
        self, address: tuple[str, int], count: int, lines: Sequence[str] = (), pace_s: float = _PACE_S
    ) -> None:
        self._address = address
        self._count = count
        self._lines = [f"{line}\r\n".encode() for line in lines]
        self._pace_s = pace_s
        self._said: dict[socket.socket, tuple[int, float]] = {}  # how many lines, and when the next one is due
        self._selector = selectors.DefaultSelector()

    @property
    def held(self) -> int:
        """How many connections are open, or being opened."""
        return len(self._selector.get_map())

    def fill(self) -> None:
        """Open some of the connections that are lacking."""
        for _ in range(min(_AT_ONCE, self._count - self.held)):
            one = socket.socket()
            one.setblocking(False)
            if one.connect_ex(self._address) in (0, EINPROGRESS):
                self._selector.register(one, selectors.EVENT_READ)
                self._said[one] = (0, 0.0)
            else:
                one.close()

    def say(self) -> None:
        """Say the lines that are due."""
        now = time.monotonic()
        for one, (count, due_at) in self._said.items():
            if self._lines and due_at <= now:
                with contextlib.suppress(OSError):  # it is not open yet, or has ended
                    one.send(self._lines[min(count, len(self._lines) - 1)])
                    self._said[one] = (count + 1, now + self._pace_s)

    def drop_ended(self, patience_s: float) -> None:
        """Wait until some connections end, ``patience_s`` at most, and forget them."""
        for key, _ in self._selector.select(patience_s):
            one = key.fileobj
            assert isinstance(one, socket.socket)
            said = b""
            with contextlib.suppress(OSError):
                said = one.recv(_MOST_BYTES)
            if not said:
                self._selector.unregister(one)
                del self._said[one]
                one.close()


def main(target: str, port: str, count: str, *lines: str) -> NoReturn:
    """Hold connections until this process is ended."""
    holder = Holder((target, int(port)), int(count), lines)
    while True:
        holder.fill()
        holder.say()
        holder.drop_ended(_PAUSE_S)
        time.sleep(_PAUSE_S)  # a server that refuses at once must not keep a core busy


if __name__ == "__main__":
    main(*sys.argv[1:])
