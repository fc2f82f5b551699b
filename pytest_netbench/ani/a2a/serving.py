"""The ANI as an A2A agent, in front of its JSON-RPC socket: skills are its methods, and a message is a call.

One process serves one trial. The socket's own policy, budget and trace apply.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import socket
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import uvicorn
from a2a.helpers import new_task
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.context import ServerCallContext
from a2a.server.events import EventQueue
from a2a.server.request_handlers import DefaultRequestHandlerV2
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import (
    AgentCapabilities,
    AgentCard,
    AgentInterface,
    AgentSkill,
    Message,
    Part,
    Task,
    TaskState,
)
from a2a.utils.constants import AGENT_CARD_WELL_KNOWN_PATH
from a2a.utils.errors import UnsupportedOperationError
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.types import Message as Event

from pytest_netbench import __version__
from pytest_netbench.ani.a2a.contents import data_part, objects_of, text_of, text_part
from pytest_netbench.ani.client import JsonRpcAni
from pytest_netbench.ani.jsonrpc import DISCOVER
from pytest_netbench.ani.submission import GET_BRIEF
from pytest_netbench.errors import AniError, BudgetExhausted, LabError
from pytest_netbench.lab.jsonrpc import MAX_MESSAGE_BYTES
from pytest_netbench.rpccodes import Code

LONGEST_CALL_S: Final = 3600.0
KEPT_TASKS: Final = 64
"""Tasks of A2A whose answers can be asked for again."""
JSON: Final = "application/json"
DESCRIPTION: Final = (
    "A network of real devices, and a task on it. Send a text for the task. A message with the data"
    ' {"method": …, "params": {…}} is one request; its answer is an artifact. The method rpc.discover describes all'
    " methods with their schemas."
)
_GRACE_S: Final = 1


def serve_http(path: Path, *, host: str, port: int) -> None:
    """Serve until interrupted; the first line that is printed is the base URL, below which the agent card is.

    The URL contains a secret: no one else on this machine can use the agent.

    Raises:
        LabError: No ANI answers at ``path``.
        OSError: The port cannot be used.
    """
    logging.getLogger("a2a").setLevel(logging.CRITICAL)  # it logs what clients do wrong; they are told
    with JsonRpcAni(path, timeout_s=LONGEST_CALL_S) as ani, socket.create_server((host, port)) as listener:
        place = f"/{secrets.token_urlsafe(16)}"
        url = f"http://{host}:{listener.getsockname()[1]}{place}"
        app = _application(ani, url=url, place=place, host=host)
        print(url, flush=True)
        config = uvicorn.Config(app, log_level="error", access_log=False, timeout_graceful_shutdown=2 * _GRACE_S)
        uvicorn.Server(config).run(sockets=[listener])


def _application(ani: JsonRpcAni, *, url: str, place: str, host: str) -> Starlette:
    card = _card(ani.call(DISCOVER, {})["methods"], url=url)
    handler = DefaultRequestHandlerV2(agent_executor=_Executor(ani), task_store=_Recent(), agent_card=card)
    routes = [
        *create_agent_card_routes(card, card_url=f"{place}{AGENT_CARD_WELL_KNOWN_PATH}"),
        *create_jsonrpc_routes(handler, rpc_url=place, enable_v0_3_compat=True, shutdown_grace_period=_GRACE_S),
    ]
    names = ["127.0.0.1", "localhost", "[::1]", host]
    middleware = [Middleware(TrustedHostMiddleware, allowed_hosts=names), Middleware(_Limited)]
    return Starlette(routes=routes, middleware=middleware)


def _card(methods: list[Mapping[str, Any]], *, url: str) -> AgentCard:
    return AgentCard(
        name="netbench",
        description=DESCRIPTION,
        version=__version__,
        supported_interfaces=[
            AgentInterface(url=url, protocol_binding="JSONRPC", protocol_version=version) for version in ("1.0", "0.3")
        ],
        capabilities=AgentCapabilities(streaming=True),
        default_input_modes=[JSON, "text/plain"],
        default_output_modes=[JSON, "text/plain"],
        skills=[_skill(method) for method in methods],
    )


def _skill(method: Mapping[str, Any]) -> AgentSkill:
    """A skill from a method of the OpenRPC document."""
    names = [one["name"] if one["required"] else f"{one['name']} (optional)" for one in method["params"]]
    parameters = f" Parameters: {', '.join(names)}." if names else ""
    return AgentSkill(
        id=method["name"],
        name=method["name"],
        description=f"{method['description']}{parameters}",
        tags=["network"],
        input_modes=[JSON],
        output_modes=[JSON],
    )


class _Executor(AgentExecutor):
    """Answers each message by a task that has ended: completed with an artifact, or failed with the reason."""

    def __init__(self, ani: JsonRpcAni) -> None:
        self._ani = ani

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        message = context.message or Message()
        task_id, context_id = context.task_id or "", context.context_id or ""
        await event_queue.enqueue_event(new_task(task_id, context_id, TaskState.TASK_STATE_WORKING, history=[message]))
        updater = TaskUpdater(event_queue, task_id, context_id)
        try:
            name, parts = await asyncio.to_thread(self._answer, message)
        except (AniError, BudgetExhausted, LabError) as error:
            await updater.failed(updater.new_agent_message(_refusal(error)))
            return
        await updater.add_artifact(parts, name=name)
        await updater.complete()

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        raise UnsupportedOperationError("a request to the network cannot be taken back")

    def _answer(self, message: Message) -> tuple[str, list[Part]]:
        requests = objects_of(message.parts)
        if not requests and text_of(message.parts).strip():
            brief = self._ani.call(GET_BRIEF.name, {})
            return GET_BRIEF.name, [text_part(brief["text"]), data_part(brief["brief"])]
        if len(requests) != 1:
            raise AniError(
                f"a message has one request, this one has {len(requests)}; expected the data"
                ' {"method": …, "params": {…}}, or a text, which asks for the task',
                code=Code.INVALID_REQUEST,
            )
        method, params = _request(requests[0])
        return method, [data_part(self._ani.call(method, params))]


def _request(request: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    unknown = sorted(set(request) - {"method", "params"})
    if unknown:
        raise AniError(f"a request has no {unknown[0]!r} (known: 'method', 'params')", code=Code.INVALID_REQUEST)
    method, params = request.get("method"), request.get("params", {})
    if not isinstance(method, str) or not isinstance(params, dict):
        raise AniError("'method' must be a text, and 'params' an object", code=Code.INVALID_REQUEST)
    return method, params


def _refusal(error: AniError | BudgetExhausted | LabError) -> list[Part]:
    if isinstance(error, BudgetExhausted):
        words = f"{error}. The network is judged as it is now."
        code: int = Code.BUDGET_EXHAUSTED
    else:
        words = str(error)
        code = error.code if isinstance(error, AniError) else Code.INTERNAL_ERROR
    return [text_part(words), data_part({"error": {"code": int(code), "message": words}})]


class _Recent(InMemoryTaskStore):
    """Keeps the latest tasks only: an answer may be long, and there may be many."""

    def __init__(self) -> None:
        super().__init__()
        self._order: deque[str] = deque()

    async def save(self, task: Task, context: ServerCallContext) -> None:
        await super().save(task, context)
        if task.id not in self._order:
            self._order.append(task.id)
        while len(self._order) > KEPT_TASKS:
            await self.delete(self._order.popleft(), context)


class _Limited:
    """Refuses a request that is longer than one to the socket may be."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        body = bytearray()
        while True:
            event = await receive()
            if event["type"] != "http.request":
                return  # the client is gone
            body += event.get("body", b"")
            if len(body) > MAX_MESSAGE_BYTES:
                words = f"a message has at most {MAX_MESSAGE_BYTES} bytes"
                await PlainTextResponse(words, status_code=413)(scope, receive, send)
                return
            if not event.get("more_body", False):
                break
        pending: deque[Event] = deque([{"type": "http.request", "body": bytes(body), "more_body": False}])

        async def once() -> Event:
            return pending.popleft() if pending else await receive()

        await self._app(scope, once, send)
