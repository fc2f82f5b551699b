"""Drawn networks on real labs: every host reaches every other host.

Three networks run here. One of each shape, routing and platform runs with ``NETBENCH_WHOLE_CORPUS=1``.
"""

from __future__ import annotations

import os

import pytest

from pytest_netbench.generators.networks import NetworkParameters, draw_network
from pytest_netbench.generators.networks.shapes import SHAPES
from pytest_netbench.lab.probing import Probe
from pytest_netbench.model.task import Task

GATE = [("star", "static", "linux", "drawn")]


def chosen() -> list[tuple[str, str, str, str]]:
    if not os.environ.get("NETBENCH_WHOLE_CORPUS"):
        return GATE
    return [
        (name, routing, platform, names)
        for name, shape in SHAPES.items()
        for routing in shape.routings
        for platform in shape.platforms
        if platform != "linux" or routing == "static"
        for names in ("plain", "drawn")
    ]


@pytest.mark.parametrize(("shape", "routing", "platform", "names"), chosen())
def test_every_host_reaches_every_other_host(deploy_task, shape, routing, platform, names):
    network = draw_network(
        NetworkParameters(shape=shape, routing=routing, platform=platform, names=names, seed=len(shape))
    )
    fields = network.fields() | {"intents": [{"text": "none"}]}
    lab = deploy_task(Task.model_validate({"task_name": "drawn", "slug": "drawn", **fields}))
    probes = [
        Probe(source=source, target=network.addresses[target], protocol="icmp") for source, target in network.flows
    ]
    results = lab.prober.probe(probes)
    assert [pair for pair, result in zip(network.flows, results, strict=True) if not result.delivered] == []
