"""Joins scrapli's pty to a pty in a lab. Run as a program by scrapli; standard library only.

Usage: connector.py NAME TOKEN. NAME is an abstract Unix socket of the process that owns the lab. That process sends the
descriptor.
"""

from __future__ import annotations

import os
import select
import socket
import sys
import tty


def main(name: str, token: str) -> None:
    """Relay until either side ends."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.connect(f"\0{name}")
        connection.sendall(token.encode())
        _, descriptors, _, _ = socket.recv_fds(connection, 1, 1)
    (master,) = descriptors
    tty.setraw(0)
    pairs = {0: master, master: 1}
    poller = select.poll()
    for source in pairs:
        poller.register(source, select.POLLIN)
    while True:
        for source, _event in poller.poll():
            try:
                data = os.read(source, 65536)
            except OSError:
                return
            if not data:
                return
            while data:
                data = data[os.write(pairs[source], data) :]


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
