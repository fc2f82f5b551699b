"""Parsing of testcases in requests: the draft's form (§4.3) or a task file's."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import TypeAdapter, ValidationError

from pytest_netbench.errors import AniError
from pytest_netbench.model.testcase import Testcase
from pytest_netbench.rpccodes import Code
from pytest_netbench.taskfile.draft import show_form

DRAFT_FIELDS = frozenset({"name", "device", "commands", "expected_output"})


def testcases_of(params: object) -> list[Testcase]:
    """The testcases of a ``run-testcases`` request.

    Raises:
        AniError: Says which testcase is wrong and how.
    """
    if not isinstance(params, Mapping) or set(params) != {"testcases"} or not isinstance(params["testcases"], list):
        raise AniError("run-testcases: params must be an object with a list 'testcases'", code=Code.INVALID_PARAMS)
    return [_testcase(value, position) for position, value in enumerate(params["testcases"], 1)]


def _testcase(value: object, position: int) -> Testcase:
    try:
        if isinstance(value, Mapping) and set(value) <= DRAFT_FIELDS and set(value) >= DRAFT_FIELDS - {"name"}:
            value = show_form(dict(value))
        return TypeAdapter[Testcase](Testcase).validate_python(value)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise AniError(
            f"run-testcases: testcase {position}: {where + ': ' if where else ''}{first['msg']}",
            code=Code.INVALID_PARAMS,
        ) from None
