"""A conversation with a model and its complete record in the trace; each step has only the new messages."""

from __future__ import annotations

import hashlib
import json
import time
from typing import Any

from pytest_netbench.agents.completion import Completion, Message
from pytest_netbench.agents.failures import ContextOverflow, OutOfTime
from pytest_netbench.agents.llm import Llm
from pytest_netbench.ani.protocol import Ani
from pytest_netbench.errors import BudgetExhausted
from pytest_netbench.model.trial import Brief, Usage
from pytest_netbench.text import encodable

_KEPT_CHARACTERS = 200
_OPENING = 2
"""The system prompt and the task, which are never shortened."""
_LONGEST_ASIDE_S = 45.0


class Dialogue:
    """One conversation of an agent. ``messages`` is in OpenAI's shape.

    Args:
        llm: The model.
        brief: For the wall-time budget.
        ani: Told of each completion and of retries.
    """

    def __init__(self, *, llm: Llm, brief: Brief, ani: Ani) -> None:
        self.messages: list[Message] = []
        self.usage = Usage()
        self._llm = llm
        self._brief = brief
        self._ani = ani
        self._recorded = 0
        self._unanswered = False

    def say(self, role: str, content: str) -> None:
        """Add a message that is not the model's."""
        self.messages.append({"role": role, "content": content})

    def ask(self, **options: Any) -> Completion:
        """Let the model answer, record the answer, and add it to the conversation.

        If the conversation is too long for the model, the oldest tool outputs are shortened and it is asked once more.

        Args:
            options: Further arguments of litellm.completion, e.g. ``tools``.

        Raises:
            BudgetExhausted: Tokens or wall time are used up.
            AgentError: The conversation is too long although it was shortened.
            ProviderError: The provider kept failing.
        """
        try:
            completion = self._complete(options)
        except ContextOverflow:
            if not self._shorten():
                raise
            completion = self._complete(options)
        self._add(completion, options)
        return completion

    def ask_aside(self, prompt: str, *, compared: str) -> Completion:
        """Ask something outside the conversation. It is recorded but not charged to the budget.

        It may exceed the remaining wall time a little, so that an agent out of time can still submit.

        Args:
            prompt: What is asked.
            compared: What a cassette compares instead (see ``Llm.complete``).

        Raises:
            AgentError: The prompt is too long, or filtered, or there was no answer in time.
            ProviderError: The provider kept failing.
        """
        if self._unanswered:
            raise OutOfTime("the model did not answer before the time was over, so it is not asked once more")
        messages = [{"role": "user", "content": prompt}]
        deadline = time.monotonic() + self._time_aside()
        completion = self._llm.complete(
            messages,
            note=self._ani.note,
            wall_left=lambda: max(0.0, deadline - time.monotonic()),
            compared=[{"role": "user", "content": compared}],
        )
        self._count(completion)
        record = self._record("condense", messages, messages, completion, {})
        self._ani.add_completion(record, tokens=0)
        return completion

    def _complete(self, options: dict[str, Any]) -> Completion:
        try:
            return self._llm.complete(self.messages, note=self._ani.note, wall_left=self._wall_left, **options)
        except OutOfTime as error:
            self._unanswered = True
            allowed = self._brief.budget.wall_s
            raise BudgetExhausted("wall_s", 0.0 if allowed is None else allowed) from error

    def _time_aside(self) -> float:
        allowed = self._brief.budget.wall_s
        extra = _LONGEST_ASIDE_S if allowed is None else min(_LONGEST_ASIDE_S, 0.75 * allowed)
        return extra + (self._wall_left() or 0.0)

    def _wall_left(self) -> float | None:
        return self._ani.budget_left().get("wall_s")

    def _add(self, completion: Completion, options: dict[str, Any]) -> None:
        record = self._record("act", self.messages, self.messages[self._recorded :], completion, options)
        self.messages.append(assistant_message(completion))
        self._recorded = len(self.messages)
        self._count(completion)
        self._ani.add_completion(record, tokens=completion.tokens)

    def _count(self, completion: Completion) -> None:
        known = self.usage.completions == 0 or self.usage.cost_usd is not None
        cost = (self.usage.cost_usd or 0.0) + completion.cost_usd if known and completion.cost_usd is not None else None
        self.usage = Usage(
            completions=self.usage.completions + 1,
            prompt_tokens=self.usage.prompt_tokens + completion.prompt_tokens,
            completion_tokens=self.usage.completion_tokens + completion.completion_tokens,
            cost_usd=cost,
            waited_s=round(self.usage.waited_s + completion.waited_s, 3),
        )

    def _record(
        self, purpose: str, messages: list[Message], new: list[Message], completion: Completion, options: dict[str, Any]
    ) -> dict[str, Any]:
        return {
            "purpose": purpose,
            "model": self._llm.model,
            "messages_sha256": digest(messages),
            "messages": len(messages),
            "new_messages": list(new),
            "options_sha256": digest(options),
            "response": completion.model_dump(mode="json", include={"text", "thinking", "tool_calls"}),
            "finish_reason": completion.finish_reason,
            "usage": completion.model_dump(
                include={"prompt_tokens", "completion_tokens", "tokens_estimated", "cost_usd", "waited_s"}
            ),
            "duration_s": round(completion.duration_s, 4),
        }

    def _shorten(self) -> bool:
        """Replace the older half of the long tool outputs by a remark. False if there is none."""
        long = [
            index
            for index, message in enumerate(self.messages)
            if index >= _OPENING and message["role"] != "assistant" and len(message["content"]) > _KEPT_CHARACTERS
        ]
        oldest = long[: (len(long) + 1) // 2]
        for index in oldest:
            content = self.messages[index]["content"]
            remark = f"[{len(content)} characters were left out here to make room; ask again if they are needed]"
            self.messages[index] = {**self.messages[index], "content": remark}
        if oldest:
            self._ani.note(
                f"the conversation is too long for {self._llm.model}: shortened tool outputs {oldest} of its messages"
            )
        return bool(oldest)


def assistant_message(completion: Completion) -> Message:
    """What the model answered, as a message of the conversation."""
    message: Message = {"role": "assistant", "content": encodable(completion.text)}
    if completion.thinking_blocks:
        message["thinking_blocks"] = list(completion.thinking_blocks)
    if completion.tool_calls:
        message["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": _sendable(call.arguments)}}
            for call in completion.tool_calls
        ]
    elif not completion.text:
        message["content"] = "(empty answer)"  # several providers refuse an empty message
    return message


def _sendable(arguments: str) -> str:
    """Return arguments that every provider accepts, because some parse them. The record has the original text."""
    try:
        value = json.loads(arguments)
    except ValueError:
        return "{}"
    return encodable(arguments) if isinstance(value, dict) else "{}"


def digest(value: object) -> str:
    """First 12 hex digits of the SHA-256 of a JSON value: how a trace names messages and options."""
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()[:12]
