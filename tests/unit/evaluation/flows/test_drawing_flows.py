"""Flows of the reference behaviour, drawn from shipped tasks and from small ones made for a rule."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import time
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_netbench.evaluation.flows import draw
from pytest_netbench.evaluation.flows.seeded_choice import SeededChoice
from pytest_netbench.model.reference import ReferenceFlow
from pytest_netbench.model.task import Task
from pytest_netbench.taskfile.loader import load_task
from tests.support.task_list import lab_files

ROOT = Path(__file__).parents[4]
TASKS = lab_files()
GROUPS = "security/acl-object-groups"


@cache
def task(name: str) -> Task:
    return load_task(ROOT / f"tasks/{name}.task.yaml")


@cache
def flows(name: str, seed: int = 1, count: int = 1000) -> tuple[ReferenceFlow, ...]:
    return draw(task(name), seed=seed, count=count)


def test_every_ordered_pair_of_nodes_is_drawn():
    drawn = {(flow.source, flow.target_node) for flow in flows(GROUPS) if flow.protocol == "icmp"}
    names = [node.name for node in task(GROUPS).network.topology.nodes]
    assert {(one, other) for one in names for other in names if one != other} <= drawn


@pytest.mark.parametrize("address", ["10.1.1.10", "10.1.1.13", "10.1.2.127", "10.1.2.128", "10.1.3.0"])
def test_both_sides_of_what_a_config_names_are_targets(address):
    assert any(flow.target == address for flow in flows(GROUPS))


@pytest.mark.parametrize("address", ["10.1.1.10", "10.1.1.11", "10.1.1.12", "10.1.1.13"])
@pytest.mark.parametrize("port", [5431, 5432, 5433, 3305, 3306, 3307])
def test_a_filter_is_tried_from_each_side_of_its_hosts_to_each_side_of_its_ports(address, port):
    owners = {"10.1.1.11": "web1", "10.1.1.12": "web2"}
    drawn = flows(GROUPS, count=10_000)
    sent = {
        flow.protocol
        for flow in drawn
        if flow.port == port
        and not flow.is_unusual
        and (flow.source_address == address or (flow.source_address is None and flow.source == owners.get(address)))
        and flow.target == "10.1.2.10"
    }
    assert sent == {"tcp", "udp"}


def test_an_address_that_no_node_has_is_kept_by_one_leaf_of_its_subnet():
    senders: dict[str, set[str]] = {}
    near = {"web1", "web2", "stranger"}
    for flow in flows(GROUPS, count=10_000):
        if flow.stand_in is not None:
            assert flow.target_node is None
            senders.setdefault(flow.target, set()).add(flow.stand_in)
        if flow.source_address is not None and flow.source_address.startswith("10.1.1.") and flow.source in near:
            senders.setdefault(flow.source_address, set()).add(flow.source)
    assert {address: nodes for address, nodes in senders.items() if len(nodes) > 1} == {}
    assert len(senders) > 20


def test_no_node_sends_from_an_address_of_its_neighbor():
    owners = {"10.1.1.1": "Core", "10.1.1.11": "web1", "10.1.1.12": "web2", "10.1.1.99": "stranger"}
    for flow in flows(GROUPS, count=10_000):
        if flow.source in {"web1", "web2", "stranger", "Core"} and flow.source_address in owners:
            assert flow.source == owners[flow.source_address]


def test_sources_are_spoofed_from_every_leaf():
    spoofed = {flow.source for flow in flows("security/anti-spoofing") if "is no address of" in flow.why}
    nodes = task("security/anti-spoofing").network.topology
    assert spoofed >= {node.name for node in nodes.nodes if len(nodes.interfaces(node.name)) == 1}


def test_markings_that_a_config_names_are_drawn_with_their_neighbors():
    drawn = {flow.dscp for flow in flows("qos/two-rate-policer")}
    assert {0, 25, 26, 27, 28, 29, 46} <= drawn


def test_a_task_without_markings_has_unmarked_flows_alone():
    assert {flow.dscp for flow in flows(GROUPS)} == {0}


def test_ipv6_is_drawn_where_the_network_has_it():
    drawn = flows("routing/ipv6-ospfv3-areas")
    assert len(drawn) == 1000
    assert all(":" in flow.target for flow in drawn)
    assert any(flow.target == "2001:db8:eeee::10" and flow.target_node == "internet" for flow in drawn)


def test_a_translated_port_leads_to_the_inside_node_and_its_port():
    found = [flow for flow in flows("security/nat-port-forward") if (flow.target, flow.port) == ("198.51.100.10", 443)]
    forwarded = [flow for flow in found if flow.protocol == "tcp"]
    assert forwarded
    assert {(flow.target_node, flow.listen_port) for flow in forwarded} == {("server", 8443)}
    assert {(flow.target_node, flow.listen_port) for flow in found if flow.protocol == "udp"} <= {("gw", None)}


def test_a_shared_address_belongs_to_no_node_and_nobody_stands_in_for_it():
    shared = [flow for flow in flows("routing/hsrp-two-lans") if flow.target in {"10.1.10.1", "10.1.20.1"}]
    assert shared
    assert {(flow.target_node, flow.stand_in) for flow in shared} == {(None, None)}


def test_both_directions_are_drawn():
    drawn = {(flow.source, flow.target_node) for flow in flows(GROUPS) if flow.protocol != "icmp" and flow.target_node}
    assert all((target, source) in drawn for source, target in drawn)


@pytest.mark.parametrize("protocol", ["gre", "esp", "segment", "unreachable"])
def test_one_way_packets_go_to_an_address_of_one_node(protocol):
    drawn = [flow for flow in flows(GROUPS) if flow.protocol == protocol]
    assert len(drawn) >= 3
    assert all(flow.target_node is not None and flow.stand_in is None for flow in drawn)
    assert {flow.port is not None for flow in drawn} == {protocol == "segment"}


@pytest.mark.parametrize("name", [GROUPS, "security/nat-overload-and-forwards"])
def test_an_address_gets_tunnels_of_one_node_alone(name):
    senders: dict[tuple[str, str], set[str]] = {}
    for flow in flows(name, count=10_000):
        if flow.protocol in ("gre", "esp"):
            senders.setdefault((flow.protocol, flow.target), set()).add(flow.source)
    assert len(senders) > 5
    assert {len(nodes) for nodes in senders.values()} == {1}


def test_a_node_sends_tunnels_of_one_protocol_and_takes_those_of_the_other():
    drawn = [flow for flow in flows("security/nat-overload-and-forwards") if flow.protocol in ("gre", "esp")]
    assert {flow.protocol for flow in drawn} == {"gre", "esp"}
    sent = {(flow.protocol, flow.source) for flow in drawn}
    taken = {(flow.protocol, flow.target_node) for flow in drawn}
    assert not sent & taken


def test_a_testcase_is_asked_from_ports_of_services():
    found = [flow for flow in flows(GROUPS) if flow.protocol in ("tcp", "udp") and flow.source_port is not None]
    assert {flow.target for flow in found} >= {"10.1.2.10"}
    assert any(flow.source_port < 1024 for flow in found)


def test_answers_come_from_the_port_of_a_testcase():
    found = [flow for flow in flows(GROUPS) if flow.protocol == "segment" and flow.source_port == 5432]
    assert any(flow.port >= 49152 for flow in found)


def test_a_host_of_a_filter_is_tried_with_each_bit_turned():
    sources = {flow.source_address for flow in flows(GROUPS, count=10_000) if "one bit beside" in flow.why}
    assert {f"10.1.1.{11 ^ 1 << bit}" for bit in range(2, 7)} <= sources


def test_a_task_about_markings_has_all_standard_ones():
    assert {8, 10, 44, 46, 48, 56} <= {flow.dscp for flow in flows("qos/two-rate-policer", count=2000)}


def test_each_flow_says_why_it_was_drawn():
    reasons = {flow.why for flow in flows(GROUPS)}
    assert "" not in reasons
    assert {"every pair of nodes", "address after 10.1.2.0/25", "last address of 10.1.2.0/25"} <= reasons
    assert any(reason.endswith("port after 5432") for reason in reasons)


@pytest.mark.parametrize("path", TASKS, ids=lambda path: path.name.partition(".")[0])
def test_every_shipped_task_has_as_many_flows_as_asked_for(path):
    drawn = draw(load_task(path), seed=3, count=400)
    assert len({flow.key for flow in drawn}) == len(drawn) == 400
    assert all(flow.source not in {flow.target_node, flow.stand_in} for flow in drawn)


def test_another_seed_and_ten_times_the_count_bring_other_flows():
    known = {flow.key for flow in flows(GROUPS)}
    more = {flow.key for flow in flows(GROUPS, seed=2, count=10_000)}
    assert len(more) == 10_000
    assert len(more - known) > 8500


def test_a_small_count_gives_each_kind_its_share():
    few = flows(GROUPS, count=40)
    assert len(few) == 40
    reasons = [flow.why.split(" ")[0] for flow in few]
    assert {"every", "source:", "a"} <= set(reasons)


def test_the_draw_is_the_same_in_every_process():
    code = (
        "import hashlib, pathlib\n"
        "from pytest_netbench.evaluation.flows import draw\n"
        "from pytest_netbench.taskfile.loader import load_task\n"
        f"drawn = draw(load_task(pathlib.Path({str(ROOT)!r}) / 'tasks/{GROUPS}.task.yaml'), seed=1, count=1000)\n"
        "print(hashlib.sha256(repr(drawn).encode()).hexdigest())\n"
    )
    here = hashlib.sha256(repr(flows(GROUPS)).encode()).hexdigest()
    for salt in ("0", "1", "4711"):
        environment = os.environ | {"PYTHONHASHSEED": salt}
        made = subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True, cwd=ROOT
        )
        assert made.stdout.strip() == here


def test_drawing_takes_little_time():
    largest = max(TASKS, key=lambda path: len(load_task(path).network.topology.nodes))
    loaded = load_task(largest)
    draw(loaded, seed=9, count=10)

    def seconds(count: int) -> float:
        began = time.process_time()
        draw(loaded, seed=9, count=count)
        return time.process_time() - began

    assert min(seconds(1000) for _ in range(3)) < 0.2
    assert min(seconds(10_000) for _ in range(2)) < 2


@given(st.integers(0, 2**32), st.lists(st.integers(), max_size=30))
@settings(max_examples=60)
def test_a_shuffle_keeps_what_it_shuffles(seed, items):
    assert sorted(SeededChoice(seed).shuffled(items)) == sorted(items)


@given(st.integers(0, 2**32), st.integers(1, 2**128))
@settings(max_examples=100)
def test_a_number_is_drawn_below_its_limit(seed, limit):
    assert 0 <= SeededChoice(seed).below(limit) < limit


def test_wide_numbers_reach_the_upper_half():
    choice = SeededChoice(5)
    assert any(choice.below(1 << 64) >> 63 for _ in range(20))
    assert len({choice.below(1 << 64) % 1024 for _ in range(200)}) > 150
