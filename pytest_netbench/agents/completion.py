"""What a model answers to one request."""

from __future__ import annotations

from typing import Any

from pytest_netbench.model.base import Model

Message = dict[str, Any]


class ToolCall(Model):
    """One call the model asks for; ``arguments`` is what it wrote, valid JSON or not."""

    id: str
    name: str
    arguments: str


class Completion(Model):
    """What came back for one request. Tokens as the provider counts them, or estimated if it says nothing.

    ``thinking`` is the model's thinking as text; ``thinking_blocks`` is the form that some providers require back.
    ``duration_s`` is what the answered request took, ``waited_s`` the waits before it that a failing provider caused.
    """

    text: str = ""
    thinking: str = ""
    thinking_blocks: tuple[dict[str, Any], ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    finish_reason: str | None = None
    prompt_tokens: int = 0
    completion_tokens: int = 0
    tokens_estimated: bool = False
    cost_usd: float | None = None
    duration_s: float = 0.0
    waited_s: float = 0.0

    @property
    def tokens(self) -> int:
        """Prompt and completion tokens together."""
        return self.prompt_tokens + self.completion_tokens
