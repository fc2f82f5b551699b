"""Floods on a real line: the web server answers nobody, its attacker's shell shows no program, and they end."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_netbench.errors import FaultHasNoEffect
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.evidence.observation import Answer
from pytest_netbench.generators.networks import DrawnNetwork, NetworkParameters, draw_network
from pytest_netbench.lab.clients import get
from pytest_netbench.lab.probing import Probe
from pytest_netbench.model.faulty import fault_of
from pytest_netbench.model.task import Task
from tests.support.ios import await_that

LINE = {"shape": "line", "sizes": {"routers": 2, "hosts": 2}, "routing": "ospf", "platform": "frr"}
FILES = "find /etc /run /tmp /var /root /home -printf '%p %m %u %g %s\\n'"


@pytest.fixture(scope="module")
def network() -> DrawnNetwork:
    parameters = {**LINE, "services": ("web",), "managed_hosts": True}
    return draw_network(NetworkParameters.model_validate(parameters))


@pytest.fixture(scope="module")
def lab(network: DrawnNetwork, deploy_task: Any) -> Any:
    fields = {"task_name": "line", "slug": "line", "intents": [{"text": "none"}], **network.fields()}
    return deploy_task(Task.model_validate(fields))


@pytest.mark.parametrize("name", ["tcp-syn-flood", "web-flood"])
def test_a_flooded_server_answers_nobody_until_the_flood_ends(name: str, lab: Any, network: DrawnNetwork) -> None:
    fault: Any = fault_of(name)
    flood = next(iter(fault.places(network)))
    client = next(host for host in network.hosts if host not in {flood.node, flood.victim})

    def error() -> str | None:
        return get(lab.nodes[client], f"http://{flood.target}/", timeout_s=0.5).error

    def shown(node: str, command: str) -> str:
        return str(lab.driver(node).execute(lab.nodes[node], command))

    await_that(lambda: error() is None, lambda: f"{error()}")
    with pytest.raises(FaultHasNoEffect):
        fault.observe(flood, lab)
    before = {node: lab.driver(node).running_config(lab.nodes[node]) for node in lab.nodes}
    files = shown(flood.node, FILES)
    fault.inject(flood, lab)
    try:
        await_that(lambda: error() and error(), lambda: f"{client} still gets the page")
        fault.observe(flood, lab)
        (ping,) = lab.prober.probe([Probe(source=client, target=flood.target)])
        assert ping.delivered
        seen = Observable(platforms={flood.victim: "linux"}, addresses={}, pairs=())
        for one in fault.evidence(flood, seen):
            if one.method == "execute-cmd":
                found = shown(flood.victim, one.params["command"])
                assert one.shows.is_in(Answer(found)), found
        assert files == shown(flood.node, FILES)
        assert "python" not in shown(flood.node, "cat /proc/[0-9]*/cmdline")
        assert before == {node: lab.driver(node).running_config(lab.nodes[node]) for node in lab.nodes}
    finally:
        fault.undo(flood, lab)
    await_that(lambda: error() is None, lambda: f"{error()}")
    with pytest.raises(FaultHasNoEffect):
        fault.observe(flood, lab)
