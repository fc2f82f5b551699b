"""The tool calls of the reference solution of a task, as a model with tools would make them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from pytest_netbench.ani.methods import tool_name
from pytest_netbench.ani.protocol import Ani
from pytest_netbench.model.task import Task
from pytest_netbench.trial import family_of

Call = tuple[str, dict[str, Any]]


class _Notes:
    """Takes the requests of a reference solution."""

    def __init__(self) -> None:
        self.calls: list[Call] = []

    def update_cfg(self, device: str, commands: Sequence[str]) -> dict[str, Any]:
        self.call("update-cfg", {"device": device, "commands": list(commands)})
        results = [{"command": command, "status": "success"} for command in commands]
        return {"results": results}

    def call(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        self.calls.append((tool_name(method), dict(params)))
        return {"ok": True}


def reference_turns(task: Task, *, reasoning: str) -> list[Sequence[Call]]:
    """One turn for each request; the last one hands in."""
    notes = _Notes()
    submission = family_of(task).solve(task, cast("Ani", notes))
    done: dict[str, Any] = {"reasoning": reasoning}
    if submission.answer is not None and family_of(task).answer is not None:
        done["answer"] = submission.answer
    return [[call] for call in (*notes.calls, ("task_done", done))]
