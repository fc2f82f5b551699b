"""Faults of cables on real labs: they are seen from the nodes, leave nothing in them, and can be taken away."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_netbench.errors import FaultHasNoEffect, MachineTooBusy
from pytest_netbench.faults import loaded_cables
from pytest_netbench.faults.cables import has_carrier
from pytest_netbench.faults.change import neighbor_up
from pytest_netbench.faults.injecting import await_effects
from pytest_netbench.faults.reasoning import Known
from pytest_netbench.generators.networks import DrawnNetwork, NetworkParameters, draw_network
from pytest_netbench.model.faulty import fault_of
from pytest_netbench.model.task import Task
from tests.support.ios import await_that, eventually

CABLES = (
    "link-connections-lost",
    "link-corrupting",
    "link-corrupting-one-way",
    "link-dark-at-times",
    "link-delayed",
    "link-down",
    "link-flapping",
    "link-flow-table-full",
    "link-flows-lost",
    "link-lossy",
    "link-lossy-one-way",
    "link-lossy-when-busy",
    "link-mtu-low",
    "link-policed",
    "link-queue-long",
    "link-queue-short",
    "link-slow",
    "link-udp-lost",
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
        await_effects([Known(fault, between)], lab)
        fault.observe(between, lab)
        assert before == {node: lab.driver(node).running_config(lab.nodes[node]) for node in lab.nodes}
    finally:
        fault.undo(between, lab)
    await_that(lambda: has_carrier(lab, *between.ends[0]), lambda: "no carrier")
    with pytest.raises(FaultHasNoEffect):
        fault.observe(between, lab)


@pytest.mark.parametrize("platform", ["frr", "cisco_ios"])
@pytest.mark.parametrize(("name", "routing"), [("link-multicast-lost", "ospf"), ("link-bgp-lost", "bgp")])
def test_routers_lose_each_other_although_pings_pass(name: str, routing: str, platform: str, deploy_task: Any) -> None:
    network = draw_network(NetworkParameters.model_validate({**SHAPE, "routing": routing, "platform": platform}))
    fields = {"task_name": "line", "slug": "line", "intents": [{"text": "none"}], **network.fields()}
    lab = deploy_task(Task.model_validate(fields))
    fault: Any = fault_of(name)
    (place,) = fault.places(network)
    before = {node: lab.driver(node).running_config(lab.nodes[node]) for node in lab.nodes}
    with pytest.raises(FaultHasNoEffect, match=f"{routing} neighbor .* is still"):
        fault.observe(place, lab)
    fault.inject(place, lab)
    await_effects([Known(fault, place)], lab)
    fault.observe(place, lab)
    assert before == {node: lab.driver(node).running_config(lab.nodes[node]) for node in lab.nodes}
    fault.undo(place, lab)
    await_that(lambda: any(neighbor_up(lab, place.node, routing, place.peer_address)), lambda: "no neighbor")
    with pytest.raises(FaultHasNoEffect):
        fault.observe(place, lab)


@pytest.mark.parametrize("platform", ["frr", "cisco_ios"])
@pytest.mark.parametrize(("name", "routing"), [("link-data-lost", "ospf"), ("link-data-lost", "bgp")])
def test_routers_stay_neighbors_although_nothing_else_passes(
    name: str, routing: str, platform: str, deploy_task: Any
) -> None:
    network = draw_network(NetworkParameters.model_validate({**SHAPE, "routing": routing, "platform": platform}))
    fields = {"task_name": "line", "slug": "line", "intents": [{"text": "none"}], **network.fields()}
    lab = deploy_task(Task.model_validate(fields))
    fault: Any = fault_of(name)
    (place,) = fault.places(network)
    with pytest.raises(FaultHasNoEffect, match="a ping is answered"):
        fault.observe(place, lab)
    fault.inject(place, lab)
    await_effects([Known(fault, place)], lab)
    later_s = 60 / lab.time_scale
    assert not eventually(lambda: not any(neighbor_up(lab, place.node, routing, place.peer_address)), within_s=later_s)
    fault.observe(place, lab)
    fault.undo(place, lab)
    with pytest.raises(FaultHasNoEffect, match="a ping is answered"):
        fault.observe(place, lab)


def test_a_rate_that_the_machine_cannot_send_says_nothing_of_a_fault(network: DrawnNetwork, lab: Any) -> None:
    fault: Any = fault_of("link-lossy-when-busy")
    between = next(one for one in fault.places(network) if {one.node, one.peer_node} <= set(network.routers))
    with pytest.raises(MachineTooBusy, match=r"too busy: it sent [0-9.]+ of 100000\.0 Mbit/s"):
        loaded_cables._sent(lab, between, 100_000_000_000, 0.3)
