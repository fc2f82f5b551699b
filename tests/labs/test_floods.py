"""A flood of SYNs on a real line: the web server answers nobody, its attacker's shell shows no program, and it ends."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_netbench import parts
from pytest_netbench.errors import FaultHasNoEffect
from pytest_netbench.generators.networks import NetworkParameters, draw_network
from pytest_netbench.lab.clients import get
from pytest_netbench.model.task import Task
from tests.support.ios import await_that

LINE = {"shape": "line", "sizes": {"routers": 2, "hosts": 2}, "routing": "ospf", "platform": "frr"}
FILES = "find /etc /run /tmp /var /root /home -printf '%p %m %u %g %s\\n'"


def test_a_flooded_server_answers_nobody_until_the_flood_ends(deploy_task: Any) -> None:
    parameters = {**LINE, "services": ("web",), "managed_hosts": True}
    network = draw_network(NetworkParameters.model_validate(parameters))
    fields = {"task_name": "line", "slug": "line", "intents": [{"text": "none"}], **network.fields()}
    lab = deploy_task(Task.model_validate(fields))
    fault: Any = parts.load("faults", "tcp-syn-flood")()
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
        half_open = shown(flood.victim, "ss -Htn state syn-recv")
        assert any(source in half_open for source in flood.sources), half_open
        assert files == shown(flood.node, FILES)
        assert "python" not in shown(flood.node, "cat /proc/[0-9]*/cmdline")
        assert before == {node: lab.driver(node).running_config(lab.nodes[node]) for node in lab.nodes}
    finally:
        fault.undo(flood, lab)
    await_that(lambda: error() is None, lambda: f"{error()}")
    with pytest.raises(FaultHasNoEffect):
        fault.observe(flood, lab)
