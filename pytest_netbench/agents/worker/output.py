"""What the process of an agent prints: shown where this process prints, so that pytest captures it with the trial."""

from __future__ import annotations

import codecs
import contextlib
import os
from collections.abc import Callable
from typing import Final, TextIO

MOST_BYTES: Final = 16 * 2**20
"""Of one process. The rest is dropped, with a line that says so."""
_CHUNK: Final = 65536


class Output:
    """One stream.

    Args:
        descriptor: The end to read from.
        stream: Where it is shown; asked each time, because pytest replaces it.
    """

    def __init__(self, descriptor: int, stream: Callable[[], TextIO]) -> None:
        os.set_blocking(descriptor, False)
        self._descriptor = descriptor
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._shown = 0
        self._closed = False

    def fileno(self) -> int:
        """The descriptor, to wait for output."""
        return self._descriptor

    def read(self) -> bool:
        """Show what there is, at most a chunk; whether there may be more later."""
        if self._closed:
            return False
        try:
            data = os.read(self._descriptor, _CHUNK)
        except BlockingIOError:
            return True
        except OSError:
            data = b""
        self._show(data)
        return bool(data)

    def drain(self) -> None:
        """Show all that is there now."""
        with contextlib.suppress(BlockingIOError):
            while not self._closed and (data := os.read(self._descriptor, _CHUNK)):
                self._show(data)

    def close(self) -> None:
        """Close the descriptor."""
        if not self._closed:
            self._closed = True
            os.close(self._descriptor)

    def _show(self, data: bytes) -> None:
        before, self._shown = self._shown, self._shown + len(data)
        if before > MOST_BYTES:
            return
        text = self._decoder.decode(data)
        if self._shown > MOST_BYTES:
            text += f"\n[netbench: the agent has printed more than {MOST_BYTES // 2**20} MiB; the rest is left out]\n"
        if text:
            with contextlib.suppress(ValueError):  # the stream of an item that has ended
                self._stream().write(text)
