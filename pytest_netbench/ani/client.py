"""A client of the ANI's socket for external programs. Needs only the standard library."""

from __future__ import annotations

import itertools
import json
import socket
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self, cast

from pytest_netbench.errors import AniError, BudgetExhausted, LabError
from pytest_netbench.rpccodes import Code


class JsonRpcAni:
    """The four methods over the socket at ``path``. May be shared by threads; requests go one at a time.

    Raises the same errors as the ANI in process: ``AniError``, ``BudgetExhausted``, and ``LabError`` if the lab or the
    connection is gone.
    """

    def __init__(self, path: Path | str, *, timeout_s: float = 120.0) -> None:
        self._path = str(path)
        self._lock = threading.Lock()
        self._ids = itertools.count(1)
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(timeout_s)
        try:
            self._socket.connect(self._path)
        except OSError as error:
            self._socket.close()
            raise LabError(f"no ANI answers at {path}: {error}") from error
        self._answers = self._socket.makefile("rb")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the connection."""
        self._answers.close()
        self._socket.close()

    def get_topology(self, devices: Sequence[str] = ()) -> dict[str, Any]:
        return self.call("get-topology", {"devices": list(devices)})

    def get_running_cfg(self, device: str) -> dict[str, Any]:
        return self.call("get-running-cfg", {"device": device})

    def update_cfg(self, device: str, commands: Sequence[str]) -> dict[str, Any]:
        return self.call("update-cfg", {"device": device, "commands": list(commands)})

    def execute_cmd(self, device: str, command: str) -> dict[str, Any]:
        return self.call("execute-cmd", {"device": device, "command": command})

    def budget_left(self) -> dict[str, float | None]:
        return self.call("budget-left", {})

    def call(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """One request by its wire name."""
        with self._lock:
            request = {"jsonrpc": "2.0", "method": method, "params": params, "id": next(self._ids)}
            try:
                self._socket.sendall(json.dumps(request).encode() + b"\n")
                line = self._answers.readline()
            except OSError as error:
                raise LabError(f"the ANI at {self._path} did not answer {method}: {error}") from error
        if not line:
            raise LabError(f"the ANI at {self._path} closed the connection at {method}")
        answer = json.loads(line)
        if "error" in answer:
            raise _error(answer["error"])
        return cast("dict[str, Any]", answer["result"])


def _error(error: Mapping[str, Any]) -> AniError | BudgetExhausted | LabError:
    code, message = error["code"], error["message"]
    if code == Code.BUDGET_EXHAUSTED and "data" in error:
        return BudgetExhausted(error["data"]["limit"], error["data"]["allowed"])
    return LabError(message) if code == Code.INTERNAL_ERROR else AniError(message, code=code)
