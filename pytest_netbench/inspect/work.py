"""An attempt beside Inspect's loop: requests in threads, and the end of the sample when a limit of ours is reached."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from functools import partial
from typing import Any, Final, TypeVar

import anyio
from inspect_ai.event import ModelEvent
from inspect_ai.log import transcript
from inspect_ai.model import ChatMessage, ModelOutput
from inspect_ai.tool import ToolError
from inspect_ai.util import LimitExceededError

from pytest_netbench.ani.protocol import OpenAni
from pytest_netbench.errors import AniError, BudgetExhausted
from pytest_netbench.inspect.attempt import Attempt


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


LOOK_S: Final = 1.0
"""Wall seconds after which completions are counted at the latest."""
_T = TypeVar("_T")


async def in_thread(function: Callable[[], _T]) -> _T:
    """Run what blocks in a thread that is none of those that Inspect reads and writes its files with."""
    return await anyio.to_thread.run_sync(function, limiter=anyio.CapacityLimiter(1))


class Work:
    """The agent's part of an attempt.

    Args:
        attempt: The attempt; it is begun by whoever calls.
    """

    def __init__(self, attempt: Attempt) -> None:
        self.attempt = attempt
        self.requests = 0
        """How many requests were made so far."""
        self.spent: BudgetExhausted | None = None
        """The limit of the budget that was reached, if one was."""
        self.stopped = ""
        """Why the agent was stopped before it was done; empty if it was not."""
        self._idle = self._seen = 0
        self._completions = Completions()
        self._over = anyio.Event()

    async def call(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Make one request.

        Raises:
            ToolError: It was refused.
            LabError: The lab broke, which ends the sample.
        """
        self.count()
        if self.spent is not None:
            await anyio.sleep_forever()  # the sample is being ended, see `watch`
        self.requests += 1
        try:
            return await in_thread(partial(self.attempt.ani.call, method, params))
        except BudgetExhausted as spent:
            self._end(spent)
            await anyio.sleep_forever()
            raise
        except AniError as error:
            raise ToolError(str(error)) from None

    def hand_in(self, params: dict[str, Any]) -> None:
        """Take what the agent hands in.

        Raises:
            ToolError: The task asks for an answer, and this is none.
        """
        try:
            self.attempt.hand_in(params)
        except AniError as error:
            raise ToolError(str(error)) from None

    def idle_turns(self) -> int:
        """Count a turn; return how many in a row, with this one, had no request."""
        self._idle = 0 if self.requests > self._seen else self._idle + 1
        self._seen = self.requests
        return self._idle

    def count(self) -> None:
        """Record the completions so far, and charge their tokens."""
        try:
            self._completions.take(self.attempt.ani)
        except BudgetExhausted as spent:
            self._end(spent)

    async def watch(self) -> None:
        """Wait until a limit of the budget is reached.

        Raises:
            LimitExceededError: One is; Inspect then ends the sample and scores it.
        """
        while self.spent is None:
            left = self.attempt.ani.budget_left()["wall_s"]
            if left == 0:
                allowed = self.attempt.brief.budget.wall_s
                self._end(BudgetExhausted("wall_s", allowed or 0.0))
                break
            with anyio.move_on_after(LOOK_S if left is None else min(LOOK_S, left)):
                await self._over.wait()
            self.count()
        spent = self.spent
        assert spent is not None
        raise LimitExceededError("custom", value=spent.allowed, limit=spent.allowed, message=str(spent))

    def _end(self, spent: BudgetExhausted) -> None:
        self.spent = self.spent or spent
        self._over.set()


AT_WORK: Final[ContextVar[Work | None]] = ContextVar("netbench_work", default=None)
"""The work of the sample that is running."""
