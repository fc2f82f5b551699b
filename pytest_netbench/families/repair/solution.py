"""The reference repair of a task."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from pytest_netbench.ani.protocol import Ani
from pytest_netbench.errors import AgentError
from pytest_netbench.faults.protocol import Fault
from pytest_netbench.model.base import Model
from pytest_netbench.model.repair import InjectedFault, Repair, fault_of, repair_of
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import Submission


class Known(NamedTuple):
    """A fault of a task with its part and its parameters."""

    fault: Fault[Any]
    parameters: Model


def known(one: InjectedFault) -> Known:
    """The part of a fault of a task, and its parameters."""
    fault: Fault[Any] = fault_of(one.fault)
    return Known(fault, fault.parameters.model_validate(one.parameters))


def repairs(payload: Repair) -> Iterator[tuple[int, str, tuple[str, ...]]]:
    """The number of a fault, a node, and the commands there that repair it; the fault injected last comes first."""
    for number in reversed(range(len(payload.faults))):
        fault, parameters = known(payload.faults[number])
        for node, commands in fault.recover(parameters).items():
            yield number, node, commands


def apply_repair(task: Task, ani: Ani, *, leave_out: int | None = None) -> Submission:
    """Repair the faults of a task, one at a time.

    Args:
        task: The task.
        ani: Where the commands are sent.
        leave_out: The number of a fault that is not repaired.

    Raises:
        AgentError: A device refused a command: the task is broken.
    """
    for number, node, commands in repairs(repair_of(task)):
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
