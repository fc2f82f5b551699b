"""Faults of cables on real labs: they are seen from the nodes, leave nothing in them, and can be taken away."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_netbench.errors import FaultHasNoEffect
from pytest_netbench.faults.cables import has_carrier
from pytest_netbench.generators.networks import DrawnNetwork, NetworkParameters, draw_network
from pytest_netbench.model.faulty import fault_of
from pytest_netbench.model.task import Task
from tests.support.ios import await_that

CABLES = (
    "link-corrupting",
    "link-corrupting-one-way",
    "link-down",
    "link-flapping",
    "link-flows-lost",
    "link-lossy",
    "link-lossy-one-way",
    "link-mtu-low",
    "link-queue-short",
    "link-slow",
)
SHAPE = {"shape": "line", "sizes": {"routers": 2}, "routing": "ospf"}


@pytest.fixture(scope="module", params=["frr", "cisco_ios"])
def network(request: pytest.FixtureRequest) -> DrawnNetwork:
    return draw_network(NetworkParameters.model_validate({**SHAPE, "platform": request.param}))


@pytest.fixture(scope="module")
def lab(network: DrawnNetwork, deploy_task: Any) -> Any:
    fields = {"task_name": "line", "slug": "line", "intents": [{"text": "none"}], **network.fields()}
    return deploy_task(Task.model_validate(fields))


@pytest.mark.parametrize("name", CABLES)
def test_it_is_seen_leaves_no_trace_and_goes_away(name: str, network: DrawnNetwork, lab: Any) -> None:
    fault: Any = fault_of(name)
    between = next(one for one in fault.places(network) if {one.node, one.peer_node} <= set(network.routers))
    with pytest.raises(FaultHasNoEffect):
        fault.observe(between, lab)
    before = {node: lab.driver(node).running_config(lab.nodes[node]) for node in lab.nodes}
    fault.inject(between, lab)
    try:
        fault.observe(between, lab)
        assert before == {node: lab.driver(node).running_config(lab.nodes[node]) for node in lab.nodes}
    finally:
        fault.undo(between, lab)
    await_that(lambda: has_carrier(lab, *between.ends[0]), lambda: "no carrier")
    with pytest.raises(FaultHasNoEffect):
        fault.observe(between, lab)
