"""The reasoning of faults: what is wrong and where, how it shows, and how it is repaired."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_netbench import parts
from pytest_netbench.faults.builders import config_fault
from pytest_netbench.faults.change import Change, OnDevice
from pytest_netbench.faults.reasoning import explained, reasoning, repairs
from pytest_netbench.generators.default_faults import REPAIRED as NETWORK_FAULTS
from pytest_netbench.generators.repair_network import RepairNetwork, RepairNetworkParameters
from pytest_netbench.generators.repair_routing import FAULTS
from pytest_netbench.model.faulty import FlowGroup, InjectedFault, fault_of
from pytest_netbench.model.repair import repair_of
from tests.support.repairs import drawn_repair
from tests.support.stars import star_site

LISTED = tuple(name for names in FAULTS.values() for name in names)
FLOWS = (
    FlowGroup(sources=("h1", "h2"), targets={"h1": "10.0.0.1", "h2": "10.0.0.2"}),
    FlowGroup(sources=("h1",), targets={"h2": "10.0.0.2"}, protocol="tcp", port=23, allowed=False),
)


def injected(name: str, **parameters: Any) -> InjectedFault:
    return InjectedFault(fault=name, parameters={"node": "r0", **parameters})


@pytest.mark.parametrize("name", LISTED)
def test_a_fault_says_where_it_is_and_every_choice_of_it_is_told_apart(name: str) -> None:
    fault: Any = fault_of(name)
    targets = list(fault.targets(star_site(3, 3)))
    words = {fault.explain(one): one for one in targets}
    assert len(words) == len(targets)
    for text in words:
        assert "r0" in text
        assert text.endswith("` shows it.")


def test_a_drawn_task_says_each_command_that_repairs_it() -> None:
    for index in range(120):
        task = drawn_repair(index, subnets="3", hosts="2", level="1-4")
        lines = task.ground_truth_reasoning.splitlines()
        for _, node, commands in repairs(repair_of(task).faults):
            for command in commands:
                assert f"`{command}`" in task.ground_truth_reasoning
            assert f"Repair on {node}: " in task.ground_truth_reasoning
        assert len(lines) == 3 + len(repair_of(task).faults)


@pytest.mark.parametrize("name", NETWORK_FAULTS)
def test_a_fault_of_a_device_says_where_it_is_and_what_is_configured(name: str) -> None:
    parameters = RepairNetworkParameters.model_validate({"faults": (name,), "level": "1"})
    task = RepairNetwork().draw(parameters, seed=1, index=0)
    (one,) = repair_of(task).faults
    text = explained(one)
    assert one.parameters["node"] in text
    assert text in task.ground_truth_reasoning
    for _, node, commands in repairs([one]):
        assert f"Repair on {node}: " in task.ground_truth_reasoning
        assert all(f"`{command.strip()}`" in task.ground_truth_reasoning for command in commands)


def test_lines_that_are_typed_again_for_their_order_are_not_told() -> None:
    interface = {
        "interface": "Gi0/1",
        "address": "10.0.0.1",
        "peer": "r1",
        "neighbor": "10.0.0.2",
        "prefix": "10.0.0.0/30",
    }
    where = {"platform": "cisco_ios", "process": "router ospf 1", "behind": ["passive-interface Loopback0"]}
    text = explained(injected("ospf-interface-passive", **interface, **where))
    assert "`passive-interface Gi0/1`" in text
    assert "Loopback0" not in text


def test_the_fault_that_was_injected_last_comes_first() -> None:
    text = reasoning([injected("ip-forwarding-off"), injected("interface-down", interface="eth0")])
    assert text.startswith("2 things are wrong")
    assert text.index("eth0") < text.index("sysctl")


def test_the_flows_that_are_wrong_are_counted_by_kind() -> None:
    text = reasoning([injected("ip-forwarding-off")], flows=FLOWS, symptom=(0, 2))
    assert "At first 1 of 2 ping flows and 1 of 1 forbidden TCP port 23 flows are wrong." in text
    assert "At first" not in reasoning([injected("ip-forwarding-off")], flows=FLOWS)


def test_a_fault_without_words_of_its_own_is_told_by_its_kind_and_its_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong_area = config_fault(
        "wrong-area",
        about="An interface is in the wrong area.",
        label="AREA",
        parameters=OnDevice,
        at=lambda _: (),
        touches=lambda p: frozenset({p.node}),
        change=lambda p: Change(
            inject=("router ospf", " area 1"),
            repair=("router ospf", " area 7"),
            elsewhere={"r2": Change(repair=("exit",))},
        ),
    )
    known = parts.load
    monkeypatch.setattr(parts, "load", lambda group, name: wrong_area if name == "wrong-area" else known(group, name))
    one = injected("wrong-area", platform="frr")
    told = "An interface is in the wrong area. On r0, the configuration is as after `router ospf`, `area 1`."
    assert explained(one) == told
    assert "Repair on r0: `router ospf`, `area 7`; on r2: `exit`." in reasoning([one])
