"""A LAN announced for blackholes, on a real line of three autonomous systems: the second does not pass it on."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_netbench.errors import FaultHasNoEffect
from pytest_netbench.faults.change import has_route
from pytest_netbench.generators.networks import NetworkParameters, draw_network
from pytest_netbench.model.faulty import fault_of
from pytest_netbench.model.task import Task
from tests.support.ios import await_that

LINE = {"shape": "line", "sizes": {"routers": 3}, "routing": "bgp", "platform": "frr"}


def test_the_neighbor_keeps_the_route_for_itself_until_the_repair(deploy_task: Any) -> None:
    network = draw_network(NetworkParameters.model_validate(LINE))
    fields = {"task_name": "line", "slug": "line", "intents": [{"text": "none"}], **network.fields()}
    lab = deploy_task(Task.model_validate(fields))
    fault: Any = fault_of("bgp-blackhole-tagged")
    one = next(iter(fault.places(network)))
    (near,) = (name for name in network.routers if name not in {one.node, one.far})

    def known(node: str) -> bool:
        return any(has_route(lab, node, one.prefix, "bgp"))

    with pytest.raises(FaultHasNoEffect):
        fault.observe(one, lab)
    before = lab.driver(one.node).running_config(lab.nodes[one.node])
    fault.inject(one, lab)
    await_that(lambda: not known(one.far), lambda: f"{one.far} still has a route")
    fault.observe(one, lab)
    assert known(near)
    for node, commands in fault.recover(one).items():
        assert {done.status for done in lab.driver(node).apply(lab.nodes[node], commands)} == {"success"}
    await_that(lambda: known(one.far), lambda: f"{one.far} has no route")
    assert lab.driver(one.node).running_config(lab.nodes[one.node]) == before
