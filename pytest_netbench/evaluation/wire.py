"""Testcases as they come over the wire: the draft's form (§4.3) or a task file's."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pydantic import TypeAdapter, ValidationError

from pytest_netbench.errors import AniError
from pytest_netbench.model.testcase import ShowTestcase, Testcase

INVALID_PARAMS = -32602
DRAFT_FIELDS = frozenset({"name", "device", "commands", "expected_output"})


def testcases_of(params: object) -> list[Testcase]:
    """The testcases of a ``run-testcases`` request.

    Raises:
        AniError: Says which testcase is wrong and how.
    """
    if not isinstance(params, Mapping) or set(params) != {"testcases"} or not isinstance(params["testcases"], list):
        raise AniError("run-testcases: params must be an object with a list 'testcases'", code=INVALID_PARAMS)
    return [_testcase(value, position) for position, value in enumerate(params["testcases"], 1)]


def _testcase(value: object, position: int) -> Testcase:
    try:
        if isinstance(value, Mapping) and set(value) <= DRAFT_FIELDS and set(value) >= DRAFT_FIELDS - {"name"}:
            return _from_draft(value)
        return TypeAdapter[Testcase](Testcase).validate_python(value)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise AniError(
            f"run-testcases: testcase {position}: {where + ': ' if where else ''}{first['msg']}", code=INVALID_PARAMS
        ) from None


def _from_draft(value: Mapping[str, Any]) -> ShowTestcase:
    commands = value["commands"]
    name = (
        value.get("name")
        or f"{value['device']}: {'; '.join(map(str, commands)) if isinstance(commands, list) else commands}"
    )
    return ShowTestcase(
        name=name, device=value["device"], commands=commands, expected_output=draft_pattern(value["expected_output"])
    )


def draft_pattern(text: Any) -> Any:
    """A pattern for an ``expected_output`` of the draft.

    The draft calls it a regular expression and prints ``S 2.2.2.0/30 [1/0] via 192.168.1.2``, which as one does not match
    itself. A text like that matches literally as well.
    """
    if not isinstance(text, str):
        return text
    try:
        if re.search(text, text, re.MULTILINE) is not None:
            return text
    except re.error:
        return re.escape(text)
    flags = re.match(r"\(\?[aiLmsux]+\)", text)
    start = flags.group() if flags else ""
    return f"{start}(?:{text.removeprefix(start)})|(?:{re.escape(text)})"
