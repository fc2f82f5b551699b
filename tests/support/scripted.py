"""A scripted policy: the actions that solve a task, as a policy would send them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from pytest_netbench.ani.protocol import Ani
from pytest_netbench.model.task import Task
from pytest_netbench.trial import family_of

Action = dict[str, Any]


class _Notes:
    """Takes the requests of a reference solution as actions."""

    def __init__(self) -> None:
        self.actions: list[Action] = []

    def update_cfg(self, device: str, commands: Sequence[str]) -> dict[str, Any]:
        self.actions.append(update(device, *commands))
        return {"results": []}


def solving(task: Task) -> list[Action]:
    """The actions of the reference solution; the last one submits."""
    notes = _Notes()
    submission = family_of(task).solve(task, cast("Ani", notes))
    return [*notes.actions, submit(submission.answer)]


def update(device: str, *commands: str) -> Action:
    """A change of a device."""
    return {"method": "update-cfg", "params": {"device": device, "commands": list(commands)}}


def look(device: str, command: str) -> Action:
    """A command that reads."""
    return {"method": "execute-cmd", "params": {"device": device, "command": command}}


def submit(answer: dict[str, Any] | None = None) -> Action:
    """The end."""
    return {"method": "submit", "params": {} if answer is None else {"answer": answer}}
