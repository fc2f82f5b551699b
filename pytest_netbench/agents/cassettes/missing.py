"""What to say of a request that a cassette does not have: the nearest one, and how it differs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher, unified_diff
from typing import Any, Final

from pytest_netbench.agents.cassettes.question import Question, compared
from pytest_netbench.agents.completion import Message

MOST_LINES: Final = 40
MOST_CHARACTERS: Final = 200


def explain(question: Question, known: Sequence[Question], *, times: int) -> str:
    """How ``question`` differs from the nearest known one.

    Args:
        question: What is asked.
        known: What was recorded.
        times: How often the question was recorded; it is asked once more.
    """
    if times:
        return f"it was recorded {times} times and is asked once more"
    if not known:
        return "nothing was recorded"
    asked = list(compared(question.messages))
    number, nearest = max(enumerate(known, start=1), key=lambda one: _likeness(question, asked, one[1]))
    return "\n".join([f"the nearest is request {number} of {len(known)}:", *_differences(question, asked, nearest)])


def _likeness(question: Question, asked: Sequence[Message], other: Question) -> tuple[int, int, float]:
    recorded = list(compared(other.messages))
    first = _first_difference(asked, recorded)
    texts = [_text(one[first]) if first < len(one) else "" for one in (asked, recorded)]
    alike = SequenceMatcher(None, texts[0][:2000], texts[1][:2000], autojunk=False).quick_ratio()
    same = (question.model == other.model) + (question.tools == other.tools) + (question.parameters == other.parameters)
    return first, same, alike - abs(len(asked) - len(recorded))


def _first_difference(one: Sequence[Message], other: Sequence[Message]) -> int:
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _differences(question: Question, asked: Sequence[Message], other: Question) -> Iterator[str]:
    for name, now, then in (
        ("model", question.model, other.model),
        ("parameters", dict(question.parameters), dict(other.parameters)),
        ("tools", list(question.tools), list(other.tools)),
    ):
        if now != then:
            yield f"{name} differ{'s' if name == 'model' else ''}:"
            yield from _diff(_lines(then), _lines(now))
    recorded = list(compared(other.messages))
    first = _first_difference(asked, recorded)
    if first < max(len(asked), len(recorded)):
        role = (asked[first] if first < len(asked) else recorded[first]).get("role", "?")
        yield f"first difference in message {first + 1} of {len(asked)} (recorded: {len(recorded)}), role {role}:"
        yield from _diff(*(_lines(one[first]) if first < len(one) else [] for one in (recorded, asked)))


def _diff(then: Sequence[str], now: Sequence[str]) -> Iterator[str]:
    lines = list(unified_diff(then, now, "recorded", "asked", n=1, lineterm=""))
    for line in lines[:MOST_LINES]:
        yield "  " + (line if len(line) <= MOST_CHARACTERS else line[:MOST_CHARACTERS] + "…")
    if len(lines) > MOST_LINES:
        yield f"  … and {len(lines) - MOST_LINES} more lines"


def _lines(value: Any) -> list[str]:
    """A value as people compare it: texts by line, also those in the JSON that tools answer."""
    return _text(value).split("\n")


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, dict) and set(value) <= {"role", "content", "tool_call_id", "name"} and "content" in value:
        content = value["content"]
        return content.replace("\\n", "\n") if isinstance(content, str) else json.dumps(content, indent=1)
    return json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False)
