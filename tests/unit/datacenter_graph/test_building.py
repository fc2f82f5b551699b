"""The built graph: as large as NetArena's, the same everywhere, and within the rules."""

from __future__ import annotations

import hashlib
import json
import time
from collections import Counter

import pytest

from pytest_netbench.datacenter_graph.building import Sizes, built
from pytest_netbench.datacenter_graph.graph import HIERARCHY
from pytest_netbench.datacenter_graph.safety import violations


def test_by_default_the_graph_is_as_large_as_netarenas():
    graph = built(Sizes())
    assert (len(graph.nodes), len(graph.edges)) == (5493, 6424)


def test_the_graph_has_the_ten_types_of_nodes_and_both_types_of_edges():
    graph = built(Sizes())
    assert {one["type"] for one in graph.nodes.values()} == set(HIERARCHY)
    assert len(HIERARCHY) == 10
    assert set(graph.edges.values()) == {"RK_CONTAINS", "RK_CONTROL"}


def test_the_graph_is_built_within_half_a_second():
    built.cache_clear()
    began = time.process_time()
    built(Sizes(seed=7))
    assert time.process_time() - began <= 0.5


def test_equal_sizes_and_seed_give_equal_bytes():
    text = json.dumps(built(Sizes(switches=4, ports=3, seed=5)).json(), sort_keys=True)
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == "b0c468722e43bf9d"


def test_the_seed_changes_capacities_alone():
    one, other = built(Sizes(seed=1)), built(Sizes(seed=2))
    assert list(one.nodes) == list(other.nodes)
    assert one.edges == other.edges
    differing = {one.nodes[name]["type"] for name in one.nodes if one.nodes[name] != other.nodes[name]}
    assert differing == {"EK_PORT"}


@pytest.mark.parametrize(
    "sizes", [Sizes(), Sizes(super_blocks=1, agg_blocks=1, spine_blocks=0, switches=2, ports=2), Sizes(switches=17)]
)
def test_every_built_graph_keeps_the_rules(sizes):
    assert violations(built(sizes)) == []


def test_the_numbers_of_nodes_follow_from_the_sizes():
    graph = built(Sizes(super_blocks=3, agg_blocks=2, spine_blocks=1, switches=5, ports=7))
    counts = Counter(one["type"] for one in graph.nodes.values())
    assert counts["EK_PACKET_SWITCH"] == counts["EK_CHASSIS"] == counts["EK_CONTROL_POINT"] == (3 * 2 + 1) * 5
    assert counts["EK_PORT"] == 35 * 7
    assert counts["EK_RACK"] == 7
    assert counts["EK_CONTROL_DOMAIN"] == 4
