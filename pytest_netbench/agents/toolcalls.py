"""ANI methods as tools of a model: names that every provider accepts, and the handling of valid and invalid calls."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from pytest_netbench.agents.llm import ToolCall
from pytest_netbench.ani.protocol import Ani
from pytest_netbench.errors import AniError
from pytest_netbench.model.trial import MethodSpec
from pytest_netbench.text import encodable

TASK_DONE = "task_done"


@dataclass(frozen=True, kw_only=True)
class Answer:
    """The answer to one tool call. ``acted``: it reached the ANI. ``done``: the agent says that it is done."""

    call_id: str
    name: str
    content: str
    acted: bool = False
    done: bool = False

    def message(self) -> dict[str, Any]:
        """The message that answers the call."""
        return {"role": "tool", "tool_call_id": self.call_id, "name": self.name, "content": self.content}


class Toolbox:
    """The tools of one trial: the ANI methods of its brief, and ``task_done``."""

    def __init__(self, *, methods: Sequence[MethodSpec], ani: Ani) -> None:
        self._wire_names = {tool_name(method.name): method.name for method in methods}
        self._methods = tuple(methods)
        self._ani = ani

    @property
    def specs(self) -> list[dict[str, Any]]:
        """The tools in OpenAI's shape."""
        tools = [_spec(tool_name(method.name), method.description, method.parameters) for method in self._methods]
        summary = {"summary": {"type": "string", "description": "what was configured and why"}}
        done = _spec(TASK_DONE, "Say that the task is done.", {"type": "object", "properties": summary})
        return [*tools, done]

    def answer(self, call: ToolCall) -> Answer:
        """Carry out one call. An invalid call is answered with an error.

        Raises:
            BudgetExhausted: The budget is used up.
        """
        name = tool_name(call.name)
        if name == TASK_DONE:
            return Answer(call_id=call.id, name=call.name, content=_json({"ok": True}), done=True)
        if name not in self._wire_names:
            return self._refuse(call, self._unknown(name))
        try:
            params = json.loads(call.arguments or "{}")
        except ValueError as error:
            return self._refuse(call, f"the arguments are not valid JSON ({error}): {_excerpt(call.arguments)}")
        if not isinstance(params, dict):
            return self._refuse(call, f"the arguments must be a JSON object: {_excerpt(call.arguments)}")
        try:
            content = _json(self._ani.call(self._wire_names[name], params))
        except AniError as error:
            content = _json({"error": {"code": error.code, "message": str(error)}})
        return Answer(call_id=call.id, name=call.name, content=content, acted=True)

    def _refuse(self, call: ToolCall, problem: str) -> Answer:
        self._ani.note(f"tool call {call.name!r} could not be carried out: {problem}")
        return Answer(call_id=call.id, name=call.name, content=_json({"error": {"message": problem}}))

    def _unknown(self, name: str) -> str:
        known = [*self._wire_names, TASK_DONE]
        near = get_close_matches(name, known, n=1)
        return f"unknown tool {name!r} (known: {', '.join(known)})." + (f" Did you mean {near[0]!r}?" if near else "")


def tool_name(wire_name: str) -> str:
    """``get-topology`` as ``get_topology``: not every provider takes a hyphen."""
    return wire_name.replace("-", "_")


def _spec(name: str, description: str, parameters: dict[str, Any]) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


def _json(value: Any) -> str:
    return encodable(json.dumps(value, ensure_ascii=False))


def _excerpt(text: str) -> str:
    return repr(text if len(text) <= 300 else text[:300] + "…")
