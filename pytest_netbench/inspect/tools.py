"""ANI methods as tools of Inspect."""

from __future__ import annotations

import json
from typing import Any

from inspect_ai.tool import Tool, ToolDef, ToolParams, ToolSource

from pytest_netbench.agents.prompting import budget_words, paragraphs
from pytest_netbench.agents.toolcalls import TASK_DONE
from pytest_netbench.ani.methods import tool_name
from pytest_netbench.ani.schema import schema_of
from pytest_netbench.errors import UsageError
from pytest_netbench.inspect.work import AT_WORK, Work
from pytest_netbench.model.trial import MethodSpec
from pytest_netbench.text import encodable
from pytest_netbench.trial import family_of


class _AniTools:
    """Asked by agents when they begin, in the context of a sample."""

    async def tools(self) -> list[Tool]:
        return tools_of(at_work())


def ani_tools() -> ToolSource:
    """Return the tools of the trial that the running sample is: what its ANI offers, and ``task_done``.

    For agents: ``react(tools=[ani_tools()], submit=False)``. A solver that uses the tools of its ``TaskState`` has them
    already.
    """
    return _AniTools()


def at_work() -> Work:
    """Return the work of the running sample.

    Raises:
        UsageError: It is no sample of a task of this package.
    """
    work = AT_WORK.get()
    if work is None:
        raise UsageError("ani_tools() are tools of the tasks of pytest_netbench: inspect eval pytest_netbench/FAMILY")
    return work


def tools_of(work: Work) -> list[Tool]:
    """Return the tools of a trial."""
    return [*(_request(work, method) for method in work.attempt.brief.methods), _task_done(work)]


def _request(work: Work, method: MethodSpec) -> Tool:
    async def execute(**kwargs: Any) -> str:
        result = await work.call(method.name, kwargs)
        left = budget_words(work.attempt.ani.budget_left())
        return paragraphs(encodable(json.dumps(result, ensure_ascii=False)), f"Budget left: {left}.")

    return _tool(execute, tool_name(method.name), method.description, method.parameters)


def _task_done(work: Work) -> Tool:
    async def execute(**kwargs: Any) -> str:
        work.hand_in(kwargs)
        return json.dumps({"ok": True})

    answer = family_of(work.attempt.task).answer
    properties: dict[str, Any] = {"reasoning": {"type": "string", "description": "what was configured and why"}}
    if answer is not None:
        properties["answer"] = {**schema_of(answer), "description": "the answer"}
    parameters = {"properties": properties, "required": [] if answer is None else ["answer"]}
    return _tool(execute, TASK_DONE, "Say that the task is done.", parameters)


def _tool(execute: Any, name: str, description: str, parameters: dict[str, Any]) -> Tool:
    """A tool whose results are never cut. Inspect asks for a description of each parameter."""
    described = {key: {"description": key.replace("_", " "), **one} for key, one in parameters["properties"].items()}
    params = ToolParams.model_validate({**parameters, "properties": described})
    return ToolDef(execute, name=name, description=description, parameters=params, max_output=0).as_tool()
