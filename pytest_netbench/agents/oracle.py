"""The upper bound: solves the task through its family. The only agent that gets the Task."""

from __future__ import annotations

from pytest_netbench import parts
from pytest_netbench.ani.protocol import Ani
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import AgentInfo, Submission


class Oracle:
    """Applies the ground truth and submits the right answer."""

    @property
    def info(self) -> AgentInfo:
        return AgentInfo(id="oracle", strategy="oracle")

    def run_informed(self, task: Task, ani: Ani) -> Submission:
        """Solve the task.

        Raises:
            AgentError: The ground truth cannot be applied: the task is broken.
        """
        submission: Submission = parts.load("families", task.family)().solve(task, ani)
        return submission
