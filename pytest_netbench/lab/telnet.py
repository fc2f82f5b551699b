"""A terminal line over telnet: the consoles of simulators, console servers, devices (RFC 854, 856, 857, 858)."""

from __future__ import annotations

import contextlib
import select
import socket
import time
from typing import Final

from pytest_netbench.errors import LabError

_IAC, _DONT, _DO, _WONT, _WILL, _SB, _SE = b"\xff", 254, 253, 252, 251, 250, 240
_BINARY, _ECHO, _GO_AHEAD = 0, 1, 3
_HIS: Final = frozenset((_BINARY, _ECHO, _GO_AHEAD))
"""Options that the other end may have: it sends bytes as they are, echoes what is typed, never waits for its turn."""
_OURS: Final = frozenset((_BINARY, _GO_AHEAD))
_READ_BYTES = 65_536
_INTRODUCTION_S = 0.3
_WRITE_S = 30.0


class TelnetLine:
    """Implements ``platforms.access.CliLine``. A line break is sent as the key Enter.

    Args:
        owner: Whose line it is, for messages.
        host: Name or address.
        port: TCP port.
        timeout_s: A connection that takes longer is an error.

    Raises:
        LabError: Nobody answers there.
    """

    def __init__(self, owner: str, host: str, port: int, *, timeout_s: float = 10.0) -> None:
        self._owner = owner
        self._pending = b""
        self._came = b""
        self._his: set[int] = set()
        self._ours: set[int] = set()
        try:
            self._socket = socket.create_connection((host, port), timeout=timeout_s)
        except OSError as error:
            raise LabError(f"{owner}: no console at {host} port {port}: {error.strerror or error}") from None
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket.setblocking(False)
        # what the other end negotiates decides how Enter is sent
        ends_at = time.monotonic() + _INTRODUCTION_S
        while not (self._his or self._ours or self._came) and (left_s := ends_at - time.monotonic()) > 0:
            if select.select([self._socket], [], [], left_s)[0]:
                self._came += self._received()

    def read(self) -> bytes:
        came, self._came = self._came, b""
        return came + self._received()

    def write(self, text: str) -> None:
        enter = b"\r" if _BINARY in self._ours else b"\r\0"
        self._send(text.encode().replace(b"\n", enter))  # no byte of UTF-8 begins a command

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def _received(self) -> bytes:
        found = b""
        while True:
            try:
                new = self._socket.recv(_READ_BYTES)
            except BlockingIOError:
                return found
            except OSError as error:
                raise self._gone(error.strerror or str(error)) from None
            if not new:
                if found:
                    return found
                raise self._gone("closed by the other end")
            found += self._without_commands(new)

    def _without_commands(self, new: bytes) -> bytes:
        """What is text; commands of the protocol are answered, and what is incomplete waits for its rest."""
        data, self._pending = self._pending + new, b""
        text = b""
        while data:
            plain, found, rest = data.partition(_IAC)
            text += plain
            if not found:
                break
            size = _size(rest)
            if size is None:
                self._pending = found + rest
                break
            command, data = rest[:size], rest[size:]
            if command == _IAC:
                text += _IAC
            elif len(command) == 2:
                self._answer(*command)
        return text if _BINARY in self._his else text.replace(b"\r\0", b"\r")

    def _answer(self, command: int, option: int) -> None:
        """Agree to what is useful and refuse all else. What is agreed is not answered again, or it would never end."""
        here = command in (_DO, _DONT)
        agreed, useful = (self._ours, _OURS) if here else (self._his, _HIS)
        yes, no = (_WILL, _WONT) if here else (_DO, _DONT)
        if command in (_DO, _WILL):
            if option in useful:
                if option not in agreed:
                    agreed.add(option)
                    self._send(_IAC + bytes((yes, option)))
            else:
                self._send(_IAC + bytes((no, option)))
        elif option in agreed:
            agreed.discard(option)
            self._send(_IAC + bytes((no, option)))

    def _send(self, data: bytes) -> None:
        ends_at = time.monotonic() + _WRITE_S
        while data:
            try:
                data = data[self._socket.send(data) :]
            except BlockingIOError:
                if not select.select([], [self._socket], [], max(0.0, ends_at - time.monotonic()))[1]:
                    raise self._gone(f"takes no keys since {_WRITE_S:g} s") from None
            except OSError as error:
                raise self._gone(error.strerror or str(error)) from None

    def _gone(self, why: str) -> LabError:
        return LabError(f"{self._owner}: the console is gone: {why}")


def _size(rest: bytes) -> int | None:
    """How many bytes a command has behind its first; ``None`` if its end has not come yet."""
    if not rest:
        return None
    if rest[0] == _SB:
        end = rest.find(_IAC + bytes((_SE,)))
        return None if end < 0 else end + 2
    size = 2 if rest[0] in (_DO, _DONT, _WILL, _WONT) else 1
    return size if len(rest) >= size else None
