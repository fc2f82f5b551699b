"""Golden answers: held to a second implementation in SQL, to their own source text, and to the rules."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_netbench.datacenter_graph import golden
from pytest_netbench.datacenter_graph.comparison import changes, matches
from pytest_netbench.datacenter_graph.graph import Graph
from pytest_netbench.datacenter_graph.query import Query
from pytest_netbench.datacenter_graph.safety import violations
from tests.support.plan_sql import SqlGraph
from tests.support.plans import drawn, plans

THOUSAND = 1000


def state_of(graph: Graph) -> tuple[set[Any], set[Any]]:
    nodes = {
        (name, one["type"], one.get("physical_capacity_bps"), one.get("switch_loc", {}).get("stage"))
        for name, one in graph.nodes.items()
    }
    return nodes, {(*ends, kind) for ends, kind in graph.edges.items()}


def test_a_thousand_drawn_queries_have_the_same_answer_in_sql():
    databases: dict[str, SqlGraph] = {}
    for plan in plans(THOUSAND):
        graph = plan.graph.graph()
        database = databases.setdefault(plan.graph.model_dump_json(), SqlGraph(graph))
        answer, changed = golden.answer(plan.query, graph)
        with database.unchanged():
            found = database.do(plan.query.model_dump(mode="json")["steps"])
            assert database.state() == state_of(changed), plan.question
        if plan.query.answer_type != "graph":
            assert matches(plan.query.answer_type, answer, found), plan.question


def test_the_golden_graph_of_a_thousand_drawn_queries_keeps_the_rules():
    for plan in plans(THOUSAND):
        assert violations(golden.answer(plan.query, plan.graph.graph())[1]) == [], plan.question


def test_every_drawn_query_that_asks_for_the_graph_changes_it():
    asked = [plan for plan in plans(THOUSAND) if plan.query.answer_type == "graph"]
    assert len(asked) > 100
    assert all(changes(plan.graph.graph(), golden.answer(plan.query, plan.graph.graph())[1]).any for plan in asked)


def test_the_source_text_gives_the_same_answer_and_graph():
    import networkx as nx

    for plan in plans(200):
        graph = plan.graph.graph()
        given = nx.DiGraph()
        described = graph.copy().json()
        given.add_nodes_from(map(tuple, described["nodes"]))
        given.add_edges_from(described["edges"])
        names: dict[str, Any] = {}
        exec(golden.source(plan.query), names)
        returned = names["process_graph"](given)
        answer, changed = golden.answer(plan.query, graph)
        left = Graph(dict(given.nodes(data=True)), {(u, v): edge["type"] for u, v, edge in given.edges(data=True)})
        assert returned.get("data") == answer
        assert not changes(changed, left).any


def test_an_answer_does_not_change_the_shared_graph():
    plan = next(plan for plan in plans(50) if plan.query.answer_type == "graph")
    before = plan.graph.graph().copy()
    golden.answer(plan.query, plan.graph.graph())
    assert not changes(before, plan.graph.graph()).any


def test_every_kind_of_answer_is_drawn():
    kinds = {plan.query.answer_type for plan in plans(100)}
    assert kinds == {"text", "list", "table", "graph"}
    assert len({task.drawn.label for task in drawn(THOUSAND) if task.drawn}) == 18


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        ([{"op": "list", "name": "a"}, {"op": "remove", "name": "b"}], "'list' asks something"),
        ([{"op": "for-each", "name": "a", "type": "EK_PORT", "steps": [{"op": "rank", "name": "a"}]}], "'rank' asks"),
        ([{"op": "count", "name": "a", "type": "EK_MOON"}], "unknown node type 'EK_MOON'"),
        ([{"op": "remove", "name": "a'); import os"}], "should match pattern"),
        ([{"op": "add", "name": "a", "type": "EK_PORT", "parent": "b"}], "need it"),
        ([{"op": "add", "name": "a", "type": "EK_PACKET_SWITCH", "parent": "b", "capacity_bps": 1}], "at least one"),
        ([], "at least 1 item"),
    ],
)
def test_a_query_without_meaning_is_refused(steps, words):
    with pytest.raises(ValueError, match=words.replace("'", ".")):
        Query.model_validate({"steps": steps})
