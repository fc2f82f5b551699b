"""The Task Evaluation Interface for trusted programs outside this process, on a separate socket."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytest_netbench.errors import AniError, NetbenchError
from pytest_netbench.evaluation.interface import TaskEvaluation
from pytest_netbench.lab.jsonrpc import Server
from pytest_netbench.rpccodes import Code


def serve(evaluation: TaskEvaluation, path: Path | None = None) -> Server:
    """Serve ``evaluation`` until the server is closed. Never tell an agent the path."""
    return Server(evaluation.call, path=path, error_of=_error_of)


def _error_of(error: Exception) -> Mapping[str, Any] | None:
    if not isinstance(error, NetbenchError):
        return None
    return {"code": error.code if isinstance(error, AniError) else Code.INTERNAL_ERROR, "message": str(error)}
