"""An agent's programs in a netns node, with their standard streams as descriptors."""

from __future__ import annotations

import contextlib
import fcntl
import json
import math
import os
import struct
import termios
import threading
from collections.abc import Mapping, Sequence

from pytest_netbench.backends.netns.channel import Channel
from pytest_netbench.backends.netns.program import sandbox_of
from pytest_netbench.errors import LabError
from pytest_netbench.platforms.access import DEFAULT_LIMITS, Completed, SandboxLimits
from pytest_netbench.platforms.capabilities import TerminalSize

_LONGEST_S = 1e9  # JSON has no infinity
_END_OF_INPUT = b"\x04"
_LONGEST_STATUS = 65_536


class Streamed:
    """Implements ``platforms.capabilities.StreamedProgram``.

    Args:
        ended: The end of the supervisor's socket pair.
        streams: Standard input, output and error, or the master end of a terminal.
    """

    def __init__(self, ended: int, streams: Sequence[int]) -> None:
        self.ended = ended
        self.stdin, self.stdout = streams[0], streams[1] if len(streams) > 1 else streams[0]
        self.stderr = streams[2] if len(streams) > 2 else None
        self._open = {ended, *streams}
        self._lock = threading.Lock()
        for fd in self._open:
            os.set_blocking(fd, False)

    def status(self) -> Completed:
        with self._lock:
            try:
                said = os.read(self.ended, _LONGEST_STATUS) if self.ended in self._open else b""
            except BlockingIOError:
                raise LabError("the program has not ended") from None
            except OSError:
                said = b""
        if not said:
            raise LabError("the program's lab is gone")
        return Completed(**json.loads(said))

    def close_stdin(self) -> None:
        with self._lock:
            if self.stdin not in self._open:
                return
            if self.stdin == self.stdout:
                with contextlib.suppress(OSError):  # nobody reads
                    os.write(self.stdin, _END_OF_INPUT)
            else:
                self._open.discard(self.stdin)
                os.close(self.stdin)

    def resize(self, *, columns: int, rows: int) -> None:
        size = (max(1, min(value, 0xFFFF)) for value in (rows, columns))
        with self._lock:
            if self.stdin == self.stdout and self.stdin in self._open:
                fcntl.ioctl(self.stdin, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))

    def close(self) -> None:
        with self._lock:
            for fd in self._open:
                os.close(fd)
            self._open.clear()


class NetnsStreams:
    """Implements ``platforms.capabilities.Streams`` over the lab's supervisor.

    Args:
        channel: To it.
        node: The node's name.
    """

    def __init__(self, channel: Channel, node: str) -> None:
        self._channel = channel
        self._node = node

    def stream(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        host_name: str | None = None,
        terminal: TerminalSize | None = None,
        limits: SandboxLimits = DEFAULT_LIMITS,
    ) -> Streamed:
        _, (ended, *streams) = self._channel.call_for_fds(
            "stream",
            node=self._node,
            argv=list(argv),
            env=dict(env or {}),
            host_name=host_name,
            terminal=None if terminal is None else [terminal.columns, terminal.rows],
            lives_s=limits.timeout_s if math.isfinite(limits.timeout_s) else _LONGEST_S,
            **sandbox_of(limits),
        )
        return Streamed(ended, streams)

    def clear(self) -> None:
        self._channel.call("clear-node", node=self._node)
