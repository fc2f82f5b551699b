"""The ANI for external programs: JSON-RPC 2.0 over a Unix socket."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytest_netbench import __version__
from pytest_netbench.ani.interface import code_of
from pytest_netbench.ani.methods import BUDGET_LEFT
from pytest_netbench.ani.protocol import Ani
from pytest_netbench.ani.schema import open_rpc
from pytest_netbench.ani.wire import BudgetLeftResult
from pytest_netbench.errors import AniError, BudgetExhausted, InfrastructureError, NetbenchError
from pytest_netbench.lab.jsonrpc import Server
from pytest_netbench.rpccodes import Code

DISCOVER = "rpc.discover"


def serve(ani: Ani, path: Path | None = None) -> Server:
    """Serve ``ani`` until the server is closed.

    In addition to the methods of the ANI there are two without parameters, which cost nothing: ``budget-left`` gives an
    external agent the information that an agent in this process has, and ``rpc.discover`` returns an OpenRPC document
    of all methods that this agent may call.

    Args:
        ani: What answers; its own policy, budget and recording apply.
        path: Of the socket; ``None`` makes a private directory for it.
    """

    def handle(method: str, params: Any) -> Any:
        if method not in {BUDGET_LEFT.name, DISCOVER}:
            return ani.call(method, params)
        if params:
            raise AniError(f"{method} takes no parameters", code=Code.INVALID_PARAMS)
        if method == DISCOVER:
            return open_rpc((*ani.offered(), BUDGET_LEFT), version=__version__)
        return BudgetLeftResult.model_validate(ani.budget_left()).model_dump(mode="json")

    return Server(handle, path=path, error_of=_error_of)


def _error_of(error: Exception) -> Mapping[str, Any] | None:
    if isinstance(error, BudgetExhausted):
        data = {"limit": error.limit, "allowed": error.allowed}
        return {"code": code_of(error), "message": str(error), "data": data}
    if isinstance(error, InfrastructureError):
        # the agent must not see host error messages
        return {"code": Code.INTERNAL_ERROR, "message": "the lab failed; this trial cannot be scored"}
    return {"code": code_of(error), "message": str(error)} if isinstance(error, NetbenchError) else None
