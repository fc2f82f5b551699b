"""Comparison by canonical keyed structure."""

from __future__ import annotations

import time

import pytest

from pytest_netbench.datacenter_graph.building import Sizes, built
from pytest_netbench.datacenter_graph.comparison import changes, matches, unasked
from pytest_netbench.datacenter_graph.graph import Graph


def test_a_graph_answer_on_the_full_graph_is_compared_within_50_ms():
    graph = built(Sizes())
    other = graph.copy()
    began = time.process_time()
    assert not changes(graph, other).any
    assert time.process_time() - began <= 0.05


def test_the_order_of_nodes_edges_and_attributes_does_not_matter():
    graph = built(Sizes(switches=2, ports=2))
    nodes = {name: dict(reversed(one.items())) for name, one in reversed(graph.nodes.items())}
    assert not changes(graph, Graph(nodes, dict(reversed(graph.edges.items())))).any


def test_every_difference_is_found_and_named():
    graph = built(Sizes(switches=2, ports=2))
    other = graph.copy()
    other.nodes["ju1.s1.s1c1.p1"]["physical_capacity_bps"] = 1
    other.nodes["new"] = {"name": "new", "type": "EK_RACK"}
    del other.edges["ju1", "ju1.s1"]
    other.edges["ju1.s1.s1c1.cp", "ju1.s1.s1c1"] = "RK_CONTAINS"
    found = changes(graph, other)
    assert found.added == {"new"}
    assert found.removed == {("ju1", "ju1.s1")}
    assert found.changed == {"ju1.s1.s1c1.p1", ("ju1.s1.s1c1.cp", "ju1.s1.s1c1")}
    assert found.describe() == (
        "added: new; removed: ('ju1', 'ju1.s1'); changed: ('ju1.s1.s1c1.cp', 'ju1.s1.s1c1'), ju1.s1.s1c1.p1"
    )


def test_a_truth_value_is_not_a_number():
    one = Graph({"a": {"x": {"y": [1]}}})
    assert changes(one, Graph({"a": {"x": {"y": [True]}}})).changed == {"a"}


def test_only_changes_elsewhere_are_unasked():
    before = Graph({"a": {"x": 1}, "b": {"x": 1}})
    wanted = Graph({"a": {"x": 2}, "b": {"x": 1}})
    assert not unasked(before, wanted, Graph({"a": {"x": 3}, "b": {"x": 1}})).any
    assert unasked(before, wanted, Graph({"a": {"x": 2}, "b": {"x": 2}})).changed == {"b"}
    assert unasked(before, wanted, Graph({"a": {"x": 2}})).removed == {"b"}


@pytest.mark.parametrize(
    ("kind", "expected", "given", "same"),
    [
        ("text", 4, 4, True),
        ("text", 4, "4", True),
        ("text", 4, " 4\n", True),
        ("text", 4, 5, False),
        ("text", 1, True, False),
        ("text", 4, 4.0, False),
        ("text", 4, [4], False),
        ("text", 4, None, False),
        ("list", ["a", "b"], ["b", "a"], True),
        ("list", ["a", "b"], ["a"], False),
        ("list", ["a", "b"], ["a", "b", "b"], False),
        ("list", ["a"], [["a"]], False),
        ("list", [], None, False),
        ("list", ["a"], "a", False),
        ("table", [["a", 2], ["b", 1]], [["a", 2], ["b", 1]], True),
        ("table", [["a", 2], ["b", 1]], [["b", 1], ["a", 2]], False),
        ("table", [["a", 2]], [["a", 2], ["b", 1]], False),
        ("table", [["a", 1]], [["a", True]], False),
        ("table", [["a", 1]], {"a": 1}, False),
        ("table", [], [], True),
    ],
)
def test_answers_are_compared_by_what_the_question_says_of_their_order(kind, expected, given, same):
    assert matches(kind, expected, given) is same
