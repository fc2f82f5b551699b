"""The generator ``repair-network`` on paper: what it draws, how often, and that it can be repeated."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from pytest_netbench.agents.nop import Nop
from pytest_netbench.dialects.syntax import syntax_of
from pytest_netbench.errors import UsageError
from pytest_netbench.faults.evidence.observation import unlike
from pytest_netbench.faults.paths import connects
from pytest_netbench.faults.reasoning import known, repairs
from pytest_netbench.generators.default_faults import REPAIRED as FAULTS
from pytest_netbench.generators.faulty_networks import MOST_SIZES, SIZES
from pytest_netbench.generators.faulty_parameters import USUAL_SHAPES
from pytest_netbench.generators.networks import NetworkParameters, draw_network
from pytest_netbench.generators.networks.shapes import SHAPES
from pytest_netbench.generators.repair_network import RepairNetwork, RepairNetworkParameters
from pytest_netbench.generators.series import read_series
from pytest_netbench.generators.values import Span
from pytest_netbench.model.causes import causes_of
from pytest_netbench.model.faulty import fault_of
from pytest_netbench.model.repair import repair_of
from pytest_netbench.model.task import Task
from pytest_netbench.trial.limits import brief_for, terms_for
from tests.support.ios import paper, typed

GENERATOR = RepairNetwork()
CODE = """
from pytest_netbench.generators.repair_network import RepairNetwork, RepairNetworkParameters
parameters = RepairNetworkParameters(level="1-3")
for index in range(12):
    print(RepairNetwork().draw(parameters, seed=5, index=index).model_dump_json(by_alias=True))
"""
# upper 0.1 % points of the chi-square distribution by degrees of freedom
CRITICAL = {2: 13.82, 5: 20.52, 6: 22.46, 7: 24.32, 15: 37.70, 19: 43.82}


def one(index: int, *, seed: int = 1, **parameters: Any) -> Task:
    return GENERATOR.draw(RepairNetworkParameters.model_validate(parameters), seed=seed, index=index)


def many(count: int, **parameters: Any) -> list[Task]:
    return [one(index, **parameters) for index in range(count)]


def spread(counts: Counter[Any], kinds: int) -> float:
    """The chi-square statistic of counts that should be equal."""
    mean = counts.total() / kinds
    return sum((count - mean) ** 2 / mean for count in counts.values()) + (kinds - len(counts)) * mean


def test_the_same_draw_has_the_same_bytes_in_another_process() -> None:
    drawn = [
        subprocess.run(
            [sys.executable, "-c", CODE], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    ]
    here = [one(index, seed=5, level="1-3").model_dump_json(by_alias=True) for index in range(12)]
    assert drawn[0] == drawn[1]
    assert drawn[0].decode().splitlines() == here


def test_the_task_names_its_draw_and_the_labels_of_its_faults() -> None:
    for task in many(40, level="1-3"):
        assert task.drawn is not None
        faults = repair_of(task).faults
        assert task.drawn.label == "+".join(fault_of(fault.fault).label for fault in faults)
        assert task.drawn.level == len(faults)
        assert task.slug == task.drawn.slug
        again = RepairNetworkParameters.model_validate(task.drawn.parameters)
        assert GENERATOR.draw(again, seed=1, index=task.drawn.index) == task


def test_every_size_of_every_shape_can_be_drawn() -> None:
    assert set(SIZES) == set(SHAPES)
    for shape, sizes in SIZES.items():
        for size in sizes:
            draw_network(NetworkParameters(shape=shape, sizes={**size, "hosts": 2}))


@pytest.mark.parametrize(("size", "least"), [(4, 60), (5, 120)])
def test_large_sizes_have_so_many_routers_and_switches(size: int, least: int) -> None:
    shapes = [shape for shape, sizes in SIZES.items() if len(sizes) >= size]
    assert set(shapes) == {"campus", "clos", "isp", "leaf-spine", "tree"}
    for shape in shapes:
        network = draw_network(NetworkParameters(shape=shape, sizes={**SIZES[shape][size - 1], "hosts": 2}))
        assert least <= len(network.topology.nodes) - len(network.hosts) <= least + 10, shape


def test_a_size_is_drawn_of_the_shapes_that_have_it() -> None:
    drawn = [GENERATOR.draw(RepairNetworkParameters(size=Span(low=4, high=4)), seed=1, index=one) for one in range(6)]
    assert all(len(repair_of(task).topology.nodes) >= 60 for task in drawn)
    with pytest.raises(UsageError, match=r"size=3-4 is there for shapes campus, clos, .* \(given: ring\)$"):
        GENERATOR.draw(RepairNetworkParameters(size=Span(low=3, high=4), shapes=("ring",)), seed=1, index=0)


def test_every_fault_shape_routing_and_platform_is_drawn() -> None:
    tasks = many(300, level="1")
    assert {fault.fault for task in tasks for fault in repair_of(task).faults} == set(FAULTS)
    assert {task.task_name.split(" of shape ")[1].split()[0] for task in tasks} == set(USUAL_SHAPES)
    assert {task.task_name.split(" with ")[1].split()[0] for task in tasks} == {"bgp", "ospf", "static"}
    assert {task.network.platform for task in tasks} == {"cisco_ios", "frr"}


def test_each_fault_is_drawn_equally_often() -> None:
    tasks = many(500, level="1")
    counts = Counter(repair_of(task).faults[0].fault for task in tasks)
    assert spread(counts, len(FAULTS)) < CRITICAL[len(FAULTS) - 1]


def test_each_place_of_a_fault_is_drawn_equally_often() -> None:
    given = {"shapes": ("line",), "platforms": ("frr",), "size": "2", "names": "plain", "faults": ("ospf-area-wrong",)}
    tasks = many(480, level="1", **given)
    counts = Counter(repair_of(task).faults[0].model_dump_json() for task in tasks)
    assert len(counts) == 4 * 4, "four ends of links, four other areas"
    assert spread(counts, 16) < CRITICAL[15]


@pytest.mark.parametrize(
    ("fault", "places", "given"),
    [
        ("mask-wrong", 6, {"shapes": ("line",)}),  # three LANs, two masks
        ("host-address-duplicate", 6, {"shapes": ("line",), "hosts": "1"}),  # three hosts, two others
        ("vlan-wrong", 8, {"shapes": ("campus",)}),  # two blocks with four hosts, one other VLAN
        ("port-shutdown", 7, {"shapes": ("line",)}),  # three LANs, both ends of two links
        ("nat-side-wrong", 3, {"shapes": ("dual-homed-isp",)}),  # a provider, two sites
    ],
)
def test_each_place_of_a_fault_of_addresses_or_ports_is_drawn_equally_often(
    fault: str, places: int, given: dict[str, Any]
) -> None:
    common = {"size": "2", "hosts": "2", "names": "plain", "platforms": ("cisco_ios",), "routings": ("ospf", "bgp")}
    tasks = many(25 * places, level="1", faults=(fault,), **{**common, **given})
    counts = Counter(repair_of(task).faults[0].model_dump_json() for task in tasks)
    assert len(counts) == places
    assert spread(counts, places) < CRITICAL[places - 1]


def test_networks_have_services_whether_or_not_their_faults_need_them() -> None:
    tasks = many(120, level="1", platforms=("cisco_ios",))
    with_filter = {task.slug for task in tasks if "access-group" in str(task.network.startup_configs)}
    with_fault = {task.slug for task in tasks if repair_of(task).faults[0].fault == "access-list-order"}
    assert with_fault < with_filter
    assert len(tasks) / 3 < len(with_filter) < len(tasks) * 2 / 3
    assert not any("nat" in str(task.network.startup_configs).split() for task in many(50, services=("filter",)))


def test_what_lets_flows_through_is_repaired_before_what_stops_them() -> None:
    tasks = many(60, level="2-3", platforms=("cisco_ios",), faults=("access-list-order", "mask-wrong", "port-shutdown"))
    orders = [[fault.fault for fault in repair_of(task).faults] for task in tasks]
    with_list = [order for order in orders if "access-list-order" in order]
    assert with_list
    assert all(order[-1] == "access-list-order" for order in with_list)


def test_hosts_are_managed_in_all_networks_or_in_none() -> None:
    for faults, control in ((FAULTS, "managed"), (("ospf-area-wrong", "mask-wrong"), "observed")):
        for task in many(30, faults=faults):
            hosts = [node for node in task.network.topology.nodes if node.role == "host" and node.control != "foreign"]
            assert {host.control for host in hosts} == {control}


def test_a_link_is_broken_only_where_there_is_no_other_path() -> None:
    for task in many(60, level="1", shapes=("leaf-spine", "ring", "line"), faults=("ospf-timers-wrong",), size="1-3"):
        assert "shape ring" not in task.task_name
    with pytest.raises(UsageError, match=r"no network of shapes=ring, .* has a place for ospf-timers-wrong"):
        one(0, level="1", shapes=("ring",), faults=("ospf-timers-wrong",))


def test_faults_of_one_task_do_not_touch_the_same_thing() -> None:
    for task in many(100, level="3"):
        touched = [
            thing
            for fault in repair_of(task).faults
            for known in [fault_of(fault.fault)]
            for thing in known.touches(known.parameters.model_validate(fault.parameters))
        ]
        assert len(touched) == len(set(touched))


def test_all_hosts_must_reach_each_other_by_ping_and_at_port_80() -> None:
    for task in many(20, services=()):
        payload = repair_of(task)
        hosts = {node.name for node in payload.topology.nodes if node.role == "host"}
        ping, http = payload.flows
        assert set(ping.sources) == set(ping.targets) == set(http.sources) == set(http.targets) == hosts
        assert (ping.protocol, http.protocol, http.port) == ("icmp", "tcp", 80)
        assert payload.symptom is None


def test_the_brief_tells_what_must_work_and_nothing_of_the_faults() -> None:
    for task in many(30, level="1-3"):
        brief = brief_for(task, terms_for(task, Nop().info)).model_dump_json()
        assert task.drawn is not None
        for secret in (
            *(fault.fault for fault in repair_of(task).faults),
            task.slug,
            task.drawn.label + "]",
            "symptom",
        ):
            assert secret not in brief, secret


def test_a_given_diagnosis_names_each_cause_and_its_place_and_no_repair() -> None:
    for series in ("repair-network:given=diagnosis,level=2,n=8,seed=3", "repair-network:level=2,n=8,seed=3"):
        for source in read_series(series).sources():
            task = source.load()
            text = brief_for(task, terms_for(task, Nop().info)).model_dump_json()
            causes = causes_of(repair_of(task).faults, repair_of(task).topology)
            is_given = "given" in series
            assert [one.resources[0] in text for one in causes] == [is_given] * 2
            assert ("Find out why" in text) is not is_given
            lines = [line.strip() for _, _, commands in repairs(repair_of(task).faults) for line in commands]
            assert not [line for line in lines if line in text]


def test_what_is_out_of_range_is_refused() -> None:
    with pytest.raises(ValidationError, match="6 is not within 1-5"):
        RepairNetworkParameters.model_validate({"level": "6"})
    with pytest.raises(ValidationError, match="Input should be"):
        RepairNetworkParameters.model_validate({"faults": ("interface-down",)})


@pytest.mark.parametrize("name", ["ospf-mtu-wrong", "bgp-filter-wrong"])
def test_a_thousand_tasks_are_drawn_in_ten_seconds(name: str) -> None:
    began = time.process_time()
    many(1000, level="1", faults=(name,))
    assert time.process_time() - began < 10


def test_a_network_stays_connected_without_what_faults_of_a_redundant_one_cut() -> None:
    network = draw_network(NetworkParameters(shape="mesh", routing="ospf"))
    fault = fault_of("ospf-area-wrong")
    assert all(connects(network, fault.cuts(one)) for one in fault.places(network))


def test_faults_of_one_task_are_injected_and_repaired_together_byte_for_byte() -> None:
    several = 0
    for task in many(60, level="3", platforms=("cisco_ios",)):
        payload = repair_of(task)
        faults = [known(fault) for fault in payload.faults]
        on_ios = [one for one in faults if payload.platform_of(one.parameters.node) == "cisco_ios"]
        devices = {
            name: paper(
                interfaces=payload.topology.interfaces(name),
                role=payload.topology.node(name).role,
                startup=payload.startup_configs[name],
            )
            for name in {one.parameters.node for one in on_ios}
        }
        several += len(devices) < len(on_ios)
        before = {name: device.running_config() for name, device in devices.items()}
        for one in on_ios:
            typed(devices[one.parameters.node], one.fault.change(one.parameters).inject)
        for one in on_ios:
            config = devices[one.parameters.node].running_config()
            assert (
                list(unlike(config, one.fault.change(one.parameters).config, syntax_of(one.parameters.platform))) == []
            ), task.slug
        for _, name, commands in repairs(payload.faults):
            if name in devices:
                typed(devices[name], commands)
        assert {name: device.running_config() for name, device in devices.items()} == before, task.slug
    assert several > 5


def test_the_reference_has_the_sizes_of_each_shape() -> None:
    page = (Path(__file__).parents[3] / "docs/reference/repair.md").read_text()
    for shape, sizes in SIZES.items():
        cells = [", ".join(f"`{name}` {count}" for name, count in one.items()) for one in sizes]
        cells += ["–"] * (MOST_SIZES - len(sizes))
        assert f"| `{shape}` | {' | '.join(cells)} |" in page
