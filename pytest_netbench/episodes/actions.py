"""Actions: a request to the ANI, or the submission that ends an episode. No action is an error."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from pydantic import ValidationError

from pytest_netbench.model.trial import Submission

SUBMIT: Final = "submit"
"""The method that ends an episode."""
UNREADABLE: Final = "(unreadable)"
"""No method has this name. An action that cannot be read is a request for it, so it is counted and recorded."""
SHAPE: Final = '{"method": "…", "params": {…}}'
_SHOWN: Final = 80
_HANDED_IN: Final = ("answer", "reasoning")


@dataclass(frozen=True, kw_only=True)
class Request:
    """What an action asks for.

    Attributes:
        method: An ANI method by its wire name, ``submit``, or ``UNREADABLE``.
        params: Its parameters; an excerpt of the action if it cannot be read.
        problem: Why the action cannot be read; empty if it can.
    """

    method: str
    params: Mapping[str, Any] = field(default_factory=dict)
    problem: str = ""


def read_action(action: object) -> Request:
    """Return the request in ``action``: a JSON object with ``method`` and ``params``, as a mapping or as text."""
    given = action
    if isinstance(action, str):
        try:
            given = json.loads(action)
        except (ValueError, RecursionError) as error:
            return _unreadable(action, f"it is not JSON ({type(error).__name__}: {error})")
    if not isinstance(given, Mapping):
        return _unreadable(action, f"it is a value of type {type(given).__name__}")
    unknown = [key for key in given if key not in ("method", "params")]
    if unknown:
        return _unreadable(action, f"it has the key {unknown[0]!r:.80}")
    method, params = given.get("method"), given.get("params", {})
    if not isinstance(method, str):
        return _unreadable(action, "its method is missing or not a string")
    if not isinstance(params, Mapping):
        return _unreadable(action, "its params are not an object")
    return Request(method=method, params=params)


def submission_of(params: Mapping[str, Any]) -> Submission:
    """Return the submission in the parameters of ``submit``.

    Raises:
        ValueError: They are not the parameters of a submission.
    """
    unknown = [key for key in params if key not in _HANDED_IN]
    if unknown:
        raise ValueError(f"submit: unknown parameter {unknown[0]!r:.80} (known: 'answer', 'reasoning')")
    try:
        return Submission.model_validate(dict(params))
    except ValidationError as error:
        first: Any = error.errors(include_url=False)[0]
        raise ValueError(f"submit: {first['loc'][0]!r}: {first['msg']}") from None


def _unreadable(action: object, why: str) -> Request:
    text = action if isinstance(action, str) else repr(action)
    shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
    return Request(method=UNREADABLE, params={"action": shown}, problem=f"an action is a JSON object {SHAPE}; {why}")
