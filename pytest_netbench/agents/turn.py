"""Parsing of one answer of a model that works in turns: reasoning, then a JSON object of what to read and change."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_netbench.agents.answer import per_device, split
from pytest_netbench.errors import AgentError

_KEYS = ("read", "change", "done")


@dataclass(frozen=True, kw_only=True)
class Turn:
    """One answer.

    Attributes:
        reasoning: The text before the JSON object.
        read: Device to commands that only read.
        change: Device to configuration commands.
        done: Nothing follows.
    """

    reasoning: str = ""
    read: Mapping[str, list[str]] = field(default_factory=dict)
    change: Mapping[str, list[str]] = field(default_factory=dict)
    done: bool = False


def read_turn(text: str, devices: Collection[str]) -> Turn:
    """Read an answer. An object of devices alone is a change, and "task done" in words is an end.

    Raises:
        AgentError: It cannot be read; the message has the reason.
    """
    try:
        reasoning, value = split(text)
    except AgentError:
        if "task done" in text.lower():
            return Turn(reasoning=text.strip(), done=True)
        raise
    if value and set(value) <= set(devices):
        value = {"change": value}
    unknown = sorted(set(value) - set(_KEYS))
    if unknown or not value:
        what = f"has the unknown key {unknown[0]!r}" if unknown else "is empty"
        raise AgentError(f"the JSON object {what} (known: {', '.join(_KEYS)})")
    if not isinstance(value.get("done", False), bool):
        raise AgentError(f"'done' must be true or false, not {value['done']!r:.80}")
    return Turn(
        reasoning=reasoning,
        read=per_device(_mapping(value, "read"), devices),
        change=per_device(_mapping(value, "change"), devices),
        done=value.get("done", False),
    )


def _mapping(value: Mapping[str, Any], key: str) -> dict[str, Any]:
    found = value.get(key, {})
    if not isinstance(found, dict):
        raise AgentError(f"{key!r} must be a JSON object of devices, not {found!r:.80}")
    return found
