"""The upper bound: applies the ground truth. The only agent that is given the Task."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_netbench.ani.protocol import Ani
from pytest_netbench.errors import AgentError, UsageError
from pytest_netbench.model.configure import configuration_of
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import AgentInfo, Submission


class Oracle:
    """Applies each node's ground-truth commands, in the task's order.

    Args:
        leave_out: ``(node, 0-based index)`` of one command to leave out: the self-test asks so whether a testcase notices.
            Commands that a device then refuses are expected consequences and no error.
    """

    def __init__(self, *, leave_out: tuple[str, int] | None = None) -> None:
        self._leave_out = leave_out

    @property
    def info(self) -> AgentInfo:
        settings = {} if self._leave_out is None else {"leave_out": list(self._leave_out)}
        return AgentInfo(id="oracle", strategy="oracle", settings=settings)

    def run_informed(self, task: Task, ani: Ani) -> Submission:
        """Apply the ground truth.

        Raises:
            AgentError: A device refused a command: the task is broken.
            UsageError: ``leave_out`` names a command the task does not have.
        """
        self._check_leave_out(task)
        for node, commands in configuration_of(task).ground_truth_configs.items():
            kept = [line for index, line in enumerate(commands) if (node, index) != self._leave_out]
            if not kept:
                continue
            answer = ani.update_cfg(node, kept)
            if self._leave_out is None:
                _refuse_errors(task, node, answer)
        return Submission(reasoning=task.ground_truth_reasoning or None)

    def _check_leave_out(self, task: Task) -> None:
        if self._leave_out is None:
            return
        node, index = self._leave_out
        payload = configuration_of(task)
        if not 0 <= index < len(payload.truth_of(node)):
            known = {name: len(lines) for name, lines in payload.ground_truth_configs.items()}
            raise UsageError(
                f"leave_out={self._leave_out}: {task.slug} has no such command (commands per node: {known})"
            )


def _refuse_errors(task: Task, node: str, answer: Mapping[str, Any]) -> None:
    errors = [result for result in answer["results"] if result["status"] == "error"]
    if not errors:
        return
    first = errors[0]
    more = f" ({len(errors) - 1} more of its commands were refused)" if len(errors) > 1 else ""
    raise AgentError(
        f"{node} refused ground-truth command {first['command'].strip()!r}: {first.get('message', '').strip()}{more}. "
        f"Task {task.slug} is broken: mend its ground_truth_configs or startup_configs."
    )
