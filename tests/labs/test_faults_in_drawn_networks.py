"""Faults of addresses, hosts, ports, access lists and translation in drawn networks: each breaks flows, and its repair
leaves flows and configs as they were.

One place of each fault and network runs here. With ``NETBENCH_WHOLE_CORPUS=1`` up to eight run (``make selftest`` does
that).
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from typing import Any

import pytest

from pytest_netbench.ani.interface import AgentInterface
from pytest_netbench.ani.policy import Policy
from pytest_netbench.errors import FaultHasNoEffect
from pytest_netbench.evaluation.monitor.sweeps import Sweeper
from pytest_netbench.faults.injecting import await_effects, inject_all
from pytest_netbench.faults.paths import connects
from pytest_netbench.generators.networks import DrawnNetwork, NetworkParameters, draw_network, flow_groups
from pytest_netbench.model.faulty import fault_of
from pytest_netbench.model.task import UNLIMITED, Task

WHOLE = bool(os.environ.get("NETBENCH_WHOLE_CORPUS"))
PATIENCE_S = 10.0
HOSTS = (
    "host-gateway-wrong",
    "host-mask-wrong",
    "host-address-duplicate",
    "host-address-missing",
    "host-address-wrong",
    "host-neighbor-wrong",
    "host-route-blackhole",
    "host-address-taken",
    "host-arp-denied",
    "host-mac-duplicate",
)
NETWORKS = {
    "linux": (
        {"shape": "star", "platform": "linux", "services": ["filter"]},
        (*HOSTS, "mask-wrong", "access-list-order"),
    ),
    "frr": (
        {"shape": "line", "platform": "frr", "sizes": {"routers": 2, "hosts": 2}},
        ("mask-wrong", "address-duplicate", "port-shutdown"),
    ),
    "static": (
        # so many pairs of hosts that the hash sends some of them to the wrong next hop
        {"shape": "leaf-spine", "platform": "frr", "routing": "static", "sizes": {"leaves": 2, "hosts": 4}},
        ("ecmp-member-wrong",),
    ),
    "campus": (
        {"shape": "campus", "services": ["filter"], "sizes": {"cores": 1, "blocks": 2, "accesses": 1}},
        ("vlan-wrong", "port-shutdown", "mask-wrong", "address-duplicate", "access-list-order"),
    ),
    "isp": (
        {
            "shape": "dual-homed-isp",
            "platform": "cisco_ios",
            "services": ["nat"],
            "sizes": {"edges": 1, "sites": 1 + WHOLE},
        },
        ("nat-side-wrong", "nat-mapping-missing", "nat-port-pool-exhausted"),
    ),
}


class Subject:
    """A deployed network, and what is known about it while nothing is wrong."""

    def __init__(self, network: DrawnNetwork, lab: Any) -> None:
        self.network, self.lab = network, lab
        self.flows = [flow for group in flow_groups(network) for flow in group.flows()]
        self._sweeper = Sweeper(lab, self.flows)
        assert self.wrong_after(PATIENCE_S) == []
        self.healthy = self.configs()

    def wrong(self) -> list[str]:
        seen = self._sweeper.look(range(len(self.flows)))
        return [str(self.flows[number]) for number, is_wrong in seen.items() if is_wrong]

    def wrong_after(self, patience_s: float) -> list[str]:
        """The wrong flows, once there is none or the patience is over."""
        ends_at = time.monotonic() + patience_s
        while (wrong := self.wrong()) and time.monotonic() < ends_at:
            time.sleep(0.05)
        return wrong

    def configs(self) -> dict[str, str]:
        managed = [node.name for node in self.lab.topology.nodes if self.network.is_managed(node.name)]
        return {name: self.lab.driver(name).running_config(self.lab.nodes[name]) for name in managed}

    def repair(self, known: Any, one: Any) -> None:
        ani = AgentInterface(self.lab, policy=Policy(), budget=UNLIMITED)
        for node, commands in known.recover(one).items():
            answer = ani.update_cfg(node, list(commands))
            assert [result["status"] for result in answer["results"]] == ["success"] * len(commands), answer
        ani.close()


@pytest.fixture(scope="module", params=NETWORKS)
def subject(request: Any, deploy_task: Any) -> Iterator[tuple[Subject, tuple[str, ...]]]:
    parameters, names = NETWORKS[request.param]
    network = draw_network(NetworkParameters.model_validate({**parameters, "managed_hosts": True, "seed": 3}))
    fields = {"task_name": "drawn", "slug": "drawn", "intents": [{"text": "none"}], **network.fields()}
    lab = deploy_task(Task.model_validate(fields))
    yield Subject(network, lab), names
    lab.destroy()


def places(known: Any, network: DrawnNetwork) -> list[Any]:
    """Places of a fault where no other path takes over, spread over all."""
    every = [one for one in known.places(network) if not (known.cuts(one) and connects(network, known.cuts(one)))]
    count = 8 if WHOLE else 1
    return every[:: max(1, len(every) // count)][:count]


def test_a_fault_breaks_flows_and_its_repair_leaves_everything_as_it_was(subject: Any) -> None:
    subject, names = subject
    lab, tried = subject.lab, 0
    for name in names:
        known = fault_of(name)
        for one in places(known, subject.network):
            with pytest.raises(FaultHasNoEffect):
                known.observe(one, lab)
            inject_all([(known, one)], lab)
            await_effects([(known, one)], lab)
            assert subject.wrong(), one
            subject.repair(known, one)
            assert subject.wrong_after(PATIENCE_S) == [], one
            assert subject.configs() == subject.healthy, one
            tried += 1
    assert tried >= len(names)
