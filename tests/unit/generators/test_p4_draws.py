"""Draws of networks of P4 switches."""

from __future__ import annotations

import random
from typing import Any

import pytest

from pytest_netbench.errors import UsageError
from pytest_netbench.families.diagnose.measuring import telemetry_spec_of
from pytest_netbench.generators.default_faults import DIAGNOSED, OF_P4, REPAIRED, TROUBLESHOT
from pytest_netbench.generators.demands import draw_demands
from pytest_netbench.generators.diagnose_parameters import DiagnoseParameters
from pytest_netbench.generators.networks import NetworkParameters, draw_network
from pytest_netbench.generators.repair_network import RepairNetworkParameters
from pytest_netbench.generators.series import read_series
from pytest_netbench.generators.troubleshoot import TroubleshootParameters
from pytest_netbench.model.diagnosis import diagnose_of
from pytest_netbench.model.task import Task

IN_FLOWS = tuple(name for name in OF_P4 if name not in {"p4-group-short", "p4-switch-down"})
"""Those that flows show and commands repair."""


def drawn(series: str) -> list[Task]:
    return [source.load() for source in read_series(series).sources()]


@pytest.mark.parametrize(
    ("model", "usual", "more"),
    [
        (DiagnoseParameters, DIAGNOSED, OF_P4),
        (TroubleshootParameters, TROUBLESHOT, IN_FLOWS),
        (RepairNetworkParameters, REPAIRED, IN_FLOWS),
    ],
)
def test_their_faults_are_drawn_where_the_shape_is_asked_for_and_nowhere_else(
    model: Any, usual: Any, more: Any
) -> None:
    assert model().faults == usual
    assert not {*OF_P4} & {*usual}
    asked = model(shapes=("p4-leaf-spine",))
    assert asked.faults == (*usual, *more)
    assert (asked.routings[-1], asked.platforms[-1]) == ("p4", "p4")
    assert model.model_validate(asked.model_dump(mode="json")) == asked
    assert model(shapes=("p4-leaf-spine",), faults=("p4-entry-wrong",)).faults == ("p4-entry-wrong",)


@pytest.mark.parametrize("model", [TroubleshootParameters, RepairNetworkParameters])
def test_a_switch_that_is_down_is_drawn_where_faults_are_handed_over(model: Any) -> None:
    assert "p4-switch-down" in model(shapes=("p4-leaf-spine",), handover=True).faults
    assert "p4-switch-down" not in model(handover=True).faults
    with pytest.raises(ValueError, match="no command repairs it"):
        model(shapes=("p4-leaf-spine",), faults=("p4-switch-down",))


def test_a_repair_names_it_among_what_can_be_handed_over_in_these_networks_only() -> None:
    (of_p4,) = drawn("repair-network:shapes=p4-leaf-spine,faults=p4-switch-down,handover=true,n=1")
    (usual,) = drawn("repair-network:handover=true,n=1")
    assert "p4-switch-down" in of_p4.payload.tickets  # type: ignore[attr-defined]
    assert "p4-switch-down" not in usual.payload.tickets  # type: ignore[attr-defined]


def test_telemetry_has_counters_of_programs_in_these_networks_only() -> None:
    def told(series: str) -> str:
        (task,) = drawn(series)
        return telemetry_spec_of(diagnose_of(task)).description

    assert "counters(time_s REAL, lab_s REAL, node TEXT, counter TEXT, place INTEGER" in told(
        "diagnose:scenario=p4_dc_fabric,n=1"
    )
    assert "counters(" not in told("diagnose:n=1")
    assert "counters(" not in told("diagnose:scenario=p4_dc_fabric,monitoring=averages,n=1")


def test_a_draw_is_a_network_of_switches_and_hosts_and_some_are_healthy() -> None:
    tasks = drawn("diagnose:scenario=p4_dc_fabric,size=s,n=30,seed=2")
    assert sum(task.drawn is not None and task.drawn.label == "healthy" for task in tasks) == 9
    for task in tasks:
        assert {node.platform or task.network.platform for node in task.network.topology.nodes} == {"p4", "linux"}
    faults = {one.fault for task in tasks for one in task.payload.faults}  # type: ignore[attr-defined]
    assert len(faults & {*OF_P4}) >= 4


@pytest.mark.parametrize("fault", OF_P4)
def test_each_fault_is_drawn_at_many_places(fault: str) -> None:
    tasks = drawn(f"diagnose:scenario=p4_dc_fabric,size=2,hosts=3,faults={fault},level=1,healthy=0,names=plain,n=30")
    nodes = {task.payload.faults[0].parameters["node"] for task in tasks}  # type: ignore[attr-defined]
    assert len(nodes) >= 3


@pytest.mark.parametrize(("size", "switches"), [("1", 4), ("2", 7), ("3", 12)])
def test_there_are_three_sizes(size: str, switches: int) -> None:
    (task,) = drawn(f"repair-network:shapes=p4-leaf-spine,size={size},hosts=2,n=1")
    names = [node.name for node in task.network.topology.nodes if node.platform is None]
    assert len(names) == switches


def test_there_is_no_larger_size() -> None:
    with pytest.raises(UsageError, match="size=4 is there for shapes"):
        read_series("repair-network:shapes=p4-leaf-spine,size=4,n=1")


def test_leaves_spread_over_all_spines_and_answer_for_what_their_hosts_ask_for() -> None:
    network = draw_network(NetworkParameters(shape="p4-leaf-spine", sizes={"spines": 3, "hosts": 2}))
    lines = network.startup_configs["leaf2"].splitlines()
    assert lines[0] == "program ipv4_fabric"
    assert [line.split()[3] for line in lines if line.startswith("table_add gateways")] == [
        "10.0.2.1",
        "10.0.2.10",
        "10.0.2.11",
    ]
    assert "table_set_default ipv4_lpm ecmp 1 3" in lines
    members = [line.split() for line in lines if line.startswith("table_add ecmp_members")]
    assert [(words[4], words[-1]) for words in members] == [("0", "0"), ("1", "1"), ("2", "2")]
    assert "table_add ipv4_lpm drop 10.0.2.0/24 =>" in lines
    spine = network.startup_configs["spine3"].splitlines()
    assert [line.split()[3] for line in spine if "ipv4_lpm" in line] == ["10.0.1.0/24", "10.0.2.0/24"]


@pytest.mark.parametrize("traffic", ["uniform", "gravity"])
def test_their_traffic_is_a_quarter_of_that_of_other_networks(traffic: Any) -> None:
    p4, usual = (
        draw_demands(draw_network(NetworkParameters(shape=shape, sizes={"hosts": 2})), traffic, random.Random(1))
        for shape in ("p4-leaf-spine", "sdn-leaf-spine")
    )
    assert len(p4) == len(usual) > 3
    assert sum(one.rate_bps for one in p4) == pytest.approx(sum(one.rate_bps for one in usual) / 4, rel=0.01)
