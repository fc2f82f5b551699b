"""Faults of whole nodes on a real lab: they are seen from other nodes, and all is as before once they are gone."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_netbench.ani.interface import AgentInterface
from pytest_netbench.ani.policy import Policy
from pytest_netbench.errors import AniError, FaultHasNoEffect
from pytest_netbench.evaluation.monitor.sweeps import Sweeper
from pytest_netbench.faults.injecting import await_effects, inject_all
from pytest_netbench.generators.networks import DrawnNetwork, NetworkParameters, draw_network, flow_groups
from pytest_netbench.lab.capabilities import crashed
from pytest_netbench.model.faulty import fault_of
from pytest_netbench.model.task import UNLIMITED, Task
from pytest_netbench.model.watch import WatchedFlow
from tests.support.ios import await_that

SHAPE = {
    "shape": "line",
    "sizes": {"routers": 2, "hosts": 2},
    "routing": "ospf",
    "platform": "frr",
    "managed_hosts": True,
}


@pytest.fixture(scope="module")
def network() -> DrawnNetwork:
    return draw_network(NetworkParameters.model_validate(SHAPE))


@pytest.fixture(scope="module")
def lab(network: DrawnNetwork, deploy_task: Any) -> Any:
    fields = {"task_name": "line", "slug": "line", "intents": [{"text": "none"}], **network.fields()}
    return deploy_task(Task.model_validate(fields))


def state(lab: Any) -> dict[str, Any]:
    """Configs and routes of all nodes."""
    configs = {node: lab.driver(node).running_config(lab.nodes[node]) for node in lab.nodes}
    tables = {node: sorted(map(str, lab.driver(node).table(lab.nodes[node]))) for node in lab.nodes}
    return {"configs": configs, "tables": tables}


@pytest.mark.parametrize(
    ("name", "node"),
    [
        ("routing-daemon-stopped", "r1"),
        ("node-crashed", "r2"),
        ("node-crashed", "h1x1"),
        ("interface-detached", "r1"),
        ("interface-detached", "h1x1"),
    ],
)
def test_it_is_seen_from_other_nodes_and_leaves_nothing(name: str, node: str, network: DrawnNetwork, lab: Any) -> None:
    flows = [flow for group in flow_groups(network) for flow in group.flows()]
    sweeper = Sweeper(lab, flows)

    def wrong() -> list[int]:
        return [number for number, is_wrong in sweeper.look(range(len(flows))).items() if is_wrong]

    def is_broken(flow: WatchedFlow) -> bool:
        between = network.lan_of(flow.source) != network.lan_of(flow.target)
        return between if node in network.routers else node in {flow.source, flow.target}

    broken = [number for number, flow in enumerate(flows) if is_broken(flow)]
    assert 0 < len(broken) < len(flows)

    fault: Any = fault_of(name)
    one = next(one for one in fault.places(network) if one.node == node)
    await_that(lambda: not wrong(), lambda: "flows are wrong")
    with pytest.raises(FaultHasNoEffect):
        fault.observe(one, lab)
    before = state(lab)
    inject_all([(fault, one)], lab)
    try:
        await_effects([(fault, one)], lab)
        await_that(lambda: wrong() == broken, lambda: f"wrong flows: {wrong()}")
        ani = AgentInterface(lab, policy=Policy(), budget=UNLIMITED)
        if name == "node-crashed":
            assert list(crashed(lab)) == [node]
            with pytest.raises(AniError, match=f"{node}: the device did not answer get-running-cfg: connection timed"):
                ani.get_running_cfg(node)
            assert ani.lab_error is None
        elif name == "routing-daemon-stopped":
            assert "ospfd is not running" in ani.execute_cmd(node, "show ip ospf neighbor")["output"]
        ani.close()
    finally:
        fault.undo(one, lab)
    with pytest.raises(FaultHasNoEffect):
        await_effects_end(fault, one, lab)
    await_that(lambda: not wrong(), lambda: f"wrong flows: {wrong()}")
    await_that(lambda: state(lab) == before, lambda: "configs or routes differ")


def await_effects_end(fault: Any, one: Any, lab: Any) -> None:
    """Observe until it fails."""
    await_that(lambda: not seen(fault, one, lab), lambda: "it is still there")
    fault.observe(one, lab)


def seen(fault: Any, one: Any, lab: Any) -> bool:
    try:
        fault.observe(one, lab)
    except FaultHasNoEffect:
        return False
    return True
