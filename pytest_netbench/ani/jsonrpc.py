"""The ANI for external programs: JSON-RPC 2.0 over a Unix socket."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pytest_netbench import __version__
from pytest_netbench.ani.interface import code_of
from pytest_netbench.ani.methods import BUDGET_LEFT
from pytest_netbench.ani.protocol import Ani
from pytest_netbench.ani.schema import open_rpc
from pytest_netbench.ani.submission import GET_BRIEF, TASK_DONE, SubmissionMethods
from pytest_netbench.ani.wire import BudgetLeftResult
from pytest_netbench.errors import AniError, BudgetExhausted, InfrastructureError, NetbenchError
from pytest_netbench.lab.jsonrpc import Server
from pytest_netbench.rpccodes import Code

DISCOVER = "rpc.discover"


def serve(ani: Ani, path: Path | None = None, *, desk: SubmissionMethods | None = None) -> Server:
    """Serve ``ani`` until the server is closed.

    In addition to the methods of the ANI there are some that cost nothing: ``budget-left`` gives an external agent the
    information that an agent in this process has, ``rpc.discover`` returns an OpenRPC document of all methods that this
    agent may call, and with a desk ``get-brief`` gives the task and ``task-done`` takes the submission.

    Args:
        ani: What answers; its own policy, budget and recording apply.
        path: Of the socket; ``None`` makes a private directory for it.
        desk: Gives the task and takes the submission; ``None`` if the program gets and gives these otherwise.
    """
    own = () if desk is None else (GET_BRIEF, TASK_DONE)

    def discover(params: Any) -> Any:
        _refuse_parameters(DISCOVER, params)
        return open_rpc((*ani.offered(), BUDGET_LEFT, *own), version=__version__)

    def budget_left(params: Any) -> Any:
        _refuse_parameters(BUDGET_LEFT.name, params)
        left = {"lab_s": None, **ani.budget_left()}  # interfaces of others may not know this limit
        return BudgetLeftResult.model_validate(left).model_dump(mode="json")

    free: dict[str, Callable[[Any], Any]] = {DISCOVER: discover, BUDGET_LEFT.name: budget_left}
    if desk is not None:
        free |= {GET_BRIEF.name: desk.get_brief, TASK_DONE.name: desk.task_done}

    def handle(method: str, params: Any) -> Any:
        if desk is not None:
            desk.refuse_if_over(method)
        answer = free.get(method)
        return ani.call(method, params) if answer is None else answer(params)

    return Server(handle, path=path, error_of=_error_of)


def _refuse_parameters(method: str, params: Any) -> None:
    if params:
        raise AniError(f"{method} takes no parameters", code=Code.INVALID_PARAMS)


def _error_of(error: Exception) -> Mapping[str, Any] | None:
    if isinstance(error, BudgetExhausted):
        data = {"limit": error.limit, "allowed": error.allowed}
        return {"code": code_of(error), "message": str(error), "data": data}
    if isinstance(error, InfrastructureError):
        # the agent must not see host error messages
        return {"code": Code.INTERNAL_ERROR, "message": "the lab failed; this trial cannot be scored"}
    return {"code": code_of(error), "message": str(error)} if isinstance(error, NetbenchError) else None
