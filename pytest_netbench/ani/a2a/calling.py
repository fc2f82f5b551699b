"""A conversation with an A2A agent: messages out, answers back, with limits of time and size.

Whatever the agent's server sends, refuses or leaves out is an ``AgentError``.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Final, Self, TypeVar, cast

import httpx
from a2a.client import A2ACardResolver, Client, ClientConfig, ClientFactory
from a2a.types import (
    AgentCard,
    Artifact,
    CancelTaskRequest,
    GetTaskRequest,
    Message,
    Role,
    SendMessageRequest,
    StreamResponse,
    Task,
    TaskArtifactUpdateEvent,
    TaskState,
)

from pytest_netbench.ani.a2a.contents import data_part, objects_of, text_of, text_part
from pytest_netbench.catching import Caught
from pytest_netbench.errors import AgentError, BudgetExhausted, NetbenchError

MAX_ANSWER_BYTES: Final = 16 * 2**20
"""What a server may send in one conversation."""
CARD_WITHIN_S: Final = 30.0
MAX_NOTES: Final = 100
_LOOK_S: Final = 0.05  # nothing tells that a server that starts now listens
_POLL_S: Final = 0.5  # a server that does not stream tells of its task only when it is asked
_LEAVE_S: Final = 0.5
_SHOWN: Final = 500

_GOES_ON: Final = (TaskState.TASK_STATE_UNSPECIFIED, TaskState.TASK_STATE_SUBMITTED, TaskState.TASK_STATE_WORKING)
_ANSWERED: Final = (TaskState.TASK_STATE_COMPLETED, TaskState.TASK_STATE_INPUT_REQUIRED)
_WORDS: Final = {
    TaskState.TASK_STATE_FAILED: "says that it failed",
    TaskState.TASK_STATE_CANCELED: "canceled the task",
    TaskState.TASK_STATE_REJECTED: "rejected the task",
    TaskState.TASK_STATE_AUTH_REQUIRED: "asks for credentials, which this framework does not hand out",
}

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What an agent answered to one message.

    Attributes:
        text: Of the artifacts; of the message if there are none.
        objects: The JSON objects beside the text.
        asks: It waits for another message.
    """

    text: str
    objects: tuple[dict[str, Any], ...] = ()
    asks: bool = False


class Conversation:
    """Speaks with one agent while it is open.

    Args:
        url: Of the agent; its card is at the well-known path below it.
        wall_s: The budget's wall seconds, for the error.
        wall_left: Those that are left; ``None`` is no limit.
        note: Is told of the agent and its states.
    """

    def __init__(
        self,
        url: str,
        *,
        wall_s: float | None = None,
        wall_left: Callable[[], float | None],
        note: Callable[[str], None] | None = None,
    ) -> None:
        self._url = url
        self._wall_s = wall_s
        self._wall_left = wall_left
        self._note = note or _nobody
        self._notes = 0
        self._context_id = str(uuid.uuid4())
        self._task_id = ""
        self._client: Client | None = None
        self._runner = asyncio.Runner()
        self._received = _Received()
        self._http: httpx.AsyncClient | None = None

    def __enter__(self) -> Self:
        self._runner.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._runner.run(self._left())
        finally:
            self._runner.__exit__(kind, error, trace)

    def connect(self, *, coming: Callable[[], bool] | None = None) -> None:
        """Read the agent's card.

        Args:
            coming: Whether a server that does not answer yet may still do so; by default it may not.

        Raises:
            AgentError: There is no card, or none that can be used.
            BudgetExhausted: The time is up.
        """
        self._run(self._connected(coming or _never))

    def send(self, text: str, data: Mapping[str, Any] | None = None) -> Answer:
        """Send a message and wait for the answer.

        Raises:
            AgentError: The agent failed, refused, or broke the protocol.
            BudgetExhausted: The time is up. The agent was asked to stop.
        """
        parts = [text_part(text), *([] if data is None else [data_part(dict(data))])]
        message = Message(
            role=Role.ROLE_USER,
            message_id=str(uuid.uuid4()),
            context_id=self._context_id,
            task_id=self._task_id,
            parts=parts,
        )
        return self._run(self._exchanged(message))

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        try:
            return self._runner.run(self._in_time(work))
        except NetbenchError:
            raise
        except Exception as error:  # whatever the SDK makes of what a server sent is not our failure
            raise AgentError(f"the A2A agent at {self._url}: {_reason(error)}") from error

    async def _in_time(self, work: Coroutine[Any, Any, T]) -> T:
        task = asyncio.ensure_future(work)
        try:
            while True:
                left = self._wall_left()
                if left is not None and left <= 0:
                    raise BudgetExhausted("wall_s", self._wall_s or 0.0)
                # the clock may stand still meanwhile
                done, _ = await asyncio.wait({task}, timeout=None if left is None else max(left, _LOOK_S))
                if done:
                    return task.result()
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _connected(self, coming: Callable[[], bool]) -> None:
        self._http = _http_client(self._received)
        while True:
            may_come = coming()
            try:
                async with asyncio.timeout(CARD_WITHIN_S):
                    card = await A2ACardResolver(self._http, self._url).get_agent_card()
                break
            except TimeoutError:
                raise AgentError(f"no A2A agent card came from {self._url} within {CARD_WITHIN_S:g} s") from None
            except Exception as error:
                unreachable = isinstance(error.__cause__, httpx.ConnectError)
                if not (may_come and unreachable):
                    raise
            await asyncio.sleep(_LOOK_S)
        self._client = _client(card, self._http)
        self._say(f"A2A agent {card.name} {card.version} at {self._url}".replace("  ", " "))

    async def _exchanged(self, message: Message) -> Answer:
        client = self._client
        if client is None:
            raise AgentError("the conversation is not connected")
        reply = _Reply(self._say)
        async for event in client.send_message(SendMessageRequest(message=message)):
            reply.add(event)
            self._task_id = reply.task.id
        while reply.message is None and reply.task.status.state in _GOES_ON:
            if not reply.task.id:
                raise AgentError(f"the A2A agent at {self._url} ended its answer without a message or a task")
            await asyncio.sleep(_POLL_S)
            reply.add(StreamResponse(task=await client.get_task(GetTaskRequest(id=reply.task.id))))
        answer = self._answer(reply)
        if not answer.asks:
            self._task_id = ""  # a task that has ended takes no further message
        return answer

    def _answer(self, reply: _Reply) -> Answer:
        if reply.message is not None:
            return Answer(text=text_of(reply.message.parts), objects=tuple(objects_of(reply.message.parts)))
        status, artifacts = reply.task.status, reply.task.artifacts
        if status.state not in _ANSWERED:
            said = text_of(status.message.parts).strip() or "it gave no reason"
            what = _WORDS.get(status.state, f"is in state {status.state}")
            raise AgentError(f"the A2A agent at {self._url} {what}: {said[:_SHOWN]}")
        asks = status.state == TaskState.TASK_STATE_INPUT_REQUIRED
        parts = [part for artifact in artifacts for part in artifact.parts]
        if asks or not parts:
            parts = [*status.message.parts] or parts
        return Answer(text=text_of(parts), objects=tuple(objects_of(parts)), asks=asks)

    async def _left(self) -> None:
        """Ask the agent to stop what it still does, and close the connection."""
        client, task_id = self._client, self._task_id
        try:
            if client is not None and task_id:
                with Caught(Exception) as caught:  # it need not obey
                    async with asyncio.timeout(_LEAVE_S):
                        await client.cancel_task(CancelTaskRequest(id=task_id))
                if caught.error is not None:
                    self._say(f"A2A task {task_id} was not canceled: {_reason(caught.error)}")
        finally:
            if self._http is not None:
                await self._http.aclose()

    def _say(self, text: str) -> None:
        self._notes += 1
        if self._notes <= MAX_NOTES:
            self._note(text[:_SHOWN])


class _Reply:
    """Collects the events that answer one message."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self.task = Task()
        self.message: Message | None = None

    def add(self, event: StreamResponse) -> None:
        if event.HasField("message"):
            self.message = event.message
        elif event.HasField("task"):
            self.task = event.task
        elif event.HasField("status_update"):
            self.task.id = event.status_update.task_id
            self.task.status.CopyFrom(event.status_update.status)
            said = text_of(event.status_update.status.message.parts).strip()
            name = TaskState.Name(event.status_update.status.state).removeprefix("TASK_STATE_").lower()
            self._say(f"A2A task {name}{f': {said}' if said else ''}")
        elif event.HasField("artifact_update"):
            self.task.id = event.artifact_update.task_id
            self._add_artifact(event.artifact_update)

    def _add_artifact(self, update: TaskArtifactUpdateEvent) -> None:
        known: Artifact | None = next(
            (one for one in self.task.artifacts if one.artifact_id == update.artifact.artifact_id), None
        )
        if known is None:
            self.task.artifacts.append(update.artifact)
        elif update.append:
            known.parts.extend(update.artifact.parts)
        else:
            known.CopyFrom(update.artifact)


class _Received:
    """Counts what a server sent."""

    def __init__(self) -> None:
        self.bytes = 0

    def add(self, count: int) -> None:
        self.bytes += count
        if self.bytes > MAX_ANSWER_BYTES:
            raise AgentError(f"the A2A agent sent more than {MAX_ANSWER_BYTES // 2**20} MiB")


class _Counted(httpx.AsyncByteStream):
    def __init__(self, stream: httpx.AsyncByteStream, received: _Received) -> None:
        self._stream = stream
        self._received = received

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._stream:
            self._received.add(len(chunk))
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


class _Transport(httpx.AsyncHTTPTransport):
    """Counts answers, and takes none that is compressed: its size would be unknown."""

    def __init__(self, received: _Received) -> None:
        super().__init__(trust_env=False)
        self._received = received

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        request.headers["Accept-Encoding"] = "identity"
        response = await super().handle_async_request(request)
        if response.headers.get("Content-Encoding", "identity") != "identity":
            await response.aclose()
            raise AgentError("the A2A agent sent a compressed answer, which was not asked for")
        response.stream = _Counted(cast("httpx.AsyncByteStream", response.stream), self._received)
        return response


def _http_client(received: _Received) -> httpx.AsyncClient:
    no_limit = httpx.Timeout(None)  # the budget limits the time of an answer
    # with a transport of its own, the client uses no proxy
    return httpx.AsyncClient(transport=_Transport(received), timeout=no_limit, trust_env=False)


def _client(card: AgentCard, http: httpx.AsyncClient) -> Client:
    config = ClientConfig(httpx_client=http, supported_protocol_bindings=["JSONRPC", "HTTP+JSON"])
    return ClientFactory(config).create(card)


def _reason(error: BaseException) -> str:
    words = " ".join(str(error).split()) or type(error).__name__
    return words if len(words) <= _SHOWN else f"{words[:_SHOWN]}…"


def _nobody(_: str) -> None:
    """Nobody is told."""


def _never() -> bool:
    return False
