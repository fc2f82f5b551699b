"""Tasks of the family ``repair`` on small stars."""

from __future__ import annotations

from typing import Any

from pytest_netbench.generators.repair_routing import RepairRouting, RepairRoutingParameters
from pytest_netbench.model.faulty import InjectedFault
from pytest_netbench.model.task import Task
from tests.support.stars import star


def drawn_repair(index: int = 0, *, seed: int = 1, **parameters: Any) -> Task:
    """A drawn task; by default with one fault in two LANs of one host."""
    given = {"subnets": "2", "hosts": "1", "level": "1", **parameters}
    return RepairRouting().draw(RepairRoutingParameters.model_validate(given), seed=seed, index=index)


def repair_task(*faults: tuple[str, dict[str, Any]], **fields: Any) -> Task:
    """A task on two LANs of one host: the hosts must reach each other, by ping and at port 80.

    Args:
        faults: Names and parameters; the router is added to these.
        fields: Further fields of the task, or others than usual.
    """
    where = {"h1x1": "10.0.1.10", "h2x1": "10.0.2.10"}
    pairs = {"sources": tuple(where), "targets": where}
    known = {
        "task_name": "Repair",
        "slug": "repair",
        "family": "repair",
        **star(2, 1).fields(),
        "flows": [pairs, {**pairs, "protocol": "tcp", "port": 80}],
        "faults": [InjectedFault(fault=name, parameters={"node": "r0", **given}) for name, given in faults],
    }
    return Task.model_validate({**known, **fields})
