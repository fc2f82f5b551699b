"""What a program printed, as a submission."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final

from pydantic import ValidationError

from pytest_netbench.agents.outside_settings import OutputFields, ProgramSettings
from pytest_netbench.model.trial import Submission, Usage

_SHOWN: Final = 60


def submission_of(text: str, settings: ProgramSettings) -> Submission:
    """Read the output of a program.

    Raises:
        ValueError: It is not what the agent file says.
    """
    if settings.output == "submission":
        return _submission(text)
    if settings.output == "text":
        return Submission(reasoning=text.strip() or None)
    objects = list(_objects(text)) if settings.output == "json-lines" else [_object(text)]
    if not objects:
        raise ValueError("there is no line with a JSON object")
    return _read(objects, settings.fields)


def _submission(text: str) -> Submission:
    try:
        return Submission.model_validate(_object(text))
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        where = ".".join(map(str, problem["loc"]))
        what = "unknown member" if problem["type"] == "extra_forbidden" else problem["msg"].removeprefix("Input ")
        raise ValueError(f"{where}: {what} (known: {', '.join(Submission.model_fields)})") from None


def _read(objects: Sequence[dict[str, Any]], fields: OutputFields) -> Submission:
    reasoning = None if fields.reasoning is None else _last(objects, fields.reasoning, str)
    cost = None if fields.cost_usd is None else _last(objects, fields.cost_usd, (int, float))
    usage = Usage(
        completions=sum(1 for one in objects if any(_at(one, path) is not None for path in fields.completion_tokens)),
        prompt_tokens=_sum(objects, fields.prompt_tokens),
        completion_tokens=_sum(objects, fields.completion_tokens),
        cost_usd=cost,
    )
    return Submission(reasoning=reasoning, usage=usage)


def _objects(text: str) -> Iterator[dict[str, Any]]:
    for line in text.splitlines():
        if line.lstrip().startswith("{"):
            yield _object(line)


def _object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError as error:
        begin = " ".join(text[:_SHOWN].split())
        raise ValueError(f"not JSON ({error}); it begins with {begin!r}" if begin else "it printed nothing") from None
    if isinstance(value, dict):
        return value
    raise ValueError("it is not a JSON object")


def _at(value: Any, path: str) -> Any:
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _last(objects: Sequence[dict[str, Any]], path: str, kind: type | tuple[type, ...]) -> Any:
    found = [value for one in objects if isinstance(value := _at(one, path), kind) and not isinstance(value, bool)]
    return found[-1] if found else None


def _sum(objects: Sequence[dict[str, Any]], paths: Sequence[str]) -> int:
    values = [_at(one, path) for one in objects for path in paths]
    return sum(value for value in values if isinstance(value, int) and not isinstance(value, bool) and value > 0)
