"""Passes bytes between a port of a node and the API server, which only this machine reaches."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from urllib.parse import urlsplit

_CHUNK = 1 << 16
_HTTPS = 443


class Relay:
    """Listens on a socket of a node. All methods run in the event loop.

    Args:
        listener: The socket, which listens.
        server: The URL of the API server.
    """

    def __init__(self, listener: socket.socket, server: str) -> None:
        split = urlsplit(server)
        self._place = split.hostname or "", split.port or _HTTPS
        self._listener = listener
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Begin."""
        self._listener.setblocking(False)
        self._server = await asyncio.start_server(self._serve, sock=self._listener)

    async def close(self) -> None:
        """End all connections. Idempotent."""
        if self._server is not None:
            self._server.close()
        for task in [*self._tasks]:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            far_reader, far_writer = await asyncio.open_connection(*self._place)
            try:
                await asyncio.gather(_pass(reader, far_writer), _pass(far_reader, writer))
            finally:
                far_writer.close()
        except (OSError, asyncio.CancelledError):
            pass
        finally:
            writer.close()
            self._tasks.discard(task)


async def _pass(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(_CHUNK):
        writer.write(data)
        await writer.drain()
    with contextlib.suppress(OSError):
        writer.write_eof() if writer.can_write_eof() else writer.close()
