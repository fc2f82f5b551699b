"""What the check of NetArena's repository says of Online Boutique: its rules as they were read, and no code of it.

It sends from all workloads but two, by TCP to the names of all Services but the frontend's, and counts the connections
that are not as expected.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from pytest_netbench.faults.reasoning import known
from pytest_netbench.kubernetes.applications.connectivity import Connectivity
from pytest_netbench.model.objects import POD, Object, objects_of
from pytest_netbench.model.repair import repair_of
from pytest_netbench.model.task import Task
from pytest_netbench.model.watch import WatchedFlow

SENDS_NOT: Final = frozenset({"currencyservice", "paymentservice"})
NOT_ASKED: Final = "frontend"
Delivers = Callable[[WatchedFlow], bool]


class Said(NamedTuple):
    """What is wrong in a state of a cluster: mismatches of the check, and our flows."""

    mismatches: int
    wrong: int


def asked(task: Task) -> Iterator[WatchedFlow]:
    """The connections that the check tries."""
    for flow in repair_of(task).all_flows:
        is_named = flow.protocol == "tcp" and flow.address != POD
        if is_named and flow.target != NOT_ASKED and flow.source not in SENDS_NOT:
            yield flow


def mismatches(task: Task, delivers: Delivers) -> list[WatchedFlow]:
    """The connections that are not as expected. One whose name cannot be resolved is closed."""
    names = {flow.source: delivers(flow) for flow in repair_of(task).all_flows if flow.port == 53}
    return [flow for flow in asked(task) if (names[flow.source] and delivers(flow)) is not flow.allowed]


def said(task: Task, objects: list[Object]) -> Said:
    """Both, on paper."""
    paper = Connectivity(objects)
    return Said(len(mismatches(task, paper.delivers)), len(paper.wrong(repair_of(task).all_flows)))


def states(task: Task) -> Iterator[list[Object]]:
    """The objects with all faults, then after the repair of each one, one after the other."""
    objects = objects_of(task.network.startup_configs["workstation"])
    faults = list(map(known, repair_of(task).faults))
    for fault, parameters in faults:
        objects = fault.edit(parameters).applied(objects)
    yield objects
    for number in range(1, len(faults) + 1):
        left = objects_of(task.network.startup_configs["workstation"])
        for fault, parameters in faults[number:]:
            left = fault.edit(parameters).applied(left)
        yield left
