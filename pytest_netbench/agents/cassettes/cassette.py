"""A cassette: what a model answered in one trial. Frozen models; no I/O."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, Literal

from pydantic import Field

from pytest_netbench.agents.cassettes.question import Question, digest
from pytest_netbench.agents.completion import Completion, Message
from pytest_netbench.agents.failures import ContextOverflow, OutOfTime
from pytest_netbench.errors import AgentError, ProviderError
from pytest_netbench.model.base import Model

FORMAT: Final = 1
_KINDS: Final = {
    "overflow": ContextOverflow,
    "out-of-time": OutOfTime,
    "filter": AgentError,
    "provider": ProviderError,
}


class Refusal(Model):
    """A request that was not answered, and the trial went on."""

    kind: Literal["overflow", "out-of-time", "filter", "provider"]
    message: str

    @classmethod
    def of(cls, error: Exception) -> Refusal:
        """What ``error`` of the model client means."""
        kind = next(name for name, one in _KINDS.items() if isinstance(error, one))
        return cls.model_validate({"kind": kind, "message": str(error)})

    def error(self) -> Exception:
        """The error to raise again."""
        return _KINDS[self.kind](self.message)


class Entry(Model):
    """One request and its answer. Messages are those behind the first ``same`` ones of the entry before."""

    model: str
    parameters: dict[str, Any] = {}
    tools: str | None = Field(None, description="key in the cassette's `tools`")
    same: int = Field(0, ge=0)
    messages: tuple[Message, ...]
    answer: Completion | None = None
    refusal: Refusal | None = None


class Cassette(Model):
    """The requests of one trial in their order. ``out_of_time``: the trial ended because its wall time was over."""

    format: Literal[1]
    netbench: str
    recorded_at: str
    agent: str
    task: str
    task_digest: str
    trial: int
    out_of_time: bool = False
    tools: dict[str, tuple[dict[str, Any], ...]] = {}
    entries: tuple[Entry, ...] = ()

    def questions(self) -> Iterator[tuple[Question, Entry]]:
        """Yield each entry with its whole request.

        Raises:
            ValueError: An entry names what is not there.
        """
        before: tuple[Message, ...] = ()
        for number, entry in enumerate(self.entries, start=1):
            if entry.same > len(before) or (entry.tools is not None and entry.tools not in self.tools):
                raise ValueError(f"entry {number} refers to messages or tools that are not there")
            before = (*before[: entry.same], *entry.messages)
            tools = () if entry.tools is None else tuple(map(_renamed, self.tools[entry.tools]))
            yield Question(model=entry.model, messages=before, tools=tools, parameters=entry.parameters), entry


def _renamed(tool: dict[str, Any]) -> dict[str, Any]:
    """A tool as it is described now. Earlier versions called the ``reasoning`` of ``task_done`` ``summary``."""
    function = tool.get("function")
    if not isinstance(function, dict) or function.get("name") != "task_done":
        return tool
    parameters = function.get("parameters", {})
    properties = {
        "reasoning" if name == "summary" else name: schema for name, schema in parameters.get("properties", {}).items()
    }
    return {**tool, "function": {**function, "parameters": {**parameters, "properties": properties}}}


def entry_of(
    question: Question, before: tuple[Message, ...], *, answer: Completion | None, refusal: Refusal | None
) -> Entry:
    """The entry of a request whose predecessor had the messages ``before``."""
    same = 0
    while same < min(len(before), len(question.messages)) and before[same] == question.messages[same]:
        same += 1
    return Entry(
        model=question.model,
        parameters=dict(question.parameters),
        tools=digest(list(question.tools)) if question.tools else None,
        same=same,
        messages=question.messages[same:],
        answer=answer,
        refusal=refusal,
    )
