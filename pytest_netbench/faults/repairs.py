"""The reference repair of faults on paper."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from pytest_netbench.faults.protocol import Fault
from pytest_netbench.model.base import Model
from pytest_netbench.model.faulty import InjectedFault, fault_of


class Known(NamedTuple):
    """A fault of a task with its part and its parameters."""

    fault: Fault[Any]
    parameters: Model


def known(one: InjectedFault) -> Known:
    """The part of a fault of a task, and its parameters."""
    fault: Fault[Any] = fault_of(one.fault)
    return Known(fault, fault.parameters.model_validate(one.parameters))


def repairs(faults: Sequence[InjectedFault]) -> Iterator[tuple[int, str, tuple[str, ...]]]:
    """The number of a fault, a node, and the commands there that repair it; the fault injected last comes first."""
    for number in reversed(range(len(faults))):
        fault, parameters = known(faults[number])
        for node, commands in fault.recover(parameters).items():
            yield number, node, commands
