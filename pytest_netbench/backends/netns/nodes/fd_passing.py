"""Passes one descriptor to a program that other code starts (scrapli starts the connector)."""

from __future__ import annotations

import contextlib
import os
import secrets
import socket
import struct
import threading

from pytest_netbench.errors import LabError

_TIMEOUT_S = 20.0


class Handover:
    """Offers ``fd`` once, on an abstract Unix socket, to a process of the same user that knows the token.

    Abstract sockets are no files: nothing is left behind, whatever happens.
    """

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self.name = f"netbench-{os.getpid()}-{secrets.token_hex(8)}"
        self.token = secrets.token_hex(16)
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(f"\0{self.name}")
        self._listener.listen(4)
        self._listener.settimeout(_TIMEOUT_S)
        self._thread = threading.Thread(target=self._serve, name="netbench-handover", daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        try:
            while not self._serve_one():
                continue
        except OSError:
            # closed, or no client came: the code that waits for the prompt reports it
            return
        finally:
            self._listener.close()

    def _serve_one(self) -> bool:
        connection, _ = self._listener.accept()
        with connection:
            connection.settimeout(_TIMEOUT_S)
            peer = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
            if peer[1] != os.geteuid() or not secrets.compare_digest(connection.recv(64), self.token.encode()):
                return False
            socket.send_fds(connection, [b"+"], [self._fd])
            return True

    def close(self) -> None:
        """Stop offering.

        Raises:
            LabError: The thread does not end.
        """
        with contextlib.suppress(OSError):  # already closed by the thread
            self._listener.shutdown(socket.SHUT_RDWR)
        self._thread.join(timeout=_TIMEOUT_S)
        if self._thread.is_alive():
            raise LabError("the handover of a session does not end")
