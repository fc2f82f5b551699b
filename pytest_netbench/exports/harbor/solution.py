"""The reference solution of a task as a script of calls of ``ani``: what its family does as the oracle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

from pytest_netbench.ani.protocol import Ani
from pytest_netbench.model.task import Task
from pytest_netbench.text import plain_json
from pytest_netbench.trial import family_of

_HEAD: Final = ("#!/bin/sh", "# The reference solution: every command must be taken.", "set -eu")


def script(task: Task) -> str:
    """A shell script that solves ``task``.

    Raises:
        AgentError: Its reference solution cannot be made.
    """
    written = _Writer()
    submission = family_of(task).solve(task, cast("Ani", written))
    answer = {} if submission.answer is None else {"answer": submission.answer}
    written.call("task-done", {"reasoning": submission.reasoning or "done", **answer})
    return "\n".join([*_HEAD, *written.lines, ""])


class _Writer:
    """Takes the calls that oracles make of an ``Ani``, and accepts all of them."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def update_cfg(self, device: str, commands: Sequence[str]) -> dict[str, Any]:
        self._with_input(f"ani update-cfg {_quoted(device)} -", "\n".join(commands))
        return {"results": []}

    def call(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        self._with_input(f"ani call {method} -", plain_json(params))
        return {}

    def _with_input(self, command: str, text: str) -> None:
        """A here-document whose mark is no line of it takes any text."""
        mark = "END"
        while mark in text.splitlines():
            mark += "_"
        self.lines += [f"{command} <<'{mark}'", text, mark]


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
