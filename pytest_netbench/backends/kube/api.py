"""Requests to the API server with all rights, for the control plane itself."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import ssl
import threading
from collections.abc import Callable, Mapping
from typing import Any, Final

from pytest_netbench.errors import LabError

_ANSWER_S: Final = 20.0
_JSON: Final = "application/json"


class Api:
    """A client that keeps one connection; for any thread.

    Args:
        connect: Returns a socket that is connected to the secure port.
        ca: The certificate of the authority, in PEM.
        token: The token of a user.
    """

    def __init__(self, connect: Callable[[], socket.socket], *, ca: str, token: str) -> None:
        self._connect = connect
        self._tls = ssl.create_default_context(cadata=ca)
        self._token = token
        self._lock = threading.Lock()
        self._kept: http.client.HTTPConnection | None = None

    def request(
        self, method: str, path: str, body: Any = None, *, kind: str = _JSON, accept: str = _JSON
    ) -> tuple[int, str]:
        """Return status and text of one request.

        Args:
            method: Of HTTP.
            path: With the query.
            body: Sent as JSON unless it is ``None``.
            kind: The media type of the body.
            accept: The media type that is asked for.

        Raises:
            LabError: There is no connection, or no answer.
        """
        headers = {"Authorization": f"Bearer {self._token}", "Accept": accept}
        data = None
        if body is not None:
            data = json.dumps(body)
            headers["Content-Type"] = kind
        with self._lock:
            try:
                if self._kept is not None:
                    with contextlib.suppress(OSError, http.client.HTTPException):  # it may have been closed meanwhile
                        return self._exchange(self._kept, method, path, data, headers)
                self.drop()
                self._kept = self._connection()
                return self._exchange(self._kept, method, path, data, headers)
            except (OSError, http.client.HTTPException) as error:
                self.drop()
                raise LabError(f"the API server does not answer {method} {path}: {error!r}") from error

    def json(self, path: str, *, accept: str = _JSON) -> Any:
        """Return the object at ``path``.

        Raises:
            LabError: The API server does not answer, or has no such object.
        """
        status, text = self.request("GET", path, accept=accept)
        if status != http.client.OK:
            raise LabError(f"the API server answers GET {path} with {status}: {text[:300]}")
        return json.loads(text)

    def drop(self) -> None:
        """Close the connection that is kept."""
        if self._kept is not None:
            self._kept.close()
            self._kept = None

    def _connection(self) -> http.client.HTTPConnection:
        raw = self._connect()
        raw.settimeout(_ANSWER_S)
        connection = http.client.HTTPConnection("127.0.0.1")
        connection.sock = self._tls.wrap_socket(raw, server_hostname="127.0.0.1")
        return connection

    @staticmethod
    def _exchange(
        connection: http.client.HTTPConnection, method: str, path: str, data: str | None, headers: Mapping[str, str]
    ) -> tuple[int, str]:
        connection.request(method, path, data, dict(headers))
        answer = connection.getresponse()
        return answer.status, answer.read().decode("utf-8", "replace")
