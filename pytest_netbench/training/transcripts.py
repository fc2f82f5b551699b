"""Examples from transcripts: the conversations that models had, as they were recorded."""

from __future__ import annotations

from typing import Any

from pytest_netbench.agents.completion import Completion
from pytest_netbench.agents.dialogue import assistant_message, digest
from pytest_netbench.agents.toolcalls import tool_specs
from pytest_netbench.errors import UsageError
from pytest_netbench.model.trial import TrialRecord
from pytest_netbench.training.examples import Example, Message
from pytest_netbench.training.truth import ORACLE, of_oracle
from pytest_netbench.trial.limits import brief_for, terms_of

_PROVIDERS_OWN = frozenset({"name", "thinking_blocks"})
"""Fields of messages that OpenAI's format does not have."""


def of_record(record: TrialRecord) -> Example:
    """The example of a trial: the conversation with the model, or the solution of the oracle.

    Thinking that is not part of the answers is left out, and so is the summary that is asked for after the work.

    Raises:
        UsageError: There was no conversation, or not all of it is in the transcript.
    """
    if record.agent.strategy == ORACLE:
        return of_oracle(record)
    completions = [
        step.data for step in record.trace if step.kind == "completion" and step.data.get("purpose") == "act"
    ]
    if not completions:
        raise UsageError("the transcript has no conversation with a model")
    messages: list[Message] = []
    for data in completions:
        messages += (_plain(message) for message in data["new_messages"])
        if len(messages) != data["messages"]:
            raise UsageError("the transcript does not have the whole conversation")
        messages.append(_plain(assistant_message(Completion.model_validate(data["response"]))))
    parallel = record.agent.settings.get("parallel_tool_calls")
    return Example(messages=messages, tools=_tools(record, completions, parallel), parallel_tool_calls=parallel)


def _plain(message: Message) -> Message:
    return {name: value for name, value in message.items() if name not in _PROVIDERS_OWN}


def _tools(record: TrialRecord, completions: list[dict[str, Any]], parallel: bool | None) -> list[dict[str, Any]]:
    """The tools that the model was offered. The transcript has only their digest."""
    wanted = {data["options_sha256"] for data in completions}
    if wanted == {digest({})}:
        return []
    brief = brief_for(record.task, terms_of(record))
    tools = tool_specs(brief.methods, brief.answer)
    options: dict[str, Any] = (
        {"tools": tools} if parallel is None else {"tools": tools, "parallel_tool_calls": parallel}
    )
    if wanted != {digest(options)}:
        raise UsageError("the tools that the model was offered are not those of this version of netbench")
    return tools
