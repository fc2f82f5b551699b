"""A trial by HTTP, for an agent in another container: requests to the ANI, and the checks that end its work.

Knows nothing of labs and scores, and not how checks are told from anything else.
"""

from __future__ import annotations

import json
import socket
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final, Self

HEALTH: Final = "/health"
RPC: Final = "/rpc"
CHECKS: Final = "/checks"
_LONGEST_REQUEST_S: Final = 3600.0
_MOST_BYTES: Final[Mapping[str, int]] = {RPC: 2**20, CHECKS: 2**27}


class Gateway:
    """Serves until it is closed. It says that it is healthy from ``begin`` on.

    Args:
        address: Host and port.
        accept: Returns the checks for a message that shows them, ``None`` for any other: only who has them can end the
            work.

    Raises:
        OSError: The address cannot be used.
    """

    def __init__(self, address: tuple[str, int], *, accept: Callable[[bytes], bytes | None]) -> None:
        self._accept = accept
        self._ani: Path | None = None
        self._checks: bytes | None = None
        self._came, self._judged = threading.Event(), threading.Event()
        self._verdict: tuple[int, Mapping[str, Any]] = (500, {})
        self._server = _Server(address, type("_Handler", (_Requests,), {"gateway": self}))
        self._thread = threading.Thread(target=self._server.serve_forever, name="netbench-gateway", daemon=True)
        self._thread.start()

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self._server.server_address[1])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def begin(self, ani: Path) -> None:
        """Let the agent begin: requests go to the socket ``ani``."""
        self._ani = ani

    def end(self) -> None:
        """Refuse requests from now on."""
        self._ani = None

    def wait(self, within_s: float | None = None) -> bytes | None:
        """The checks, once they come; ``None`` if they do not come in time."""
        self._came.wait(within_s)
        return self._checks

    def answer(self, status: int, verdict: Mapping[str, Any]) -> None:
        """Answer who has sent the checks, now and later."""
        self._verdict = (status, verdict)
        self._judged.set()

    def judged(self, message: bytes) -> tuple[int, Mapping[str, Any]]:
        """What whoever sends ``message`` is answered, when the work is judged."""
        checks = self._accept(message)
        if checks is None:
            return 403, {"error": "these are not the checks of this task"}
        self._checks = checks
        self._came.set()
        self._judged.wait()
        return self._verdict

    def asked(self, request: bytes) -> tuple[int, bytes]:
        """What the ANI answers to one request, a JSON text."""
        if self._ani is None:
            return 410, _text({"error": "the trial is not open"})
        line = json.dumps(json.loads(request)).encode() + b"\n"
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(_LONGEST_REQUEST_S)
            connection.connect(str(self._ani))
            connection.sendall(line)
            with connection.makefile("rb") as answers:
                answer = answers.readline()
        return (200, answer) if answer else (410, _text({"error": "the trial has ended"}))

    @property
    def is_open(self) -> bool:
        """Whether the agent may begin."""
        return self._ani is not None


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        # a client that goes is no error
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Requests(BaseHTTPRequestHandler):
    gateway: Gateway
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        is_open = self.path == HEALTH and self.gateway.is_open
        self._send(200 if is_open else 503 if self.path == HEALTH else 404, _text({"open": is_open}))

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if self.path not in _MOST_BYTES or not length.isdecimal() or int(length) > _MOST_BYTES[self.path]:
            self.close_connection = True
            self._send(413 if self.path in _MOST_BYTES else 404, _text({"error": "no such request, or too long"}))
            return
        body = self.rfile.read(int(length))
        if self.path == CHECKS:
            status, verdict = self.gateway.judged(body)
            self._send(status, _text(verdict))
            return
        try:
            self._send(*self.gateway.asked(body))
        except ValueError as error:
            self._send(400, _text({"error": f"this is no JSON: {error}"}))
        except OSError as error:
            self._send(410, _text({"error": f"the trial has ended: {error.strerror}"}))

    def _send(self, status: int, content: bytes) -> None:
        with suppress(OSError):  # the client has gone
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Keep standard error for what matters."""


def _text(data: Mapping[str, Any]) -> bytes:
    return json.dumps(data).encode()
