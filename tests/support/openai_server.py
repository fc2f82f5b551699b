"""A real OpenAI-compatible server on loopback that answers from a script.

    with OpenAIServer([Calls(("get_topology", {})), Text("task done")]) as server:
        …  # with server.environment in os.environ, and api_base left to it

A script is a sequence of replies, one per request, or a callable that takes each request and returns its reply. A
callable keeps no state of its own and so serves several agents at once (``engineer``, ``engineers``).
"""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

CONDENSED = "Each device was configured as its intent asks, and the result was verified."


@dataclass(frozen=True)
class Text:
    """The model says something. ``None`` is an answer with nothing in it."""

    text: str | None
    finish_reason: str = "stop"
    usage: tuple[int, int] | None = (100, 10)


@dataclass(frozen=True)
class Calls:
    """The model calls tools, side by side. Arguments are a mapping, or a text that is sent as it is."""

    calls: tuple[tuple[str, Mapping[str, Any] | str], ...]
    text: str | None = None
    usage: tuple[int, int] | None = (100, 10)

    def __init__(
        self,
        *calls: tuple[str, Mapping[str, Any] | str],
        text: str | None = None,
        usage: tuple[int, int] | None = (100, 10),
    ) -> None:
        object.__setattr__(self, "calls", calls)
        object.__setattr__(self, "text", text)
        object.__setattr__(self, "usage", usage)


@dataclass(frozen=True)
class Fault:
    """The provider answers with an error. ``retry_after`` in seconds, or any text for the header."""

    status: int
    message: str = "something went wrong"
    code: str | None = None
    retry_after: float | str | None = None

    @classmethod
    def context_overflow(cls) -> Fault:
        """OpenAI's words for a conversation that is too long."""
        message = (
            "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens."
        )
        return cls(400, message, code="context_length_exceeded")


@dataclass(frozen=True)
class Hang:
    """The provider does not answer for so many seconds, or until the server is closed."""

    seconds: float = 60.0


@dataclass(frozen=True)
class Raw:
    """The provider answers 200 with these bytes, whatever they are."""

    body: bytes


@dataclass(frozen=True)
class Forever:
    """The same reply to this and all further requests."""

    reply: Reply


Reply = Text | Calls | Fault | Hang | Raw | Forever
Request = dict[str, Any]
Script = Sequence[Reply] | Callable[[Request], Reply]


@dataclass
class OpenAIServer:
    """Serves ``/v1/chat/completions`` on 127.0.0.1 while entered. ``requests`` holds the bodies so far, in order."""

    script: Script
    requests: list[Request] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)

    def __enter__(self) -> Self:
        self._lock = threading.Lock()
        self._position = 0
        self._ids = itertools.count(1)
        self._closing = threading.Event()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        """What an agent file gives as ``api_base``."""
        return f"http://127.0.0.1:{self._http.server_port}/v1"

    @property
    def environment(self) -> dict[str, str]:
        """Variables that lead a client here, for any model called ``openai/…``."""
        return {"OPENAI_API_KEY": "key-of-the-test-server", "OPENAI_API_BASE": self.url, "OPENAI_BASE_URL": self.url}

    @property
    def conversations(self) -> list[list[dict[str, Any]]]:
        """The messages of each request."""
        return [request["messages"] for request in self.requests]

    def reply_to(self, request: Request, headers: dict[str, str]) -> Reply:
        """The script's next reply."""
        with self._lock:
            self.requests.append(request)
            self.headers.append(headers)
            if callable(self.script):
                return self.script(request)
            if self._position >= len(self.script):
                return Fault(418, f"the script has only {len(self.script)} replies")
            reply = self.script[self._position]
            if isinstance(reply, Forever):
                return reply.reply
            self._position += 1
            return reply

    def body(self, request: Request, reply: Text | Calls) -> dict[str, Any]:
        """A chat completion in OpenAI's shape."""
        message: dict[str, Any] = {"role": "assistant", "content": reply.text}
        finish_reason = reply.finish_reason if isinstance(reply, Text) else "tool_calls"
        if isinstance(reply, Calls):
            message["tool_calls"] = [
                {
                    "id": f"call-{next(self._ids)}",
                    "type": "function",
                    "function": {"name": name, "arguments": _written(arguments)},
                }
                for name, arguments in reply.calls
            ]
        body: dict[str, Any] = {
            "id": f"chatcmpl-{next(self._ids)}",
            "object": "chat.completion",
            "created": 1,
            "model": request["model"],
            "choices": [{"index": 0, "message": message, "finish_reason": finish_reason}],
        }
        if reply.usage is not None:
            prompt, completion = reply.usage
            body["usage"] = {
                "prompt_tokens": prompt,
                "completion_tokens": completion,
                "total_tokens": prompt + completion,
            }
        return body

    def wait(self, seconds: float) -> None:
        """Wait so long, but not longer than the server lives."""
        self._closing.wait(seconds)


def engineer(*turns: Sequence[tuple[str, Mapping[str, Any]]], reasoning: str = CONDENSED) -> Callable[[Request], Reply]:
    """A competent engineer: makes these tool calls, one turn after the other, and then says that the task is done.

    Keeps no state: which turn it is, it sees from the conversation. Asked without tools, it explains itself.
    """

    def script(request: Request) -> Reply:
        if not request.get("tools"):
            return Text(reasoning)
        turn = sum(message["role"] == "assistant" for message in request["messages"])
        if turn < len(turns):
            return Calls(*turns[turn], text=f"Step {turn + 1}: this is what the intents need next.")
        return Text("Every intent holds: task done")

    return script


def engineers(by_task: Mapping[str, Callable[[Request], Reply]]) -> Callable[[Request], Reply]:
    """Several tasks on one server: the engineer whose task name stands in the conversation answers."""

    def script(request: Request) -> Reply:
        asked = json.dumps(request["messages"])
        for task_name, one in by_task.items():
            if json.dumps(task_name)[1:-1] in asked:
                return one(request)
        return Fault(400, f"no engineer for this task (known: {sorted(by_task)})")

    return script


def single_turn(commands: Mapping[str, Sequence[str]], reasoning: str = CONDENSED) -> Text:
    """The one answer of a competent single-turn model."""
    return Text(f"{reasoning}\n\n```json\n{json.dumps(commands, indent=1)}\n```")


def _written(arguments: Mapping[str, Any] | str) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments)


def _handler(server: OpenAIServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if not self.path.endswith("/chat/completions"):
                self._send(404, {"error": {"message": f"no such path {self.path}", "type": "invalid_request_error"}})
                return
            reply = server.reply_to(request, dict(self.headers))
            if isinstance(reply, Hang):
                server.wait(reply.seconds)
                self.close_connection = True
            elif isinstance(reply, Fault):
                error = {"message": reply.message, "type": "invalid_request_error", "param": None, "code": reply.code}
                extra = {} if reply.retry_after is None else {"Retry-After": str(reply.retry_after)}
                self._send(reply.status, {"error": error}, extra)
            elif isinstance(reply, Raw):
                self._send_bytes(200, reply.body, {})
            else:
                assert not isinstance(reply, Forever)
                self._send(200, server.body(request, reply))

        def _send(self, status: int, body: dict[str, Any], headers: Mapping[str, str] | None = None) -> None:
            self._send_bytes(status, json.dumps(body).encode(), headers or {})

        def _send_bytes(self, status: int, data: bytes, headers: Mapping[str, str]) -> None:
            self.send_response(status)
            for name, value in {
                "Content-Type": "application/json",
                "Content-Length": str(len(data)),
                **headers,
            }.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            pass

    return Handler
