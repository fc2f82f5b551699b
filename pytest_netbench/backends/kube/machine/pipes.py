"""Non-blocking descriptors in an event loop."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from typing import Any, Final

MOST: Final = 65_536


async def read(fd: int, most: int = MOST) -> bytes:
    """What can be read next, at most ``most`` bytes; empty at the end."""
    loop = asyncio.get_running_loop()
    while True:
        try:
            return os.read(fd, most)
        except BlockingIOError:
            await _ready(fd, loop.add_reader, loop.remove_reader)
        except OSError:  # a terminal whose program has ended
            return b""


async def write(fd: int, data: bytes) -> None:
    """Write all of ``data``.

    Raises:
        OSError: Nobody reads it.
    """
    loop = asyncio.get_running_loop()
    while data:
        try:
            data = data[os.write(fd, data) :]
        except BlockingIOError:
            await _ready(fd, loop.add_writer, loop.remove_writer)


async def readable(fd: int) -> None:
    """Return once something can be read, or the end."""
    loop = asyncio.get_running_loop()
    await _ready(fd, loop.add_reader, loop.remove_reader)


async def _ready(fd: int, add: Callable[..., None], remove: Callable[[int], Any]) -> None:
    ready = asyncio.Event()
    add(fd, ready.set)
    try:
        await ready.wait()
    finally:
        remove(fd)
