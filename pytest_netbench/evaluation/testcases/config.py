"""``config``: a line is, or is not, in the running config under its parents."""

from __future__ import annotations

import re
from typing import Final

from pytest_netbench.evaluation.observation import BadTestcase, Observation, View
from pytest_netbench.evaluation.testcases.kind import Kind
from pytest_netbench.model.testcase import ConfigTestcase

EXCERPT_LINES = 20


def expected(testcase: ConfigTestcase) -> str:
    """The condition, for people."""
    path = " > ".join(f"/{pattern}/" for pattern in (*testcase.parents, testcase.line))
    return f"running config of {testcase.device} {'has' if testcase.present else 'does not have'} {path}"


def observe(testcase: ConfigTestcase, view: View) -> Observation:
    """Read the running config and look for the line."""
    patterns = [_compiled(pattern) for pattern in (*testcase.parents, testcase.line)]
    paths = list(view.config_paths(testcase.device))
    found = [path for path in paths if _matches(patterns, path)]
    return Observation(
        holds=bool(found) == testcase.present,
        command=f"{testcase.device}: running config",
        actual=_actual(patterns, paths, found),
    )


def _matches(patterns: list[re.Pattern[str]], path: tuple[str, ...]) -> bool:
    return len(patterns) == len(path) and all(
        pattern.fullmatch(line) is not None for pattern, line in zip(patterns, path, strict=True)
    )


def _actual(patterns: list[re.Pattern[str]], paths: list[tuple[str, ...]], found: list[tuple[str, ...]]) -> str:
    if found:
        return f"has {'; '.join(' > '.join(path) for path in found)}"
    parents = patterns[:-1]
    siblings = [path[-1] for path in paths if len(path) == len(patterns) and _matches(parents, path[:-1])]
    if not siblings:
        return "no line stands under such parents" if parents else "the running config is empty"
    where = "under these parents" if parents else "at the top level"
    more = f" and {len(siblings) - EXCERPT_LINES} more" if len(siblings) > EXCERPT_LINES else ""
    return f"{where} stand only: {'; '.join(siblings[:EXCERPT_LINES])}{more}"


def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except re.error as error:
        raise BadTestcase(f"{pattern!r} is not a regular expression: {error}") from None


KIND: Final = Kind(observe=observe, expected=expected, absent=lambda testcase: not testcase.present)
