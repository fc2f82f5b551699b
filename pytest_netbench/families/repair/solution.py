"""The reference repair of a task."""

from __future__ import annotations

from pytest_netbench.ani.protocol import Ani
from pytest_netbench.errors import AgentError, UsageError
from pytest_netbench.families.faulty.tickets import OPEN_TICKET
from pytest_netbench.faults.reasoning import repairs
from pytest_netbench.model.causes import causes_of
from pytest_netbench.model.faulty import Faulty, InjectedFault, fault_of
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import Submission


def apply_repair(task: Task, ani: Ani, *, leave_out: int | None = None) -> Submission:
    """Repair the faults of a task, one at a time.

    Args:
        task: The task.
        ani: Where the commands are sent.
        leave_out: The number of a fault that is not repaired.

    Raises:
        AgentError: A device refused a command: the task is broken.
    """
    _hand_over(task, ani, leave_out=leave_out)
    for number, node, commands in repairs(_faults(task)):
        if number == leave_out:
            continue
        for result in ani.update_cfg(node, list(commands))["results"]:
            if result["status"] == "error":
                said = (result.get("message") or "").strip()
                raise AgentError(
                    f"{node} refused {result['command'].strip()!r} of the reference repair: {said}. Task {task.slug} is"
                    " broken: its faults do not fit its startup_configs"
                )
    return Submission(reasoning=task.ground_truth_reasoning or None)


def _hand_over(task: Task, ani: Ani, *, leave_out: int | None) -> None:
    """Open a ticket for each fault that no command repairs."""
    for number, one in enumerate(causes_of(_faults(task), task.network.topology)):
        if number != leave_out and not fault_of(one.fault_type).repairable:
            named = {"resource_id": one.resources[0], "fault_type": one.fault_type}
            ani.call(OPEN_TICKET, {**named, "evidence": task.ground_truth_reasoning or one.fault_type})


def _faults(task: Task) -> tuple[InjectedFault, ...]:
    if not isinstance(task.payload, Faulty):
        raise UsageError(f"task {task.slug} is of family {task.family!r}, which injects no faults")
    return task.payload.faults
