"""The text of a query says all that the ground truth does."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_netbench.datacenter_graph import wording
from pytest_netbench.datacenter_graph.query import Query
from tests.support.plans import plans

PORT = {"op": "add", "name": "a.p9", "type": "EK_PORT", "parent": "a", "capacity_bps": 10}
SWITCH = {"op": "add", "name": "b.s1", "type": "EK_PACKET_SWITCH", "parent": "b", "capacity_bps": 10, "ports": 2}


IF = {"op": "if", "measure": {"op": "capacity", "name": "x"}, "at_least": 7, "then": [PORT]}
TEXTS = {
    "Add the node a.p9 of type EK_PORT with physical_capacity_bps 10 to a. Return the graph.": [PORT],
    """Add the node b.s1 of type EK_PACKET_SWITCH with switch_loc {'stage': 1} to b, and to it 2 EK_PORT nodes named
    b.s1.p1 to b.s1.p2, each with physical_capacity_bps 10. Return the graph.""": [SWITCH],
    """Step 1: Remove x. Step 2: In the resulting graph: How many EK_PORT nodes does y contain, directly or indirectly?
    Return the number under `data`.""": [{"op": "remove", "name": "x"}, {"op": "count", "name": "y"}],
    """Rank the nodes that x contains directly by their capacity. Return a list of rows [name, capacity] under `data`:
    the largest capacity first; rows of equal capacity in ascending order of their names, as Python compares
    strings.""": [{"op": "rank", "name": "x"}],
    """If the capacity of x is at least 7: Add the node a.p9 of type EK_PORT with physical_capacity_bps 10 to a.
    Otherwise do nothing. Return the graph.""": [IF],
}


@pytest.mark.parametrize("text", TEXTS)
def test_a_query_is_said_in_plain_words(text):
    assert wording.question(Query.model_validate({"steps": TEXTS[text]})) == " ".join(text.split())


def test_the_text_names_every_operand_of_the_query():
    def operands(value: Any) -> list[str]:
        if isinstance(value, dict):
            return [word for key, one in value.items() if key != "op" for word in operands(one)]
        if isinstance(value, list):
            return [word for one in value for word in operands(one)]
        return [] if value in (None, 0) else [str(value)]

    for plan in plans(200):
        for word in operands(plan.query.model_dump(mode="json")["steps"]):
            assert word in plan.question, plan.question


def test_different_queries_have_different_texts():
    texts = {plan.question: plan.query for plan in plans(600)}
    for plan in plans(600):
        assert texts[plan.question] == plan.query


def test_ties_missing_ports_and_what_must_stay_are_said_in_the_conventions():
    said = " ".join(wording.CONVENTIONS)
    for phrase in ("Without ports it is 0", "each port counts once", "Change nothing else", "Nothing else is added"):
        assert phrase in said
    assert "equal capacity in ascending order of their names" in wording.question(
        Query.model_validate({"steps": [{"op": "rank", "name": "x"}]})
    )
