"""What is compared of a request: the model, the messages without volatile parts, the tools, and the parameters."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pytest_netbench.agents.cassettes.secrets import Redaction
from pytest_netbench.agents.cassettes.volatile import Names, stable
from pytest_netbench.agents.completion import Message
from pytest_netbench.agents.keys import KEY_NAME
from pytest_netbench.text import as_plain

TRANSPORT: Final = frozenset(
    {"api_base", "base_url", "api_version", "extra_headers", "headers", "organization", "timeout", "request_timeout"}
)
"""Arguments that say where and how a request is sent, not what is asked. They may have credentials."""

_FENCED = re.compile(r"(^```[^\n]*\n)(.*?)(^```)", re.MULTILINE | re.DOTALL)
_SECONDS_LEFT = re.compile(r"(Budget left: (?:\d+ calls(?:, )?)?(?:\d+ commands(?:, )?)?)\d+ s\b")
_LEFT_OUT = re.compile(r"^\[\d+(?= characters were left out here)")
_CUT = re.compile(r"(\[netbench: cut here, )\d+ of \d+(?= bytes left out)")


@dataclass(frozen=True, kw_only=True)
class Question:
    """One request, without secrets.

    Attributes:
        model: litellm's name of the model.
        messages: The conversation as it was sent.
        tools: The tools in OpenAI's shape.
        parameters: Everything else that can change the answer, e.g. ``temperature``.
    """

    model: str
    messages: tuple[Message, ...]
    tools: tuple[dict[str, Any], ...]
    parameters: Mapping[str, Any]

    @classmethod
    def of(
        cls, *, model: str, messages: Sequence[Message], parameters: Mapping[str, Any], redaction: Redaction
    ) -> Question:
        """The question of a request.

        Args:
            model: litellm's name of the model.
            messages: The conversation.
            parameters: All further arguments of ``litellm.completion``, with ``tools``.
            redaction: Removes secrets.
        """
        kept = {
            name: value for name, value in parameters.items() if name not in TRANSPORT and not KEY_NAME.search(name)
        }
        plain = redaction.value(as_plain(kept))
        return cls(
            model=model,
            messages=tuple(redaction.value(as_plain(list(messages)))),
            tools=tuple(plain.pop("tools", None) or ()),
            parameters=plain,
        )

    @property
    def digest(self) -> str:
        """The same for requests that ask the same."""
        asked = [self.model, list(compared(self.messages)), list(self.tools), dict(self.parameters)]
        return digest(asked)


def digest(value: Any) -> str:
    """First 16 hex digits of the SHA-256 of a JSON value."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def compared(messages: Iterable[Message]) -> Iterator[Message]:
    """Yield the messages as they are compared: without the volatile parts of what devices said.

    Only messages of tools, and fenced blocks in messages behind the first answer, hold what devices said. The
    instructions, the task and the model's own messages are compared as they are.
    """
    names, answered = Names(), False
    for message in messages:
        answered = answered or message.get("role") == "assistant"
        content = message.get("content")
        if isinstance(content, str) and message.get("role") == "tool":
            yield {**message, "content": _of_tool(content, names)}
        elif isinstance(content, str) and message.get("role") == "user" and answered:
            yield {**message, "content": _of_user(content, names)}
        else:
            yield message


def _of_tool(content: str, names: Names) -> str:
    """Results of tools are JSON on one line; what follows is text."""
    return "\n".join(_unbudgeted(_line(line, names)) for line in content.split("\n"))


def _line(line: str, names: Names) -> str:
    if line.startswith(("{", "[")):
        try:
            return json.dumps(_value(json.loads(line), names), ensure_ascii=False)
        except ValueError:
            pass
    return stable(line, names)


def _value(value: Any, names: Names) -> Any:
    if isinstance(value, str):
        return _CUT.sub(r"\1…", stable(value, names))
    if isinstance(value, dict):
        return {name: _value(one, names) for name, one in value.items()}
    if isinstance(value, list):
        return [_value(one, names) for one in value]
    return value


def _of_user(content: str, names: Names) -> str:
    told = _FENCED.sub(lambda match: f"{match[1]}{stable(match[2], names)}{match[3]}", content)
    return _unbudgeted(told)


def _unbudgeted(text: str) -> str:
    return _LEFT_OUT.sub("[…", _SECONDS_LEFT.sub(r"\1… s", text))
