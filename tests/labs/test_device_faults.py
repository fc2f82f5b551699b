"""Faults of FRR and IOS routers on real lines: each takes effect, and its repair restores flows and config.

One place of each fault runs here on one platform. Several places of each run on both platforms with
``NETBENCH_WHOLE_CORPUS=1``.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from typing import Any

import pytest

from pytest_netbench import parts
from pytest_netbench.ani.interface import AgentInterface
from pytest_netbench.ani.policy import Policy
from pytest_netbench.errors import FaultHasNoEffect
from pytest_netbench.faults.builders import NetworkValue
from pytest_netbench.faults.injecting import await_effects, inject_all
from pytest_netbench.generators.networks import DrawnNetwork, NetworkParameters, draw_network
from pytest_netbench.lab.probing import Probe
from pytest_netbench.model.faulty import fault_of
from pytest_netbench.model.task import UNLIMITED, Task
from tests.support.ios import eventually

FEW, MANY = 1, 5
PLATFORMS = ("frr", "cisco_ios")
ROUTINGS = {
    "ospf": [
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
    ],
    "bgp": [
        "bgp-network-missing",
        "bgp-as-number-wrong",
        "bgp-filter-wrong",
        "bgp-prefix-limit",
        "bgp-prefix-hijacked",
        "bgp-blackhole-leaked",
        "bgp-denied",
    ],
    "static": ["static-next-hop-wrong"],
}


def drawn(routing: str, platform: str) -> DrawnNetwork:
    return draw_network(
        NetworkParameters.model_validate(
            {"shape": "line", "sizes": {"routers": 2}, "routing": routing, "platform": platform}
        )
    )


def tried(name: str, platform: str) -> bool:
    """Whether a fault is tried on a platform: routers notice most faults of OSPF only when a timer ends."""
    every = [one for names in ROUTINGS.values() for one in names]
    fitting = parts.load("faults", name).platforms
    return bool(os.environ.get("NETBENCH_WHOLE_CORPUS")) or fitting[every.index(name) % len(fitting)] == platform


def places(name: str, network: DrawnNetwork) -> list[Any]:
    """Some places of a fault, which differ from fault to fault."""
    every = list(fault_of(name).places(network))
    count = MANY if os.environ.get("NETBENCH_WHOLE_CORPUS") else FEW
    return random.Random(name).sample(every, min(count, len(every)))


def lost(lab: Any, network: DrawnNetwork) -> list[tuple[str, str]]:
    pairs = network.flows
    probes = [Probe(source=one, target=network.addresses[other], timeout_s=0.2) for one, other in pairs]
    return [pair for pair, result in zip(pairs, lab.prober.probe(probes), strict=True) if not result.delivered]


def configs(lab: Any, network: DrawnNetwork) -> dict[str, str]:
    return {name: lab.driver(name).running_config(lab.nodes[name]) for name in network.routers}


def states(lab: Any, network: DrawnNetwork) -> Iterator[tuple[Any, ...]]:
    """All that routers know of each other: neighbors and routes."""
    for name in network.routers:
        driver, node = lab.driver(name), lab.nodes[name]
        yield name, sorted((one.protocol, one.address, one.is_up) for one in driver.neighbors(node))
        yield name, sorted((one.prefix, one.protocol, one.next_hops, one.interfaces) for one in driver.table(node))


@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.parametrize("routing", ROUTINGS)
def test_each_fault_takes_effect_and_its_repair_restores_all(deploy_task: Any, routing: str, platform: str) -> None:
    network = drawn(routing, platform)
    lab = deploy_task(
        Task.model_validate({"task_name": "line", "slug": "line", "intents": [{"text": "none"}], **network.fields()})
    )
    assert not lost(lab, network)
    before, healthy = configs(lab, network), list(states(lab, network))
    for name in ROUTINGS[routing]:
        known = fault_of(name)
        assert isinstance(known, NetworkValue)
        for one in places(name, network) if platform in known.platforms and tried(name, platform) else ():
            with pytest.raises(FaultHasNoEffect):
                known.observe(one, lab)
            inject_all([(known, one)], lab)
            await_effects([(known, one)], lab)
            assert eventually(lambda: len(lost(lab, network)) == 2), one
            ani = AgentInterface(lab, policy=Policy(), budget=UNLIMITED)
            for node, commands in known.recover(one).items():
                answer = ani.update_cfg(node, list(commands))
                assert [result["status"] for result in answer["results"]] == ["success"] * len(commands), answer
            ani.close()
            assert eventually(lambda: not lost(lab, network)), one
            assert configs(lab, network) == before, one
            assert eventually(lambda: list(states(lab, network)) == healthy), (one, list(states(lab, network)))
