"""The steps of a transcript as the page shows them, each with a line that tells what it is about."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final

from pytest_netbench.model.trial import Step
from pytest_netbench.reporting import words
from pytest_netbench.text import plain_json

MOST_TEXT: Final = 6_000
"""Characters of one command's answer or one completion; the rest is in the transcript."""
MOST_GIST: Final = 120


@dataclass(frozen=True, kw_only=True)
class ShownStep:
    """One step: when, what the agent did, its gist in one line, what was asked, and what came back."""

    at: str
    kind: str
    title: str
    gist: str
    asked: str
    answered: str
    failed: bool = False


def shown(step: Step) -> ShownStep:
    """How a step is shown."""
    at, data = words.seconds(step.at_s), step.data
    if step.kind == "ani":
        params = dict(data.get("params") or {})
        device = str(params.pop("device", ""))
        error = data.get("error")
        answer = data.get("result") if error is None else error
        return ShownStep(
            at=at,
            kind="ANI",
            title=f"{data.get('method', '')} {device}".strip(),
            gist=_gist(params) or _gist(answer),
            asked=_asked(params),
            answered=_text(answer),
            failed=error is not None,
        )
    if step.kind == "completion":
        response = data.get("response") or {}
        said = response.get("text", "") if isinstance(response, dict) else response
        calls = response.get("tool_calls") if isinstance(response, dict) else None
        return ShownStep(
            at=at,
            kind="model",
            title=str(data.get("model", "")),
            gist=_gist(calls) or _gist(said),
            asked=_text(calls),
            answered=_text(said),
        )
    text = data.get("text", data)
    return ShownStep(at=at, kind="note", title="", gist=_gist(text), asked="", answered=_text(text))


def numbered(trace: Iterable[Step]) -> Iterator[ShownStep]:
    """How the steps of a trace are shown, with the numbers of the requests."""
    number = 0
    for step in trace:
        one = shown(step)
        if step.kind == "ani":
            number += 1
            one = replace(one, kind=f"{one.kind} {number}")
        yield one


def cut(text: str) -> str:
    """A text without what is too long for the page."""
    more = len(text) - MOST_TEXT
    return text if more <= 0 else f"{text[:MOST_TEXT]}\n… {more} more characters in the transcript"


def _gist(value: Any) -> str:
    """What a value says, in one line: the beginning of a text without lines of signs only, or what is in a list."""
    if isinstance(value, str):
        with suppress(ValueError):
            if value.lstrip()[:1] in {"{", "["}:
                return _gist(json.loads(value))
        lines = [line for line in value[: 4 * MOST_TEXT].splitlines() if any(sign.isalnum() for sign in line)]
        return words.clipped(" ".join(lines).rstrip(" {[("), MOST_GIST)
    return words.clipped(", ".join(_within(value)), MOST_GIST)


def _within(value: Any) -> list[str]:
    """Parts of a value in words, at most as many as may have room."""
    if value in (None, "", {}, []):
        return []
    if isinstance(value, Mapping):
        if len(value) == 1:
            return _within(next(iter(value.values())))
        return [f"{name}: {' '.join(_within(inner))}" for name, inner in [*value.items()][:MOST_GIST]]
    if isinstance(value, list | tuple):
        return [" ".join(_within(inner)) for inner in value[:MOST_GIST]]
    return [_gist(value) if isinstance(value, str) else str(value)]


def _asked(params: Mapping[str, Any]) -> str:
    """Commands as lines, other parameters as JSON."""
    lines = params.get("commands", params.get("command"))
    if len(params) == 1 and isinstance(lines, list):
        return cut("\n".join(map(str, lines)))
    if len(params) == 1 and isinstance(lines, str):
        return cut(lines)
    return _text(params)


def _text(value: Any) -> str:
    if value in (None, "", {}, []):
        return ""
    return cut(value if isinstance(value, str) else plain_json(value, indent=1))
