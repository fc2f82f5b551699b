"""Brownfield configurations on real networks: devices take and show them, and routes are those of the lean one."""

from __future__ import annotations

from ipaddress import IPv4Network
from typing import Any

import pytest

from pytest_netbench.agents.oracle import Oracle
from pytest_netbench.ani.excerpts import LINES_OF_A_PAGE
from pytest_netbench.ani.protocol import Ani
from pytest_netbench.generators.diagnose import DiagnoseGenerator
from pytest_netbench.generators.diagnose_parameters import DiagnoseParameters
from pytest_netbench.model.diagnosis import diagnose_of
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import AgentInfo, Brief, Submission
from pytest_netbench.trial.stage import Stage

SMALL = {"size": "1", "hosts": "1", "level": "1", "platforms": ("mixed",), "services": (), "names": "plain"}


def drawn(**parameters: Any) -> Task:
    return DiagnoseGenerator().draw(DiagnoseParameters.model_validate(SMALL | parameters), seed=6, index=0)


def routes_of(task: Task) -> dict[str, dict[str, Any]]:
    """By node and prefix: the routes of the healthy network, but for those to sites that are gone."""
    with Stage(task) as stage:
        stage.work(Oracle())
        record = stage.evaluate()
    assert record.outcome == "done", record.error
    used = [IPv4Network("172.16.0.0/12"), IPv4Network("192.168.0.0/16"), IPv4Network("10.0.0.0/16")]
    return {
        node: {
            prefix: route for prefix, route in table.items() if any(IPv4Network(prefix).overlaps(net) for net in used)
        }
        for node, table in record.routes["healthy"].items()
    }


@pytest.mark.parametrize(("shape", "routing"), [("line", "bgp"), ("ring", "ospf")])
def test_routes_are_those_of_the_lean_network(shape: str, routing: str) -> None:
    kind = {"shapes": (shape,), "routings": (routing,), "healthy": 1.0}
    lean, brown = (routes_of(drawn(**kind, config=config)) for config in ("lean", "brown"))
    assert all(len(table) > 2 for table in lean.values())
    assert brown == lean


class Reader:
    """Reads all configurations, whole and in parts."""

    info = AgentInfo(id="reader", strategy="reader")

    def __init__(self, names: list[str]) -> None:
        self.names = names
        self.whole: dict[str, str] = {}
        self.pages: dict[str, str] = {}
        self.interfaces: dict[str, str] = {}

    def run(self, brief: Brief, ani: Ani) -> Submission:
        for name in self.names:
            self.whole[name] = ani.get_running_cfg(name)["running_config"]
            first = ani.call("get-running-cfg", {"device": name, "page": 1})
            rest = [
                ani.call("get-running-cfg", {"device": name, "page": 2 + more}) for more in range(first["pages"] - 1)
            ]
            assert first["running_config"].count("\n") == LINES_OF_A_PAGE
            self.pages[name] = "".join(one["running_config"] for one in (first, *rest))
            asked = {"device": name, "section": "interface"}
            self.interfaces[name] = ani.call("get-running-cfg", asked)["running_config"]
        return Submission()


def test_devices_show_all_that_was_left_over() -> None:
    task = drawn(config="brown", shapes=("line",), routings=("ospf",))
    payload = diagnose_of(task)
    routers = [node.name for node in payload.topology.nodes if node.role == "router"]
    assert {payload.platform_of(name) for name in routers} == {"frr", "cisco_ios"}
    reader = Reader(routers)
    with Stage(task) as stage:
        stage.work(reader)
        record = stage.evaluate()
    assert record.outcome == "done", record.error
    for name in routers:
        shown = {line.split(" description ")[0].strip() for line in reader.whole[name].splitlines()}
        given = [line.strip() for line in payload.startup_configs[name].splitlines() if " description " not in line]
        missing = [
            line for line in given if line.startswith(("ip route", "ip prefix-list", "interface")) and line not in shown
        ]
        assert missing == []
        assert reader.pages[name] == reader.whole[name]
        assert reader.interfaces[name].count("interface ") >= payload.startup_configs[name].count("interface ") // 2
        assert "prefix-list" not in reader.interfaces[name]
