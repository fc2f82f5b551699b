"""Applies the ground truth of a task."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_netbench.ani.protocol import Ani
from pytest_netbench.errors import GroundTruthRejected, UsageError
from pytest_netbench.model.configure import configuration_of
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import Submission, in_one_line

Line = tuple[str, int]
"""A ground-truth command: its node and its 0-based index."""


def apply_truth(task: Task, ani: Ani) -> Submission:
    """Apply each node's ground-truth commands, in the task's order.

    Raises:
        GroundTruthRejected: A device refused a command: the task is broken.
    """
    for node, commands in configuration_of(task).ground_truth_configs.items():
        if commands:
            _refuse_errors(task, node, ani.update_cfg(node, list(commands)))
    return Submission(reasoning=task.ground_truth_reasoning or None)


def truth_without(task: Task, line: Line) -> dict[str, list[str]]:
    """Return the ground-truth commands by node, all but one.

    Raises:
        UsageError: ``line`` names a command that the task does not have.
    """
    truth = configuration_of(task).ground_truth_configs
    if not 0 <= line[1] < len(truth.get(line[0], ())):
        known = {name: len(lines) for name, lines in truth.items()}
        raise UsageError(f"leave_out={line}: {task.slug} has no such command (commands per node: {known})")
    return {
        node: [text for index, text in enumerate(commands) if (node, index) != line] for node, commands in truth.items()
    }


def _refuse_errors(task: Task, node: str, answer: Mapping[str, Any]) -> None:
    refused = [
        (node, index, str(result["command"]), str(result.get("message") or ""))
        for index, result in enumerate(answer["results"])
        if result["status"] == "error"
    ]
    if not refused:
        return
    _, _, command, message = refused[0]
    more = f" ({len(refused) - 1} more of its commands were refused)" if len(refused) > 1 else ""
    raise GroundTruthRejected(
        f"{node} refused ground-truth command {command.strip()!r}: {in_one_line(message, command).rstrip('.')}{more}. "
        f"Task {task.slug} is broken: fix its ground_truth_configs or startup_configs.",
        refused=refused,
        is_fatal=task.network.strict,
    )
