"""Opens connections to a port, says nothing on them, and opens one again for each that ends.

Standard library only: it runs in nodes, from its source, by the Python that nodes have.
"""

from __future__ import annotations

import contextlib
import selectors
import socket
import sys
import time
from errno import EINPROGRESS
from typing import NoReturn

_PAUSE_S = 0.05
_AT_ONCE = 16  # of a burst, a server's queue would take some only, and the others come again after seconds
_MOST_BYTES = 4096


class Holder:
    """Connections to one address.

    Args:
        address: IPv4 address and port.
        count: How many connections are open, or being opened, at a time.
    """

    def __init__(self, address: tuple[str, int], count: int) -> None:
        self._address = address
        self._count = count
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
            else:
                one.close()

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
                one.close()


def main(target: str, port: str, count: str) -> NoReturn:
    """Hold connections until this process is ended."""
    holder = Holder((target, int(port)), int(count))
    while True:
        holder.fill()
        holder.drop_ended(_PAUSE_S)
        time.sleep(_PAUSE_S)  # a server that refuses at once must not keep a core busy


if __name__ == "__main__":
    main(*sys.argv[1:])
