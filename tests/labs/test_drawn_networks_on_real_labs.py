"""Drawn networks on real labs: every host reaches every other host.

A few networks run here. One of each shape, routing and platform runs with ``NETBENCH_WHOLE_CORPUS=1``
(``make selftest`` does that).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest

from pytest_netbench.evaluation.interface import TaskEvaluation
from pytest_netbench.generators.networks import (
    DrawnNetwork,
    NetworkParameters,
    Subnet,
    draw_network,
    flow_groups,
)
from pytest_netbench.generators.networks.mixing import MIXED, offers
from pytest_netbench.generators.networks.shapes import SHAPES
from pytest_netbench.lab.probing import Probe
from pytest_netbench.model.task import Task

REDUNDANT = {"distributions": 2, "blocks": 2, "accesses": 2, "vlans": 2}
GATE = [
    NetworkParameters(shape="star", platform="linux", names="drawn", seed=1),
    NetworkParameters(shape="leaf-spine", routing="bgp", platform="frr"),
    NetworkParameters(shape="campus", names="drawn", seed=2),
    NetworkParameters(shape="isp", routing="isis", sizes={"by_capacity": 1}),
    NetworkParameters(shape="isp", routing="isis"),
    NetworkParameters(shape="isp", routing="ibgp", platform="mixed"),
]
WHOLE = [
    *(
        NetworkParameters.model_validate({"shape": name, "routing": routing, "platform": platform, "names": names})
        for name, shape in SHAPES.items()
        for routing in shape.routings
        for platform in (*shape.platforms, MIXED)
        if offers(shape.platforms, platform) and offers(shape.routings[routing].platforms, platform)
        for names in ("plain", "drawn")
    ),
    NetworkParameters(shape="campus", sizes=REDUNDANT),
    NetworkParameters(shape="campus", sizes=REDUNDANT, names="drawn", seed=3),
]


def described(parameters: NetworkParameters) -> str:
    words = [parameters.shape, parameters.routing, parameters.platform, parameters.names]
    return "-".join([word for word in words if word] + [f"{name}{size}" for name, size in parameters.sizes.items()])


@pytest.fixture
def deployed(deploy_task: Any) -> Iterator[Any]:
    """Deploy a drawn network, and destroy it after the test."""
    labs = []

    def deploy(network: DrawnNetwork, **more: Any) -> tuple[Any, Task]:
        fields = network.fields() | {"intents": [{"text": "none"}]} | more
        task = Task.model_validate({"task_name": "drawn", "slug": "drawn", **fields})
        labs.append(deploy_task(task))
        return labs[-1], task

    yield deploy
    for lab in labs:
        lab.destroy()


@pytest.mark.parametrize("parameters", WHOLE if os.environ.get("NETBENCH_WHOLE_CORPUS") else GATE, ids=described)
def test_every_host_reaches_every_other_host(deployed, parameters):
    network = draw_network(parameters)
    lab, _ = deployed(network)
    probes = [Probe(source=source, target=network.addresses[target]) for source, target in network.flows]
    results = lab.prober.probe(probes)
    assert [pair for pair, result in zip(network.flows, results, strict=True) if not result.delivered] == []


SERVICES = [
    NetworkParameters(shape="star", platform="linux", services=("filter",), seed=3),
    NetworkParameters(shape="dual-homed-isp", platform="cisco_ios", services=("filter", "nat"), sizes={"hosts": 2}),
]
MORE_SERVICES = [
    NetworkParameters(shape="campus", sizes=REDUNDANT, services=("filter",), names="drawn", seed=1),
    NetworkParameters(shape="dual-homed-isp", platform="cisco_ios", services=("nat",), sizes={"edges": 1}),
    *(
        NetworkParameters(shape="star", platform=platform, services=("filter",), names="drawn", seed=seed)
        for platform in ("linux", "cisco_ios")
        for seed in range(8)
    ),
]


@pytest.mark.parametrize(
    "parameters", SERVICES + MORE_SERVICES if os.environ.get("NETBENCH_WHOLE_CORPUS") else SERVICES, ids=described
)
def test_services_let_pass_what_is_allowed_and_nothing_that_is_forbidden(deployed, parameters):
    network = draw_network(parameters)
    lab, _ = deployed(network)
    flows = [flow for group in flow_groups(network) for flow in group.flows()]
    assert {flow.allowed for flow in flows} == {True, False}
    probes = [
        Probe(
            source=flow.source,
            target=flow.address,
            protocol=flow.protocol,
            port=flow.port,
            listen_on=flow.target if flow.port else None,
        )
        for flow in flows
    ]
    results = lab.prober.probe(probes)
    assert [str(flow) for flow, seen in zip(flows, results, strict=True) if seen.delivered != flow.allowed] == []


def path(source: str, *hops: str, under: str | None = None) -> dict[str, Any]:
    name = f"{source} to {hops[-1]} under {under}"
    return {"name": name, "kind": "path", "from": source, "to": hops[-1], "hops": hops, "under": under, "within_s": 60}


def hidden(node: str, prefix: str, *, under: str) -> dict[str, Any]:
    words = {"kind": "route", "device": node, "prefix": prefix, "present": False, "stays_s": 2}
    return {"name": f"{node} without {prefix}", "under": under, **words}


@pytest.mark.parametrize("platform", ["frr", "cisco_ios"] if os.environ.get("NETBENCH_WHOLE_CORPUS") else ["frr"])
def test_a_dual_homed_isp_uses_its_second_provider_only_without_the_first_and_carries_no_transit(deployed, platform):
    network = draw_network(NetworkParameters(shape="dual-homed-isp", platform=platform))
    behind = next(end for link in network.topology.links for end in link.endpoints if str(end).startswith("internet"))
    (servers,) = (lan.prefix for lan in network.lans if network.addresses["server1"] in str(lan))
    events = {"down": [{"fail": "provider1"}], "behind": [{"cut": behind.model_dump()}]}
    testcases = [
        path("h1x1", "site1", "edge1", "provider1", "internet", "server1"),
        path("server1", "internet", "provider1", "edge1", "site1", "h1x1"),
        path("h1x1", "site1", "edge1", "edge2", "provider2", "internet", "server1", under="down"),
        path("server1", "internet", "provider2", "edge2", "site1", "h1x1", under="down"),
        hidden("provider1", servers, under="behind"),
    ]
    lab, task = deployed(network, events=events, testcases=testcases)
    results = TaskEvaluation(lab, events=task.payload.events).run_testcases(task.payload.testcases)
    assert {result.name: result.actual for result in results if result.status != "pass"} == {}


REDUNDANCY = [
    (NetworkParameters(shape="ring", routing="ospf"), ["r2"]),
    (NetworkParameters(shape="mesh", routing="bgp"), ["r2"]),
    (NetworkParameters(shape="leaf-spine", routing="bgp", platform="cisco_ios"), ["spine1", "spine2"]),
    (NetworkParameters(shape="clos", routing="bgp"), ["superspine1", "spine1x1"]),
    (NetworkParameters(shape="campus", sizes=REDUNDANT), ["core1", "dist1x1"]),
]


@pytest.mark.parametrize(
    ("parameters", "victims"),
    REDUNDANCY if os.environ.get("NETBENCH_WHOLE_CORPUS") else REDUNDANCY[:1],
    ids=lambda one: described(one) if isinstance(one, NetworkParameters) else None,
)
def test_hosts_at_other_routers_survive_the_failure_of_a_redundant_one(deployed, parameters, victims):
    network = draw_network(parameters)
    events = {victim: [{"fail": victim}] for victim in victims}
    near = {
        victim: {one.node for lan in network.lans for one in lan.attachments if lan_is_behind(lan, victim)}
        for victim in victims
    }
    testcases = [
        {
            "name": f"{source} to {target} without {victim}",
            "kind": "reachability",
            "from": source,
            "to": target,
            "under": victim,
            "within_s": 120,
        }
        for victim in victims
        for source, target in network.flows
        if not {source, target} & near[victim]
    ]
    assert {one["under"] for one in testcases} == set(victims)
    lab, task = deployed(network, events=events, testcases=testcases)
    results = TaskEvaluation(lab, events=task.payload.events).run_testcases(task.payload.testcases)
    assert {result.name: result.actual for result in results if result.status != "pass"} == {}


def lan_is_behind(lan: Subnet, router: str) -> bool:
    """Whether ``router`` is the only gateway of a LAN."""
    return lan.gateway in {one.address for one in lan.attachments if one.node == router}
