"""A low MTU and a filter of the ICMP that tells senders of it, on a real line: each alone loses nothing."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_netbench import parts
from pytest_netbench.errors import FaultHasNoEffect
from pytest_netbench.generators.networks import DrawnNetwork, NetworkParameters, draw_network
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


def test_only_both_together_lose_long_packets(network: DrawnNetwork, lab: Any) -> None:
    denied: Any = parts.load("faults", "icmp-frag-needed-denied")()
    low: Any = parts.load("faults", denied.company)()
    host = next(iter(denied.places(network)))
    link = next(iter(denied.accompanied(host, network)))
    target = next(name for name in network.hosts if network.lan_of(name) != network.lan_of(host.node))

    def arrive() -> tuple[bool, bool]:
        flows = [
            Flow.model_validate(
                {"from": host.node, "to": target, "port": 7000 + size, "rate_bps": 200_000, "packet_bytes": size}
            )
            for size in (SMALL, LARGE)
        ]
        small, large = lab.prober.traffic(flows, [network.addresses[target]] * 2, duration_s=0.4)
        return bool(small.received_packets), bool(large.received_packets)

    def repair(fault: Any, parameters: Any) -> None:
        for node, commands in fault.recover(parameters).items():
            assert {one.status for one in lab.driver(node).apply(lab.nodes[node], commands)} == {"success"}

    before = {node: lab.driver(node).running_config(lab.nodes[node]) for node in lab.nodes}
    denied.inject(host, lab)
    denied.observe(host, lab)
    assert arrive() == (True, True)
    low.inject(link, lab)
    low.observe(link, lab)
    # OSPF becomes adjacent again
    await_that(lambda: arrive() == (True, False), lambda: f"{arrive()}")
    repair(denied, host)
    # the sender is told, and sends shorter packets
    await_that(lambda: arrive() == (True, True), lambda: f"{arrive()}")
    repair(low, link)
    for fault, parameters in ((denied, host), (low, link)):
        with pytest.raises(FaultHasNoEffect):
            fault.observe(parameters, lab)
    assert before == {node: lab.driver(node).running_config(lab.nodes[node]) for node in lab.nodes}
