"""Parsing of a single-turn model's answer: reasoning, then a JSON object of commands per device."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from pytest_netbench.errors import AgentError

_FENCE = re.compile(r"```[ \t]*[\w-]*[ \t]*\n(.*?)(?:\n[ \t]*```|\Z)", re.DOTALL)
_WRAPPERS = ("commands", "configs", "configurations", "devices")


def read_answer(text: str, devices: Collection[str]) -> tuple[str, dict[str, list[str]]]:
    """Split an answer into its reasoning and its commands per device.

    Tolerated: a missing or unnamed fence, text after the object, a device named twice, commands as one text of several
    lines, one wrapping key such as ``commands``.

    Args:
        text: The model's answer.
        devices: The devices there are.

    Raises:
        AgentError: There is no such object; the message has the reason.
    """
    reasoning, value = split(text)
    return reasoning, per_device(value, devices)


def read_with_answer(text: str, devices: Collection[str]) -> tuple[str, dict[str, list[str]], dict[str, Any]]:
    """As ``read_answer``, for a task that asks for an answer: the object has it under the key ``answer``.

    Raises:
        AgentError: There is no such object, or it has no answer; the message has the reason.
    """
    reasoning, value = split(text)
    answer = value.pop("answer", None)
    if not isinstance(answer, dict):
        raise AgentError("the JSON object has no 'answer' that is a JSON object, and the task asks for one")
    return reasoning, per_device(value, devices), answer


def written_answer(
    reasoning: str, commands: Mapping[str, Sequence[str]], answer: Mapping[str, Any] | None = None
) -> str:
    """The text that ``read_answer`` and ``read_with_answer`` read.

    Args:
        reasoning: Comes first, if it is not empty.
        commands: By device.
        answer: What the task asks for, if it asks for an answer.
    """
    value: dict[str, Any] = {device: list(lines) for device, lines in commands.items()}
    if answer is not None:
        value["answer"] = dict(answer)
    parts = [reasoning.strip(), f"```json\n{json.dumps(value, indent=2, ensure_ascii=False)}\n```"]
    return "\n\n".join(filter(None, parts))


def split(text: str) -> tuple[str, dict[str, Any]]:
    """The reasoning, and the JSON object behind it.

    Raises:
        AgentError: There is no such object.
    """
    text = text.replace("\r\n", "\n")
    value, start = _last_object(text)
    return text[:start].removesuffix("\n").strip(), value


def per_device(value: dict[str, Any], devices: Collection[str]) -> dict[str, list[str]]:
    """The commands of a JSON object by device.

    Raises:
        AgentError: A device is unknown, or its commands are not a list of texts.
    """
    wrapped = [key for key in _WRAPPERS if set(value) == {key} and key not in devices and isinstance(value[key], dict)]
    if wrapped:
        value = value[wrapped[0]]
    unknown = sorted(set(value) - set(devices))
    if unknown:
        raise AgentError(
            f"the answer has commands for unknown device {unknown[0]!r} (known: {', '.join(sorted(devices))})"
        )
    return {device: _commands(device, commands) for device, commands in value.items()}


def _last_object(text: str) -> tuple[dict[str, Any], int]:
    """The last JSON object of the text that can be read, and where its fence (or it) begins."""
    if not text.strip():
        raise AgentError("the answer is empty: expected reasoning and a fenced JSON object {device: [commands]}")
    problem = "the answer has no JSON object {device: [commands]} after its reasoning"
    for start, candidate in _candidates(text):
        try:
            value = json.loads(candidate, object_pairs_hook=_merge)
        except json.JSONDecodeError as error:
            if candidate.lstrip().startswith("{"):
                problem = (
                    f"the answer's JSON object cannot be read: {error.msg} at line {error.lineno} of {candidate[:80]!r}"
                )
            continue
        if isinstance(value, dict):
            return value, start
    raise AgentError(problem)


def _candidates(text: str) -> Iterator[tuple[int, str]]:
    """Where an object may be: fenced blocks from the last to the first, then a bare object at the end."""
    for match in reversed(list(_FENCE.finditer(text))):
        yield match.start(), match.group(1)
    for match in re.finditer(r"^[ \t]*\{", text, re.MULTILINE):
        end = text.rfind("}")
        if end > match.start():
            yield match.start(), text[match.start() : end + 1]


def _merge(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A device that is named twice gets both lists."""
    merged: dict[str, Any] = {}
    for key, value in pairs:
        both_lists = isinstance(value, list) and isinstance(merged.get(key), list)
        merged[key] = merged[key] + value if both_lists else value
    return merged


def _commands(device: str, commands: Any) -> list[str]:
    if isinstance(commands, str):
        commands = commands.splitlines()
    if not isinstance(commands, list) or not all(isinstance(line, str) for line in commands):
        raise AgentError(
            f"the answer's commands for {device!r} are not a list of strings: {json.dumps(commands)[:200]}"
        )
    return [line for text in commands for line in text.splitlines() if line.strip()]
