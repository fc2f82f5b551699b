"""A low MTU beside a filter of the ICMP that tells of it or of fragments, on a real line: each alone loses nothing."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_netbench.errors import FaultHasNoEffect
from pytest_netbench.generators.networks import DrawnNetwork, NetworkParameters, draw_network
from pytest_netbench.model.faulty import fault_of
from pytest_netbench.model.task import Task
from pytest_netbench.model.testcase import Flow
from tests.support.ios import await_that

LINE = {"shape": "line", "sizes": {"routers": 2}, "routing": "ospf", "platform": "cisco_ios", "managed_hosts": True}
SMALL, LARGE = 300, 1000
"""Bytes of a packet."""


@pytest.fixture(scope="module")
def network() -> DrawnNetwork:
    return draw_network(NetworkParameters.model_validate(LINE))


@pytest.fixture(scope="module")
def lab(network: DrawnNetwork, deploy_task: Any) -> Any:
    fields = {"task_name": "line", "slug": "line", "intents": [{"text": "none"}], **network.fields()}
    return deploy_task(Task.model_validate(fields))


def between(network: DrawnNetwork, place: Any) -> tuple[str, str]:
    """Hosts whose packets meet the fault: from the host that has it, or from behind the other end of the link."""
    first = place.peer if place.node in network.routers else place.node
    source = next(name for name in network.hosts if first in {one.node for one in network.lan_of(name).attachments})
    return source, next(name for name in network.hosts if network.lan_of(name) != network.lan_of(source))


@pytest.mark.parametrize("name", ["icmp-frag-needed-denied", "fragments-denied"])
def test_only_both_together_lose_long_packets(name: str, network: DrawnNetwork, lab: Any) -> None:
    denied: Any = fault_of(name)
    low: Any = fault_of(denied.company)
    place = next(iter(denied.places(network)))
    link = next(iter(denied.accompanied(place, network)))
    source, target = between(network, place)

    def arrive() -> tuple[bool, bool]:
        flows = [
            Flow.model_validate(
                {"from": source, "to": target, "port": 7000 + size, "rate_bps": 200_000, "packet_bytes": size}
            )
            for size in (SMALL, LARGE)
        ]
        small, large = lab.prober.traffic(flows, [network.addresses[target]] * 2, duration_s=0.4)
        return bool(small.received_packets), bool(large.received_packets)

    def repair(fault: Any, parameters: Any) -> None:
        for node, commands in fault.recover(parameters).items():
            assert {one.status for one in lab.driver(node).apply(lab.nodes[node], commands)} == {"success"}

    before = {node: lab.driver(node).running_config(lab.nodes[node]) for node in lab.nodes}
    denied.inject(place, lab)
    denied.observe(place, lab)
    assert arrive() == (True, True)
    low.inject(link, lab)
    low.observe(link, lab)
    # OSPF becomes adjacent again
    await_that(lambda: arrive() == (True, False), lambda: f"{arrive()}")
    repair(denied, place)
    # the sender is told of the MTU
    await_that(lambda: arrive() == (True, True), lambda: f"{arrive()}")
    repair(low, link)
    for fault, parameters in ((denied, place), (low, link)):
        with pytest.raises(FaultHasNoEffect):
            fault.observe(parameters, lab)
    assert before == {node: lab.driver(node).running_config(lab.nodes[node]) for node in lab.nodes}
