"""JSON-RPC 2.0 messages between the process of an agent and that of the trial: one JSON text in a line."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from pytest_netbench import errors
from pytest_netbench.errors import NetbenchError
from pytest_netbench.rpccodes import Code

MAX_MESSAGE_BYTES: Final = 64 * 2**20
_CHUNK: Final = 65536


class NotAMessage(Exception):
    """What the other side sent is no message."""


class Connection:
    """One end of the socket. Messages may be sent from several threads; one thread receives.

    Args:
        end: The socket.
    """

    def __init__(self, end: socket.socket) -> None:
        self._socket = end
        self._sending = threading.Lock()
        self._received = bytearray()

    def fileno(self) -> int:
        """The descriptor, to wait for messages."""
        return self._socket.fileno()

    def send(self, message: Mapping[str, Any], *, default: Callable[[Any], Any] | None = None) -> None:
        """Send a message.

        Args:
            message: Its members, without ``jsonrpc``.
            default: Makes a JSON value of an object that is none.

        Raises:
            OSError: The other side has gone.
            TypeError: It is no JSON value.
            ValueError: The same, or it is too large.
        """
        data = json.dumps({"jsonrpc": "2.0", **message}, default=default).encode() + b"\n"
        if len(data) > MAX_MESSAGE_BYTES:
            raise ValueError(f"it has {len(data)} bytes as JSON; at most {MAX_MESSAGE_BYTES} can be sent")
        with self._sending:
            self._socket.sendall(data)

    def receive(self) -> list[dict[str, Any]] | None:
        """Read what has arrived, or wait for something; return the messages that are complete, ``None`` at the end.

        Raises:
            NotAMessage: It is none.
        """
        try:
            data = self._socket.recv(_CHUNK)
        except ConnectionError:
            data = b""
        if not data:
            return None
        self._received += data
        if b"\n" not in data:
            if len(self._received) > MAX_MESSAGE_BYTES:
                raise NotAMessage(f"more than {MAX_MESSAGE_BYTES // 2**20} MiB without the end of a line")
            return []
        *lines, rest = self._received.split(b"\n")
        self._received = bytearray(rest)
        return [_message(bytes(line)) for line in lines if line.strip()]

    def close(self) -> None:
        """Close this end."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()


def _message(line: bytes) -> dict[str, Any]:
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        message = None
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise NotAMessage(f"{line[:80]!r}")
    return message


def error_object(error: NetbenchError, *, code: int = Code.INTERNAL_ERROR) -> dict[str, Any]:
    """The error object of a response: beside the code, the class of ``error`` and its plain attributes."""
    data = {"error": type(error).__name__, "attributes": dict(_plain_attributes(error))}
    return {"code": int(code), "message": str(error), "data": data}


def error_of(told: Mapping[str, Any]) -> NetbenchError:
    """The exception that an error object tells of: a class of ``errors``, whatever the other side says."""
    data = told.get("data")
    data = data if isinstance(data, dict) else {}
    kind = getattr(errors, str(data.get("error")), None)
    if not (isinstance(kind, type) and issubclass(kind, NetbenchError)):
        kind = errors.LabError
    # their constructors differ; what they keep is told
    error = kind.__new__(kind, str(told.get("message")))
    attributes = data.get("attributes")
    vars(error).update(attributes if isinstance(attributes, dict) else {})
    return error


def _plain_attributes(error: NetbenchError) -> Iterator[tuple[str, Any]]:
    for name, value in vars(error).items():
        if name.startswith("_"):
            continue
        if value is None or isinstance(value, str | int | float):
            yield name, value
        elif isinstance(value, tuple) and all(isinstance(one, str) for one in value):
            yield name, list(value)
