"""``show``: the output of read-only commands matches a regular expression (draft §4.3)."""

from __future__ import annotations

import re
from typing import Final

from pytest_netbench.evaluation.observation import BadTestcase, Observation, View
from pytest_netbench.evaluation.testcases.kind import Kind
from pytest_netbench.model.testcase import ShowTestcase

EXCERPT = 2_000


def expected(testcase: ShowTestcase) -> str:
    """The condition, for people."""
    return f"output {'matches' if testcase.present else 'does not match'} /{testcase.expected_output}/"


def observe(testcase: ShowTestcase, view: View) -> Observation:
    """Run the commands and search their joined output."""
    try:
        pattern = re.compile(testcase.expected_output, re.MULTILINE)
    except re.error as error:
        raise BadTestcase(f"expected_output is not a regular expression: {error}") from None
    output = "\n".join(view.output(testcase.device, command) for command in testcase.commands)
    match = pattern.search(output)
    return Observation(
        holds=(match is not None) == testcase.present,
        command=f"{testcase.device}: {'; '.join(testcase.commands)}",
        actual=_actual(output, match),
    )


def _actual(output: str, match: re.Match[str] | None) -> str:
    if match is not None:
        return f"matched {_excerpt(match.group())!r}"
    return f"no match in:\n{_excerpt(output)}" if output.strip() else "no output"


def _excerpt(text: str) -> str:
    return text if len(text) <= EXCERPT else f"{text[:EXCERPT]}\n… {len(text) - EXCERPT} more characters"


KIND: Final = Kind(observe=observe, expected=expected, absent=lambda testcase: not testcase.present)
