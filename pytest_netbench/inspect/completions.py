"""What Inspect's models answered, as steps of the trace."""

from __future__ import annotations

from typing import Any

from inspect_ai.event import ModelEvent
from inspect_ai.log import transcript
from inspect_ai.model import ChatMessage, ModelOutput

from pytest_netbench.ani.protocol import OpenAni


class Completions:
    """Carries the completions of the running sample over to the trace of its trial."""

    def __init__(self) -> None:
        self._next = 0
        self._told = 0

    def take(self, ani: OpenAni) -> None:
        """Record what was answered since the last time, and charge its tokens.

        Raises:
            BudgetExhausted: The tokens or the time are used up. All else is recorded next time.
        """
        for event in transcript().history.events_from(self._next):
            if isinstance(event, ModelEvent) and event.pending:
                return
            self._next += 1
            if isinstance(event, ModelEvent) and event.output.choices:
                data = self._data(event)
                usage = event.output.usage
                ani.add_completion(data, tokens=0 if usage is None else usage.total_tokens)

    def _data(self, event: ModelEvent) -> dict[str, Any]:
        new = event.input[self._told :] if self._told <= len(event.input) else event.input
        self._told = len(event.input) + 1  # the answer itself comes back as the next message
        output = event.output
        return {
            "purpose": "act",
            "model": event.model,
            "messages": len(event.input),
            "new_messages": [_message(one) for one in new],
            "response": {
                "text": output.completion,
                "thinking": "",
                "tool_calls": _calls(output),
            },
            "finish_reason": output.stop_reason,
            "usage": _usage(output),
            "duration_s": round(output.time or 0.0, 4),
        }


def _message(message: ChatMessage) -> dict[str, Any]:
    return {"role": message.role, "content": message.text}


def _calls(output: ModelOutput) -> list[dict[str, Any]]:
    return [
        {"id": call.id, "name": call.function, "arguments": call.arguments} for call in output.message.tool_calls or ()
    ]


def _usage(output: ModelOutput) -> dict[str, Any]:
    used = output.usage
    if used is None:
        return {"prompt_tokens": 0, "completion_tokens": 0, "cost_usd": None}
    return {
        "prompt_tokens": used.total_tokens - used.output_tokens,
        "completion_tokens": used.output_tokens,
        "cost_usd": used.total_cost,
    }
