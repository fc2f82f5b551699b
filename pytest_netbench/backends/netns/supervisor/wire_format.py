"""Messages between the supervisor and the process that owns the lab: a length, JSON, and at times a descriptor."""

from __future__ import annotations

import json
import struct
from typing import Any

HEADER = struct.Struct("!I")
BUILT, BEGUN = 0, -1
"""Ids of the messages that answer no request: the network stands; the supervisor has begun."""


def encode(message: dict[str, Any]) -> bytes:
    """One message as bytes."""
    body = json.dumps(message, separators=(",", ":")).encode()
    return HEADER.pack(len(body)) + body


class Decoder:
    """Bytes as they come to whole messages."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[dict[str, Any]]:
        """Messages completed by ``data``."""
        self._buffer += data
        messages = []
        while len(self._buffer) >= HEADER.size:
            (size,) = HEADER.unpack_from(self._buffer)
            if len(self._buffer) < HEADER.size + size:
                break
            messages.append(json.loads(self._buffer[HEADER.size : HEADER.size + size]))
            del self._buffer[: HEADER.size + size]
        return messages
