"""The ANI as an MCP server, in front of its JSON-RPC socket: tools with schemas, and the task as a prompt.

One process serves one trial. The socket's own policy, budget and trace apply. Imports the optional package ``mcp``, and
is the only place that does.
"""

from __future__ import annotations

import json
import secrets
import socket
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

import anyio
import uvicorn
from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from pytest_netbench import __version__
from pytest_netbench.ani.client import JsonRpcAni
from pytest_netbench.ani.jsonrpc import DISCOVER
from pytest_netbench.ani.methods import BUDGET_LEFT, DRAFT_TOOLS, METHODS, tool_name
from pytest_netbench.ani.submission import GET_BRIEF, TASK_DONE
from pytest_netbench.errors import AniError, BudgetExhausted, LabError
from pytest_netbench.text import encodable

PROMPT: Final = "task"
LONGEST_CALL_S: Final = 3600.0
MOST_STRUCTURED: Final = 4_000
"""Characters of the longest result of a family's method that is structured content, too.

A longer one is text alone, which all clients read. So these tools have no output schema: it would make structured
content mandatory.
"""
_ALWAYS_STRUCTURED: Final = frozenset({*METHODS, BUDGET_LEFT.name, GET_BRIEF.name, TASK_DONE.name})
INSTRUCTIONS: Final = (
    "These tools reach a network of real devices. Call get_brief first: it is the task. Call task_done when it is done."
)


def serve_stdio(path: Path) -> None:
    """Serve on standard input and output until the client goes.

    Raises:
        LabError: No ANI answers at ``path``.
    """
    with JsonRpcAni(path, timeout_s=LONGEST_CALL_S) as ani:
        server = _server(ani)

        async def run() -> None:
            async with stdio_server() as (requests, answers):
                await server.run(requests, answers, server.create_initialization_options())

        anyio.run(run)


def serve_http(path: Path, *, host: str, port: int, place: str | None = None) -> None:
    """Serve by streamable HTTP until interrupted; the first line that is printed is the URL.

    The URL contains a secret: no one else on this machine can use the tools.

    Args:
        path: Of the ANI's socket.
        host: An address of this machine.
        port: 0 for any.
        place: The path of the URL, instead of one with a secret.

    Raises:
        LabError: No ANI answers at ``path``.
        OSError: The port cannot be used.
    """
    with JsonRpcAni(path, timeout_s=LONGEST_CALL_S) as ani, socket.create_server((host, port)) as listener:
        place = place or f"/{secrets.token_urlsafe(16)}/mcp"
        app = _server(ani).streamable_http_app(streamable_http_path=place, host=host)
        print(f"http://{host}:{listener.getsockname()[1]}{place}", flush=True)
        config = uvicorn.Config(app, log_level="error", access_log=False, timeout_graceful_shutdown=1)
        uvicorn.Server(config).run(sockets=[listener])


def _server(ani: JsonRpcAni) -> Server[Any]:
    methods = _by_tool({one["name"]: one for one in ani.call(DISCOVER, {})["methods"]})
    tools = [_tool(name, method) for name, method in methods.items()]
    has_task = any(method["name"] == GET_BRIEF.name for method in methods.values())

    async def list_tools(_: Any, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=tools)

    async def call_tool(_: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        method = methods.get(params.name)
        if method is None:
            return _refused(f"unknown tool {params.name!r} (known: {', '.join(methods)})")
        return await anyio.to_thread.run_sync(partial(_call, ani, method["name"], params.arguments or {}))

    async def list_prompts(_: Any, __: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
        prompt = types.Prompt(name=PROMPT, description="The task: what is asked of you.")
        return types.ListPromptsResult(prompts=[prompt] if has_task else [])

    async def get_prompt(_: Any, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        if params.name != PROMPT or not has_task:
            raise ValueError(f"unknown prompt {params.name!r} (known: {PROMPT if has_task else 'none'})")
        brief = await anyio.to_thread.run_sync(partial(ani.call, GET_BRIEF.name, {}))
        content = types.TextContent(type="text", text=brief["text"])
        return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=content)])

    return Server(
        "netbench",
        version=__version__,
        instructions=INSTRUCTIONS if has_task else None,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
    )


def _by_tool(methods: Mapping[str, Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """The methods that are offered, by the names of their tools: ours, then the draft's where they differ."""
    ours = {tool_name(name): method for name, method in methods.items()}
    drafts = {tool: methods[name] for tool, name in DRAFT_TOOLS.items() if name in methods and tool not in ours}
    return ours | {
        tool: {**method, "description": f"The same as {tool_name(method['name'])}. {method['description']}"}
        for tool, method in drafts.items()
    }


def _tool(name: str, method: Mapping[str, Any]) -> types.Tool:
    """A tool from a method of the OpenRPC document."""
    parameters = {
        "type": "object",
        "properties": {one["name"]: one["schema"] for one in method["params"]},
        "required": [one["name"] for one in method["params"] if one["required"]],
    }
    return types.Tool(
        name=name,
        description=method["description"],
        input_schema=parameters,
        output_schema=method["result"]["schema"] if method["name"] in _ALWAYS_STRUCTURED else None,
    )


def _call(ani: JsonRpcAni, method: str, params: Mapping[str, Any]) -> types.CallToolResult:
    try:
        result = ani.call(method, params)
    except BudgetExhausted as error:
        return _refused(f"{error}. The network is judged as it is now.")
    except (AniError, LabError) as error:
        return _refused(str(error))
    text = encodable(json.dumps(result, ensure_ascii=False))
    structured = result if method in _ALWAYS_STRUCTURED or len(text) <= MOST_STRUCTURED else None
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], structured_content=structured)


def _refused(why: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=why)], is_error=True)
