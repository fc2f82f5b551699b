"""The ANI for programs outside this process: JSON-RPC 2.0 over a Unix socket."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytest_netbench.ani.errors import INTERNAL_ERROR, INVALID_PARAMS
from pytest_netbench.ani.interface import code_of
from pytest_netbench.ani.protocol import Ani
from pytest_netbench.errors import AniError, BudgetExhausted, InfrastructureError, NetbenchError
from pytest_netbench.lab.jsonrpc import Server

BUDGET_LEFT = "budget-left"


def serve(ani: Ani, path: Path | None = None) -> Server:
    """Serve ``ani`` until the server is closed.

    Beside the draft's four methods there is ``budget-left`` (no parameters, costs nothing), so that an agent outside can
    know what one inside is told.

    Args:
        ani: What answers; its own policy, budget and recording apply.
        path: Of the socket; ``None`` makes a private directory for it.
    """

    def handle(method: str, params: Any) -> Any:
        if method != BUDGET_LEFT:
            return ani.call(method, params)
        if params:
            raise AniError(f"{BUDGET_LEFT} takes no parameters", code=INVALID_PARAMS)
        return ani.budget_left()

    return Server(handle, path=path, error_of=_error_of)


def _error_of(error: Exception) -> Mapping[str, Any] | None:
    if isinstance(error, BudgetExhausted):
        data = {"limit": error.limit, "allowed": error.allowed}
        return {"code": code_of(error), "message": str(error), "data": data}
    if isinstance(error, InfrastructureError):
        # the words of the host's machinery are none of the agent's business
        return {"code": INTERNAL_ERROR, "message": "the lab failed; this trial cannot be scored"}
    return {"code": code_of(error), "message": str(error)} if isinstance(error, NetbenchError) else None
