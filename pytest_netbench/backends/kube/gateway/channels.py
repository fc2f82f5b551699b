"""The channels of a websocket that carry standard streams: ``v4.channel.k8s.io`` and ``v5.channel.k8s.io``."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any, Final

from aiohttp import WSMsgType, web

from pytest_netbench.errors import NetbenchError

STDIN, STDOUT, STDERR, ERROR, RESIZE, CLOSE = 0, 1, 2, 3, 4, 255
PROTOCOLS: Final = ("v5.channel.k8s.io", "v4.channel.k8s.io")
_LONGEST: Final = 1 << 20
_END_S: Final = 2.0


class Gone(NetbenchError):
    """The client has gone away."""


class Channels:
    """One websocket."""

    def __init__(self) -> None:
        self._socket = web.WebSocketResponse(protocols=PROTOCOLS, max_msg_size=_LONGEST, timeout=_END_S)

    @staticmethod
    def are_offered(request: web.BaseRequest) -> bool:
        """Whether a client asks for a websocket of this kind."""
        offered = request.headers.get("Sec-WebSocket-Protocol", "")
        return any(one in offered for one in PROTOCOLS)

    async def open(self, request: web.BaseRequest) -> None:
        """Begin."""
        await self._socket.prepare(request)

    async def send(self, channel: int, data: bytes) -> None:
        """Send to a channel, once the client takes it.

        Raises:
            Gone: There is no client any more.
        """
        try:
            await self._socket.send_bytes(bytes([channel]) + data)
        except (ConnectionError, RuntimeError) as error:
            raise Gone from error

    async def received(self) -> AsyncIterator[tuple[int, bytes]]:
        """What the client sends, by channel, until it goes away."""
        async for message in self._socket:
            data = message.data.encode() if message.type == WSMsgType.TEXT else message.data
            if message.type in (WSMsgType.TEXT, WSMsgType.BINARY) and data:
                yield data[0], data[1:]

    async def close(self, outcome: dict[str, Any]) -> web.WebSocketResponse:
        """Send how it ended, and close."""
        try:
            async with asyncio.timeout(_END_S):
                await self.send(ERROR, json.dumps(outcome).encode())
                await self._socket.close()
        except (Gone, TimeoutError):
            pass
        return self._socket


def size_of(data: bytes) -> tuple[int, int] | None:
    """Columns and rows in a message of the channel ``RESIZE``; ``None`` if it is none."""
    try:
        told = json.loads(data)
        return int(told["Width"]), int(told["Height"])
    except (ValueError, KeyError, TypeError):
        return None


def outcome(returncode: int, *, why: str = "") -> dict[str, Any]:
    """What is sent at the end of a command, by its exit status or minus the signal that ended it."""
    if returncode == 0:
        return {"metadata": {}, "status": "Success"}
    code = returncode if returncode > 0 else 128 - returncode
    return {
        "metadata": {},
        "status": "Failure",
        "reason": "NonZeroExitCode",
        "message": why or f"command terminated with non-zero exit code: exit status {code}",
        "details": {"causes": [{"reason": "ExitCode", "message": str(code)}]},
    }
