"""The steps of a trace as exports read them.

Agents of others record completions with whatever fields they like (``ani.add_completion``), so nothing is taken for
granted here: what is not of the expected shape is left out.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_netbench.ani.methods import tool_name
from pytest_netbench.model.trial import Step
from pytest_netbench.text import plain_json


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A completion. Times in wall seconds since the agent began.

    Attributes:
        began_s: When the model was asked.
        ended_s: When it had answered.
        model: litellm's name of the model; empty if it is not known.
        purpose: ``act``, or what else it was asked for.
        messages: Those since the last completion.
        text: What it said.
        thinking: What it thought.
        calls: The tools that it called: ``id``, ``name``, ``arguments``.
        finish_reason: Why it stopped.
        usage: Tokens and cost by name, as far as they are known.
    """

    began_s: float
    ended_s: float
    model: str
    purpose: str
    messages: Sequence[Mapping[str, Any]]
    text: str
    thinking: str
    calls: Sequence[Mapping[str, str]]
    finish_reason: str
    usage: Mapping[str, float]


@dataclass(frozen=True, kw_only=True)
class Requested:
    """A request to the ANI. ``error`` is ``None`` if it was answered; times as of ``Asked``."""

    began_s: float
    ended_s: float
    name: str
    params: Any
    result: Any
    error: Any

    @property
    def answer(self) -> str:
        """What the agent was told."""
        return text_of(self.result) if self.error is None else plain_json({"error": self.error})


def asked(step: Step) -> Asked:
    """Read a completion."""
    data = step.data
    response, usage = _mapping(data.get("response")), _mapping(data.get("usage"))
    return Asked(
        began_s=max(0.0, step.at_s - _seconds(data.get("duration_s"))),
        ended_s=max(0.0, step.at_s),
        model=_word(data.get("model")),
        purpose=_word(data.get("purpose")) or "act",
        messages=_mappings(data.get("new_messages")),
        text=text_of(response.get("text")),
        thinking=text_of(response.get("thinking")),
        calls=[
            {name: text_of(call.get(name)) for name in ("id", "name", "arguments")}
            for call in _mappings(response.get("tool_calls"))
        ],
        finish_reason=_word(data.get("finish_reason")),
        usage={
            name: usage[name]
            for name, kind in (("prompt_tokens", int), ("completion_tokens", int), ("cost_usd", int | float))
            if isinstance(usage.get(name), kind) and not isinstance(usage[name], bool) and 0 <= usage[name] < 2**53
        },
    )


def requested(step: Step) -> Requested:
    """Read a request to the ANI."""
    data, began = step.data, max(0.0, step.at_s)
    return Requested(
        began_s=began,
        ended_s=began + _seconds(data.get("duration_s")),
        name=tool_name(_word(data.get("method")) or "unknown"),
        params=data.get("params"),
        result=data.get("result"),
        error=data.get("error"),
    )


def text_of(value: Any) -> str:
    """Text as it is, the texts of a message in parts, and the JSON of all else."""
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
        texts = [one["text"] for one in value if isinstance(one.get("text"), str)]
        return "\n".join(texts) if texts else plain_json(value)
    return plain_json(value)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _mappings(value: Any) -> Sequence[Mapping[str, Any]]:
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list | tuple) else []


def _word(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _seconds(value: Any) -> float:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if number and math.isfinite(value) and 0 <= value < 1e9 else 0.0
