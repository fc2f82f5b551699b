"""The rules of data-center graphs: each broken alone is noticed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pytest_netbench.datacenter_graph.building import Sizes, built
from pytest_netbench.datacenter_graph.graph import Graph
from pytest_netbench.datacenter_graph.safety import violations

SWITCH, PORT = "ju1.s1.s1c1", "ju1.s1.s1c1.p1"


def small() -> Graph:
    return built(Sizes(super_blocks=1, agg_blocks=1, spine_blocks=1, switches=2, ports=2)).copy()


def node(which: str, /, **attributes: object) -> Callable[[Graph], object]:
    return lambda graph: graph.nodes[which].update(attributes)


def without(name: str, attribute: str) -> Callable[[Graph], object]:
    return lambda graph: graph.nodes[name].pop(attribute)


def edge(one: str, other: str, kind: str = "RK_CONTAINS") -> Callable[[Graph], object]:
    return lambda graph: graph.edges.update({(one, other): kind})


def no_edge(*ends: str) -> Callable[[Graph], object]:
    return lambda graph: graph.edges.pop(ends)


def removed(*names: str) -> Callable[[Graph], object]:
    def remove(graph: Graph) -> None:
        for name in names:
            del graph.nodes[name]
            for ends in [ends for ends in graph.edges if name in ends]:
                del graph.edges[ends]

    return remove


def test_a_graph_that_was_built_keeps_all_rules():
    assert violations(small()) == []


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (node(PORT, type="EK_MOON"), "its type is 'EK_MOON'"),
        (node(PORT, type=["EK_PORT"]), "its type is ['EK_PORT']"),
        (without(PORT, "type"), "its type is None"),
        (without(PORT, "name"), "its attribute name is None"),
        (node(PORT, name="other"), "its attribute name is 'other'"),
        (without(PORT, "physical_capacity_bps"), "its physical_capacity_bps is None"),
        (node(PORT, physical_capacity_bps=0), "its physical_capacity_bps is 0"),
        (node(PORT, physical_capacity_bps=True), "its physical_capacity_bps is True"),
        (node(PORT, physical_capacity_bps="1"), "its physical_capacity_bps is '1'"),
        (without(SWITCH, "switch_loc"), "its switch_loc is None"),
        (edge("ju1", PORT), "EK_JUPITER cannot contain EK_PORT"),
        (edge("ju1", SWITCH, "RK_CONTROL"), "EK_JUPITER cannot control EK_PACKET_SWITCH"),
        (edge(SWITCH, PORT, "RK_LIKES"), "its type is 'RK_LIKES'"),
        (edge(SWITCH, "nobody"), "it ends at no node"),
        (edge("ju1.s1.s2c2", PORT), "2 switches contain it"),
        (no_edge(SWITCH, PORT), "it has no edge"),
        (removed(PORT, "ju1.s1.s1c1.p2"), "it has no port"),
        (no_edge("ju1.s1", SWITCH), "0 blocks contain it"),
        (edge("ju1.a1.m1", SWITCH), "2 blocks contain it"),
        (no_edge("ju1", "ju1.s1"), "nothing contains it"),
        (removed("ju1.s1.s1c1.chassis", "ju1.s1.s2c2.chassis"), "node 'ju1.s1.rack': it has no edge"),
    ],
)
def test_each_rule_is_noticed_when_it_is_broken(change, words):
    graph = small()
    change(graph)
    assert any(words in phrase for phrase in violations(graph)), violations(graph)


def test_a_removed_switch_may_leave_its_chassis_and_its_control_point():
    graph = small()
    removed(SWITCH, PORT, "ju1.s1.s1c1.p2")(graph)
    assert violations(graph) == []
