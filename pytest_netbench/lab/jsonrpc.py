"""A JSON-RPC 2.0 server over a Unix socket, independent of the methods.

Messages are JSON texts that end with a newline. A text may span lines if each line but the last is clearly incomplete
(as printed examples are). A request object with neither ``jsonrpc`` nor ``id`` is answered in the form that the draft
prints: the bare result object, or ``{"error": {...}}``.

Knows nothing of labs, agents or testcases: a handler answers, and errors that carry an integer ``code`` are answered.
"""

from __future__ import annotations

import contextlib
import json
import logging
import math
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, Protocol, Self

from pytest_netbench.errors import LabError
from pytest_netbench.lab.scratch import ScratchDirectory
from pytest_netbench.rpccodes import Code

MAX_MESSAGE_BYTES = 2**20
MAX_BATCH = 100
MAX_CLIENTS = 64
MAX_SOCKET_PATH = 107
_ANSWERED_WITHIN_S = 1.0

_log = logging.getLogger(__name__)


class Handler(Protocol):
    """Answers one request; raises for an error."""

    def __call__(self, method: str, params: Any, /) -> Any: ...


ErrorOf = Callable[[Exception], Mapping[str, Any] | None]


def plain_error(error: Exception) -> Mapping[str, Any] | None:
    """The error object for an exception that has an integer ``code``; ``None`` for any other."""
    code = getattr(error, "code", None)
    return {"code": code, "message": str(error)} if isinstance(code, int) else None


def _shut(connection: socket.socket, how: int) -> None:
    with contextlib.suppress(OSError):  # the other side may have gone already
        connection.shutdown(how)


class Server:
    """Serves until closed; each client has a separate thread, so a slow client delays no other.

    Args:
        handler: Answers requests; called from several threads at once.
        path: Of the socket; ``None`` makes a directory that only this user may enter and removes it at the end.
        error_of: Turns an exception of the handler into an error object; ``None`` from it means an internal error.
    """

    def __init__(self, handler: Handler, *, path: Path | None = None, error_of: ErrorOf = plain_error) -> None:
        self._dispatch = Dispatch(handler, error_of=error_of)
        self._own_directory: ScratchDirectory | None = None
        if path is None:
            self._own_directory = ScratchDirectory("netbench-")
            path = self._own_directory.path / "ani.sock"
        self.path = path
        self._clients: dict[threading.Thread, socket.socket] = {}
        self._lock = threading.Lock()
        self._closing = False
        self._socket = self._listen()
        self._acceptor = threading.Thread(target=self._accept, name="netbench-jsonrpc", daemon=True)
        self._acceptor.start()

    @property
    def failures(self) -> tuple[Exception, ...]:
        """Unexpected exceptions of the handler; their clients got an internal error."""
        return tuple(self._dispatch.failures)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End all connections when requests under way are answered, and remove the socket. Idempotent."""
        with self._lock:
            self._closing = True
            clients = list(self._clients.items())
        _shut(self._socket, socket.SHUT_RDWR)
        for _, connection in clients:
            _shut(connection, socket.SHUT_RD)
        self._acceptor.join()
        self._socket.close()
        ends_at = time.monotonic() + _ANSWERED_WITHIN_S
        for thread, connection in clients:
            thread.join(max(0.0, ends_at - time.monotonic()))
            _shut(connection, socket.SHUT_RDWR)  # a client that does not read
            thread.join()
        self.path.unlink(missing_ok=True)
        if self._own_directory is not None:
            self._own_directory.close()

    def _listen(self) -> socket.socket:
        listener = socket.socket(socket.AF_UNIX)
        try:
            listener.bind(str(self.path))
            self.path.chmod(0o600)
            listener.listen(MAX_CLIENTS)
        except OSError as error:
            listener.close()
            if self._own_directory is not None:
                self._own_directory.close()
            length = len(str(self.path).encode())
            hint = f": the path has {length} bytes, at most {MAX_SOCKET_PATH} work" if length > MAX_SOCKET_PATH else ""
            raise LabError(f"cannot serve JSON-RPC on {self.path}{hint}: {error}") from error
        return listener

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                if self._closing:
                    return
                raise
            with self._lock:
                if self._closing or len(self._clients) >= MAX_CLIENTS:
                    connection.close()
                    continue
                thread = threading.Thread(target=self._serve, args=(connection,), name="netbench-client", daemon=True)
                self._clients[thread] = connection
                thread.start()

    def _serve(self, connection: socket.socket) -> None:
        try:
            # a client may leave at any moment
            with connection, contextlib.suppress(OSError), connection.makefile("rb") as stream:
                for message in messages(stream):
                    answer = self._dispatch.oversized() if message is None else self._dispatch.answer(message)
                    if answer is not None:
                        connection.sendall(json.dumps(answer, allow_nan=False).encode() + b"\n")
                    if message is None:
                        return
        finally:
            with self._lock:
                self._clients.pop(threading.current_thread(), None)


def messages(stream: BinaryIO) -> Iterator[bytes | None]:
    """Messages as they arrive; ``None``, and then no more, if one is too large."""
    text = _Text()
    while line := stream.readline(MAX_MESSAGE_BYTES + 1):
        if len(text.raw) + len(line) > MAX_MESSAGE_BYTES:
            yield None
            return
        if text.add(line):
            if text.raw.strip():
                yield bytes(text.raw)
            text = _Text()
    if text.raw.strip():
        yield bytes(text.raw)


class _Text:
    """One message, read line by line. It continues after an incomplete first line until all brackets are closed."""

    def __init__(self) -> None:
        self.raw = bytearray()
        self._depth = 0
        self._in_string = self._escaped = False

    def add(self, line: bytes) -> bool:
        """Add a line; whether the message is complete."""
        if not self.raw and not line.rstrip().endswith((b"{", b"[", b",")):
            self.raw += line
            return True
        self.raw += line
        for byte in line:
            self._follow(byte)
        return self._depth <= 0 or not line.strip()

    def _follow(self, byte: int) -> None:
        if self._in_string:
            self._in_string = self._escaped or byte != ord('"')
            self._escaped = not self._escaped and byte == ord("\\")
        elif byte == ord('"'):
            self._in_string = True
        else:
            self._depth += (byte in b"{[") - (byte in b"}]")


class Dispatch:
    """From the text of a message to the value that answers it."""

    def __init__(self, handler: Handler, *, error_of: ErrorOf = plain_error) -> None:
        self._handler = handler
        self._error_of = error_of
        self.failures: list[Exception] = []

    def answer(self, message: bytes) -> Any:
        """The answer, or ``None`` if there is none to give (notifications)."""
        try:
            request = json.loads(message, parse_constant=_no_constant)
        except (ValueError, RecursionError) as error:
            return _failed(None, Code.PARSE_ERROR, f"not JSON: {error}")
        if not isinstance(request, list):
            return self._one(request)
        if not request or len(request) > MAX_BATCH:
            return _failed(None, Code.INVALID_REQUEST, f"a batch has 1 to {MAX_BATCH} requests, not {len(request)}")
        answers = [answer for one in request if (answer := self._one(one)) is not None]
        return answers or None

    @staticmethod
    def oversized() -> dict[str, Any]:
        """The answer to a message that is too large."""
        return _failed(
            None, Code.INVALID_REQUEST, f"the request is larger than {MAX_MESSAGE_BYTES} bytes; connection closed"
        )

    def _one(self, request: Any) -> Any:
        complaint = _complaint(request)
        if complaint is not None:
            identity = request.get("id") if isinstance(request, dict) else None
            return _failed(identity if _is_id(identity) else None, Code.INVALID_REQUEST, complaint)
        result, error = self._handle(request["method"], request.get("params", {}))
        if "id" in request:
            body = {"result": result} if error is None else {"error": error}
            return {"jsonrpc": "2.0", **body, "id": request["id"]}
        if "jsonrpc" in request:
            return None
        return result if error is None else {"error": error}

    def _handle(self, method: str, params: Any) -> tuple[Any, Mapping[str, Any] | None]:
        try:
            return self._handler(method, params), None
        except Exception as error:  # noqa: BLE001 - the client must get an answer; what was not foreseen is kept
            known = self._error_of(error)
            if known is not None:
                return None, known
            _log.exception("the handler of %r failed", method)
            self.failures.append(error)
            return None, {"code": Code.INTERNAL_ERROR, "message": f"internal error: {type(error).__name__}"}


def _complaint(request: Any) -> str | None:
    if not isinstance(request, dict):
        return "a request is an object"
    if request.get("jsonrpc", "2.0") != "2.0":
        return f"jsonrpc must be '2.0', not {request['jsonrpc']!r}"
    if not isinstance(request.get("method"), str):
        return "a request has a method, a string"
    if not isinstance(request.get("params", {}), dict | list):
        return "params must be an object"
    if "id" in request and not _is_id(request["id"]):
        return "an id is a string, a finite number or null"
    return None


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _is_id(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)  # 1e999 is read as infinity, and JSON cannot say that
    return value is None or (isinstance(value, str | int) and not isinstance(value, bool))


def _failed(identity: Any, code: int, message: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "error": {"code": code, "message": message}, "id": identity}
