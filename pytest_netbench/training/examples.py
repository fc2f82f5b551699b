"""An example for fine-tuning, in OpenAI's chat format."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

Message = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Example:
    """A conversation. Its last message is the assistant's.

    ``tools`` are those that the assistant was offered. ``parallel_tool_calls`` is ``None`` if it was not set.
    """

    messages: Sequence[Message]
    tools: Sequence[dict[str, Any]] = ()
    parallel_tool_calls: bool | None = None

    def line(self) -> str:
        """The example as a line of a JSON Lines file, without its end."""
        data: dict[str, Any] = {"messages": list(self.messages)}
        if self.tools:
            data["tools"] = list(self.tools)
        if self.tools and self.parallel_tool_calls is not None:
            data["parallel_tool_calls"] = self.parallel_tool_calls
        return json.dumps(data, ensure_ascii=False)
