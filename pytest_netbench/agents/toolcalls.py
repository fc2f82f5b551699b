"""ANI methods as tools of a model: names that every provider accepts, and the handling of valid and invalid calls."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from pytest_netbench.agents.completion import ToolCall
from pytest_netbench.ani.methods import tool_name, wire_name
from pytest_netbench.ani.protocol import Ani
from pytest_netbench.ani.submission import misfit
from pytest_netbench.errors import AniError
from pytest_netbench.model.trial import MethodSpec
from pytest_netbench.text import encodable

TASK_DONE = "task_done"


@dataclass(frozen=True, kw_only=True)
class Answer:
    """The answer to one tool call.

    Attributes:
        call_id: The call that is answered.
        name: The name of the tool, as the model wrote it.
        content: What the model is told.
        acted: It reached the ANI.
        changed: It may have changed a device.
        done: The agent says that it is done.
    """

    call_id: str
    name: str
    content: str
    acted: bool = False
    changed: bool = False
    done: bool = False

    def message(self) -> dict[str, Any]:
        """The message that answers the call."""
        return {"role": "tool", "tool_call_id": self.call_id, "name": self.name, "content": self.content}


class Toolbox:
    """The tools of one trial: the ANI methods of its brief, and ``task_done``.

    Args:
        methods: The ANI methods.
        ani: Carries them out.
        answer: JSON Schema of the answer that ``task_done`` takes; ``None`` if the task asks for none.
    """

    def __init__(self, *, methods: Sequence[MethodSpec], ani: Ani, answer: Mapping[str, Any] | None = None) -> None:
        self._wire_names = {tool_name(method.name): method.name for method in methods}
        self._methods = tuple(methods)
        self._ani = ani
        self._schema = answer
        self.handed_in: dict[str, Any] | None = None

    @property
    def needs_answer(self) -> bool:
        """Whether the model is not done before it has handed in an answer."""
        return self._schema is not None and self.handed_in is None

    @property
    def specs(self) -> list[dict[str, Any]]:
        """The tools in OpenAI's shape."""
        return tool_specs(self._methods, self._schema)

    def answer(self, call: ToolCall) -> Answer:
        """Carry out one call. An invalid call is answered with an error.

        Raises:
            BudgetExhausted: The budget is used up.
        """
        name = tool_name(wire_name(tool_name(call.name)))
        if name == TASK_DONE:
            return self._done(call)
        if name not in self._wire_names:
            return self._refuse(call, self._unknown(name))
        try:
            params = _arguments(call)
        except ValueError as error:
            return self._refuse(call, str(error))
        try:
            content = _json(self._ani.call(self._wire_names[name], params))
        except AniError as error:
            content = _json({"error": {"code": error.code, "message": str(error)}})
        changed = self._wire_names[name] == "update-cfg"
        return Answer(call_id=call.id, name=call.name, content=content, acted=True, changed=changed)

    def _done(self, call: ToolCall) -> Answer:
        if self._schema is not None:
            try:
                self.handed_in = _answer_in(_arguments(call), self._schema)
            except ValueError as error:
                return self._refuse(call, str(error))
        return Answer(call_id=call.id, name=call.name, content=_json({"ok": True}), done=True)

    def _refuse(self, call: ToolCall, problem: str) -> Answer:
        self._ani.note(f"tool call {call.name!r} could not be carried out: {problem}")
        return Answer(call_id=call.id, name=call.name, content=_json({"error": {"message": problem}}))

    def _unknown(self, name: str) -> str:
        known = [*self._wire_names, TASK_DONE]
        near = get_close_matches(name, known, n=1)
        return f"unknown tool {name!r} (known: {', '.join(known)})." + (f" Did you mean {near[0]!r}?" if near else "")


def tool_specs(methods: Sequence[MethodSpec], answer: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    """The tools of a trial in OpenAI's shape.

    Args:
        methods: The ANI methods.
        answer: JSON Schema of the answer that ``task_done`` takes; ``None`` if the task asks for none.
    """
    tools = [_spec(tool_name(method.name), method.description, method.parameters) for method in methods]
    return [*tools, _spec(TASK_DONE, "Say that the task is done.", _parameters_of_done(answer))]


def _parameters_of_done(schema: Mapping[str, Any] | None) -> dict[str, Any]:
    reasoning = {"type": "string", "description": "what was configured and why"}
    if schema is None:
        return {"type": "object", "properties": {"reasoning": reasoning}}
    answer = {name: value for name, value in schema.items() if name != "$defs"}
    defined = {"$defs": schema["$defs"]} if "$defs" in schema else {}  # references are from the root
    properties = {"reasoning": reasoning, "answer": answer}
    return {"type": "object", "properties": properties, "required": ["answer"], **defined}


def _arguments(call: ToolCall) -> dict[str, Any]:
    try:
        params = json.loads(call.arguments or "{}")
    except ValueError as error:
        raise ValueError(f"the arguments are not valid JSON ({error}): {_excerpt(call.arguments)}") from error
    if isinstance(params, dict):
        return params
    raise ValueError(f"the arguments must be a JSON object: {_excerpt(call.arguments)}")


def _answer_in(params: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    answer = params.get("answer")
    if isinstance(answer, dict):
        if wrong := misfit(answer, schema):
            raise ValueError(wrong)
        return answer
    raise ValueError("'answer' must be a JSON object that fits its schema")


def _spec(name: str, description: str, parameters: dict[str, Any]) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


def _json(value: Any) -> str:
    return encodable(json.dumps(value, ensure_ascii=False))


def _excerpt(text: str) -> str:
    return repr(text if len(text) <= 300 else text[:300] + "…")
