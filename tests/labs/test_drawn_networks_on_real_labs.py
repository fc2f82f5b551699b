"""Drawn networks on real labs: every host reaches every other host.

A few networks run here. One of each shape, routing and platform runs with ``NETBENCH_WHOLE_CORPUS=1``.
"""

from __future__ import annotations

import os
from typing import Any

import pytest

from pytest_netbench.generators.networks import DrawnNetwork, NetworkParameters, draw_network
from pytest_netbench.generators.networks.shapes import SHAPES
from pytest_netbench.lab.probing import Probe
from pytest_netbench.model.task import Task

REDUNDANT = {"distributions": 2, "blocks": 2, "accesses": 2, "vlans": 2}
GATE = [
    NetworkParameters(shape="star", platform="linux", names="drawn", seed=1),
    NetworkParameters(shape="leaf-spine", routing="bgp", platform="frr"),
    NetworkParameters(shape="campus", names="drawn", seed=2),
]
WHOLE = [
    *(
        NetworkParameters.model_validate({"shape": name, "routing": routing, "platform": platform, "names": names})
        for name, shape in SHAPES.items()
        for routing in shape.routings
        for platform in shape.platforms
        if platform != "linux" or routing == "static"
        for names in ("plain", "drawn")
    ),
    NetworkParameters(shape="campus", sizes=REDUNDANT),
    NetworkParameters(shape="campus", sizes=REDUNDANT, names="drawn", seed=3),
]


def described(parameters: NetworkParameters) -> str:
    words = [parameters.shape, parameters.routing, parameters.platform, parameters.names]
    return "-".join([word for word in words if word] + [f"{name}{size}" for name, size in parameters.sizes.items()])


def deployed(deploy_task: Any, network: DrawnNetwork) -> Any:
    fields = network.fields() | {"intents": [{"text": "none"}]}
    return deploy_task(Task.model_validate({"task_name": "drawn", "slug": "drawn", **fields}))


@pytest.mark.parametrize("parameters", WHOLE if os.environ.get("NETBENCH_WHOLE_CORPUS") else GATE, ids=described)
def test_every_host_reaches_every_other_host(deploy_task, parameters):
    network = draw_network(parameters)
    lab = deployed(deploy_task, network)
    probes = [Probe(source=source, target=network.addresses[target]) for source, target in network.flows]
    results = lab.prober.probe(probes)
    assert [pair for pair, result in zip(network.flows, results, strict=True) if not result.delivered] == []
