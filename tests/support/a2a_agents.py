"""Agents that are A2A servers, made with the SDK: ``python a2a_agents.py BEHAVIOUR PORT`` serves one."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sys

import uvicorn
from a2a.helpers import get_data_parts, get_message_text, new_data_part, new_task, new_text_message, new_text_part
from a2a.server.agent_execution import AgentExecutor
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import AgentCapabilities, AgentCard, AgentInterface, AgentSkill, Part, TaskState
from starlette.applications import Starlette


class Agent(AgentExecutor):
    """Behaves as its name says."""

    def __init__(self, behaviour: str) -> None:
        self._work = getattr(self, f"_{behaviour}".replace("-", "_"))
        self._turn = 0

    async def execute(self, context, event_queue) -> None:
        self._turn += 1
        if self._work.__name__ == "_message":
            await event_queue.enqueue_event(
                new_text_message("only a message", task_id=context.task_id, context_id=context.context_id)
            )
            return
        if context.current_task is None:
            await event_queue.enqueue_event(
                new_task(context.task_id, context.context_id, TaskState.TASK_STATE_SUBMITTED, history=[context.message])
            )
        await self._work(context, TaskUpdater(event_queue, context.task_id, context.context_id))

    async def cancel(self, context, event_queue) -> None:
        await TaskUpdater(event_queue, context.task_id, context.context_id).cancel()

    async def _message(self, context, updater) -> None: ...

    async def _by_mcp(self, context, updater) -> None:
        """Configures over MCP, and completes the task with an artifact in two chunks."""
        from mcp import Client

        (data,) = get_data_parts(context.message.parts)
        await updater.start_work(updater.new_agent_message([new_text_part("looking")]))
        async with Client(data["mcp_url"]) as client:
            for device in data["brief"]["devices"]:
                await client.call_tool("update_cfg", {"device": device, "commands": ["by a2a"]})
        await updater.add_artifact([new_text_part("configured")], artifact_id="1", name="report")
        await updater.add_artifact([new_text_part("by MCP")], artifact_id="1", append=True, last_chunk=True)
        await updater.complete()

    async def _by_socket(self, context, updater) -> None:
        """Works over the socket, and hands in an answer as data."""
        (data,) = get_data_parts(context.message.parts)

        def call(method, params):
            with socket.socket(socket.AF_UNIX) as line:
                line.connect(data["socket"])
                line.sendall(
                    json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode() + b"\n"
                )
                return json.loads(line.makefile("rb").readline())

        for device, commands in json.loads(os.environ.get("SOLUTION", "{}")).items():
            await asyncio.to_thread(call, "update-cfg", {"device": device, "commands": commands})
        handed_in = {"reasoning": "over the socket", "answer": {"fault": "x", "count": 2}}
        usage = {"completions": 1, "prompt_tokens": 10, "completion_tokens": 5}
        await updater.add_artifact([Part(text="ignored"), new_data_part({**handed_in, "usage": usage})])
        await updater.complete()

    async def _turns(self, context, updater) -> None:
        """Asks for input after each answer with commands."""
        said = get_message_text(context.message)
        if self._turn == 1:
            told = 'Look first.\n```json\n{"read": {"R1": ["show"]}}\n```'
        elif self._turn == 2:
            assert "`show` on R1" in said
            told = 'Now change.\n```json\n{"change": {"R1": ["by turns"]}, "done": true}\n```'
            await updater.add_artifact([new_text_part(told)])
            await updater.complete()
            return
        await updater.requires_input(updater.new_agent_message([new_text_part(told)]))

    async def _nonsense_turns(self, context, updater) -> None:
        await updater.requires_input(updater.new_agent_message([new_text_part("hm")]))

    async def _asks_once(self, context, updater) -> None:
        if self._turn == 1:
            await updater.requires_input(updater.new_agent_message([new_text_part("may I?")]))
            return
        await updater.add_artifact([new_text_part(f"told: {get_message_text(context.message)}")])
        await updater.complete()

    async def _asks(self, context, updater) -> None:
        await updater.requires_input(updater.new_agent_message([new_text_part("may I?")]))

    async def _failed(self, context, updater) -> None:
        await updater.failed(updater.new_agent_message([new_text_part("out of ideas")]))

    async def _canceled(self, context, updater) -> None:
        await updater.cancel()

    async def _rejected(self, context, updater) -> None:
        await updater.reject(updater.new_agent_message([new_text_part("not my job")]))

    async def _auth_required(self, context, updater) -> None:
        await updater.requires_auth()

    async def _hangs(self, context, updater) -> None:
        await updater.start_work()
        await asyncio.sleep(3600)

    async def _raises(self, context, updater) -> None:
        raise RuntimeError("a bug")

    async def _exits(self, context, updater) -> None:
        print("going down", file=sys.stderr, flush=True)
        os._exit(7)


def application(behaviour: str, url: str) -> Starlette:
    card = AgentCard(
        name=behaviour,
        description="for tests",
        version="1",
        supported_interfaces=[AgentInterface(url=url, protocol_binding="JSONRPC", protocol_version="1.0")],
        capabilities=AgentCapabilities(streaming="without-stream" not in behaviour),
        default_input_modes=["text/plain"],
        default_output_modes=["text/plain"],
        skills=[AgentSkill(id="net", name="net", description="networks", tags=["net"])],
    )
    agent = Agent(behaviour.removesuffix("-without-stream"))
    handler = DefaultRequestHandler(agent_executor=agent, task_store=InMemoryTaskStore(), agent_card=card)
    return Starlette(routes=[*create_agent_card_routes(card), *create_jsonrpc_routes(handler, rpc_url="/")])


if __name__ == "__main__":
    behaviour, port = sys.argv[1:]
    if behaviour == "does-not-start":
        sys.exit("no licence")
    uvicorn.run(
        application(behaviour, f"http://127.0.0.1:{port}/"), host="127.0.0.1", port=int(port), log_level="error"
    )
