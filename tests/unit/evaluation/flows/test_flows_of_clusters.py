"""Flows of tasks on clusters, drawn from a shipped one."""

from __future__ import annotations

from functools import cache

from pytest_netbench.evaluation.flows import draw, flows_of
from pytest_netbench.model.objects import POD
from pytest_netbench.model.reference import ReferenceFlow
from pytest_netbench.model.task import Task
from pytest_netbench.taskfile.loader import load_task
from tests.support.task_list import TASKS, lab_files

ALL = 10_000


@cache
def three_tiers() -> Task:
    return load_task(TASKS / "kubernetes/three-tiers.task.yaml")


@cache
def flows(count: int = ALL, seed: int = 1) -> tuple[ReferenceFlow, ...]:
    return flows_of(three_tiers(), seed=seed, count=count)


def test_every_ordered_pair_of_pods_is_tried_at_every_port_that_is_named_and_beside():
    pods = {node.name for node in three_tiers().network.topology.nodes if node.role == POD}
    for port in (6379, 6380, 8080, 9000, 9002, 53):
        for transport in ("tcp", "udp"):
            tried = {(one.source, one.target_node) for one in flows() if (one.protocol, one.port) == (transport, port)}
            assert tried >= {(source, target) for source in pods for target in pods if source != target}
    assert {one.source for one in flows() if one.protocol == "icmp"} == pods


def test_services_are_tried_by_their_addresses_and_pods_by_their_names():
    by_address = {(one.target, one.target_node, one.port) for one in flows() if one.target_address is not None}
    assert by_address == {
        ("10.96.12.1", "portal", 80),
        ("10.96.12.2", "mobile", 80),
        ("10.96.12.3", "accounts", 80),
        ("10.96.12.4", "payments", 80),
        ("10.96.12.5", "ledger", 6379),
        ("10.96.12.6", "archive", 6379),
    }


def test_a_part_of_them_is_the_same_for_equal_seeds_and_in_order():
    assert len(flows(count=100)) == 100
    assert flows_of(three_tiers(), seed=1, count=100) == flows(count=100)
    assert flows(count=100, seed=2) != flows(count=100)
    places = [flows().index(one) for one in flows(count=100)]
    assert places == sorted(places)


def test_flows_of_a_lab_are_drawn_from_its_addresses():
    task = load_task(lab_files()[0])
    assert flows_of(task, seed=3, count=50) == draw(task, seed=3, count=50)
