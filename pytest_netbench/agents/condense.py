"""Condensation of a conversation to one reasoning trace (draft §3.2 step 4)."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_netbench.agents.cassettes.question import compared
from pytest_netbench.agents.completion import Message
from pytest_netbench.agents.dialogue import Dialogue
from pytest_netbench.agents.prompting import Prompt
from pytest_netbench.ani.protocol import Ani
from pytest_netbench.errors import AgentError, ProviderError

_LONGEST_RESULT = 600
_LONGEST_LOG = 60_000


def condense(dialogue: Dialogue, *, prompt: Prompt, ani: Ani) -> str | None:
    """One coherent trace of what the model thought and did; ``None`` if it neither thought nor did anything.

    If the auxiliary completion fails, the model's own texts in order are the trace, and a note says so.
    """
    spoken = thoughts(dialogue.messages)
    log = log_of(dialogue.messages)
    if not log:
        return None
    try:
        # what is cut out of a long log depends on its length, so it is compared without volatile parts
        steady = log_of(list(compared(dialogue.messages)))
        text = dialogue.ask_aside(prompt.fill(log=log), compared=prompt.fill(log=steady)).text.strip()
        problem = "" if text else "it was empty"
    except (AgentError, ProviderError) as error:
        text, problem = "", str(error)
    if text:
        return text
    ani.note(f"the reasoning could not be condensed ({problem}); it is the model's own texts instead")
    return "\n\n".join(spoken) or None


def thoughts(messages: Sequence[Message]) -> list[str]:
    """What the model said, in order."""
    texts = [message["content"].strip() for message in messages if message["role"] == "assistant"]
    return [text for text in texts if text and text != "(empty answer)"]


def log_of(messages: Sequence[Message]) -> str:
    """The conversation as a readable log, shortened from its middle; empty if the model said and did nothing."""
    lines: list[str] = []
    active = False
    for message in messages:
        if message["role"] == "tool":
            lines.append(f"RESULT: {_short(message['content'], _LONGEST_RESULT)}")
        elif message["role"] == "assistant":
            said = thoughts([message])
            calls = [f"ACTION: {_call(call)}" for call in message.get("tool_calls", ())]
            active = active or bool(said or calls)
            lines += [f"THOUGHT: {text}" for text in said] + calls
        elif message["role"] == "user" and not lines:
            lines.append(f"ASKED: {message['content']}")
    return _short("\n\n".join(lines), _LONGEST_LOG) if active else ""


def _call(call: dict[str, dict[str, str]]) -> str:
    return f"{call['function']['name']} {call['function']['arguments']}"


def _short(text: str, longest: int) -> str:
    if len(text) <= longest:
        return text
    half = longest // 2
    return f"{text[:half]}\n[… {len(text) - longest} characters …]\n{text[-half:]}"
