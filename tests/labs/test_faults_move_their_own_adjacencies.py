"""A fault of a device moves the adjacencies that its line moves when a person types it, and no others."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest

from pytest_netbench.faults.injecting import inject_all
from pytest_netbench.generators.networks import DrawnNetwork, NetworkParameters, draw_network
from pytest_netbench.model.faulty import fault_of
from pytest_netbench.model.task import Task
from tests.labs.conftest import DeployTask
from tests.support.ios import settle, show, type_lines

MOVED = {
    "ospf-area-wrong",
    "ospf-timers-wrong",
    "ospf-network-type-wrong",
    "ospf-interface-passive",
    "ospf-authentication-wrong",
    "ospf-mtu-wrong",
    "ospf-network-missing",
    "ospf-denied",
    "icmp-denied",
    "route-blackhole",
}
_CHANGE = re.compile(r"%OSPF-5-ADJCHG: .* on (\S+) from FULL to")
_NOTICED_LAB_S = 45.0


@pytest.fixture(scope="module")
def network() -> DrawnNetwork:
    parameters = {"shape": "line", "sizes": {"routers": 3}, "routing": "ospf", "platform": "cisco_ios"}
    return draw_network(NetworkParameters.model_validate(parameters))


@pytest.fixture(scope="module")
def lab(deploy_task: DeployTask, network: DrawnNetwork) -> Any:
    fields = network.fields()
    return deploy_task(
        Task.model_validate({"task_name": "line", "slug": "line", "intents": [{"text": "none"}], **fields})
    )


def moved(lab: Any, node: str) -> set[str]:
    """Interfaces of a node on which an adjacency ended, as its log says."""
    return set(_CHANGE.findall(show(lab.nodes[node], "show logging")))


@pytest.mark.parametrize("name", sorted(MOVED))
def test_no_adjacency_moves_but_those_of_the_line(lab: Any, network: DrawnNetwork, name: str) -> None:
    fault = fault_of(name)
    places = [one for one in fault.places(network) if len(neighbors_of(network, one.node)) > 1]
    if not places:
        pytest.skip("it fits no router with two neighbors")
    place = places[0]
    node = lab.nodes[place.node]
    found = []
    for inject in (
        lambda: inject_all([(fault, place)], lab),
        lambda: type_lines(node, *fault.change(place).inject),
    ):
        show(node, "clear logging")
        inject()
        time.sleep(_NOTICED_LAB_S / lab.time_scale)
        found.append(moved(lab, place.node))
        log = show(node, "show logging")
        ups = re.findall(r"%LINK-3-UPDOWN: Interface (\S+), changed state to up", log)
        downs = re.findall(r"%LINK-\d-\w+: Interface (\S+), changed state to (?:down|administratively down)", log)
        assert set(ups) <= set(downs)
        for commands in fault.recover(place).values():
            type_lines(node, *commands)
        settle(lab)
    assert found[0] == found[1]
    assert len(found[0]) <= 1, "the other adjacency stays"


def neighbors_of(network: DrawnNetwork, node: str) -> set[str]:
    ends = [{end.node for end in link.endpoints} for link in network.topology.links]
    return {other for pair in ends if node in pair for other in pair - {node} if other in network.routers}
