"""The text of a query, and the conventions that make it unambiguous."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from pytest_netbench.datacenter_graph.graph import HIERARCHY
from pytest_netbench.datacenter_graph.query import READS, Add, Count, ForEach, If, Query

_MEMBERS: Final = "; ".join(f"{kind}: {', '.join(sorted(inner))}" for kind, inner in HIERARCHY.items() if inner)

CONVENTIONS: Final = tuple(
    " ".join(text.split())
    for text in (
        """The graph is a networkx DiGraph. The key of each node is its name. Each node has the attributes `name` and
        `type`; nodes of type EK_PACKET_SWITCH also have `switch_loc`, and nodes of type EK_PORT
        `physical_capacity_bps`, an integer. Each edge has the attribute `type`: RK_CONTAINS or RK_CONTROL.""",
        """A node contains another one directly if there is an RK_CONTAINS edge from it to the other one. It contains a
        node indirectly if a path of RK_CONTAINS edges leads to it. RK_CONTROL edges do not count.""",
        f"""What may contain what: {_MEMBERS}. An RK_CONTROL edge leads from an EK_CONTROL_POINT to an
        EK_PACKET_SWITCH.""",
        """To add a node to a parent means: add the node with the attributes `name`, `type` and those that are given,
        and one RK_CONTAINS edge from the parent to it. Nothing else is added.""",
        "To remove a node means: remove it and all nodes that it contains, directly or indirectly, with their edges.",
        """The capacity of an EK_PORT node is its physical_capacity_bps. The capacity of any other node is the sum over
        all EK_PORT nodes that it contains, directly or indirectly; each port counts once. Without ports it is 0.""",
        """Do the steps in the order in which they are written; each sees what the steps before it left. Change nothing
        else.""",
    )
)
"""What all queries mean by their words."""

HOW_TO_ANSWER: Final = tuple(
    " ".join(text.split())
    for text in (
        """Answer with Python source in the field `code`. It defines the function process_graph(graph_data), which gets
        the graph, may change it, and returns a dict. Under the key `graph` the dict has the graph after all changes
        (leave it out if you changed graph_data itself, or nothing). Under the key `data` it has the answer, if the
        question asks for more than the graph.""",
        "networkx and Python's standard library can be imported. The code has no network and no file of use.",
    )
)

_DATA: Final = {
    "text": "Return the number under `data`.",
    "list": "Return the names under `data`, as a list in any order.",
    "table": "Return a list of rows [name, capacity] under `data`: the largest capacity first; rows of equal capacity"
    " in ascending order of their names, as Python compares strings.",
    "graph": "Return the graph.",
}


def question(query: Query) -> str:
    """Return the text of ``query``."""
    sentences = [_sentence(step) for step in query.steps]
    if len(sentences) > 1 and query.steps[-1].op in READS:
        sentences[-1] = f"In the resulting graph: {sentences[-1]}"
    if len(sentences) == 1:
        return f"{sentences[0]} {_DATA[query.answer_type]}"
    return f"{_numbered(sentences)} {_DATA[query.answer_type]}"


def _numbered(sentences: Sequence[str]) -> str:
    return " ".join(f"Step {number}: {text}" for number, text in enumerate(sentences, start=1))


def _sentence(step: Any) -> str:
    if isinstance(step, Add):
        return _addition(step)
    if isinstance(step, If):
        otherwise = f" Otherwise: {_sentences(step.otherwise)}" if step.otherwise else " Otherwise do nothing."
        return f"If {_condition(step)}: {_sentences(step.then)}{otherwise}"
    if isinstance(step, ForEach):
        return (
            f"For each {step.type} node that {step.name} contains, directly or indirectly, do this, where {{node}}"
            f" stands for the name of that node: {_sentences(step.steps)}"
        )
    texts = {
        "remove": "Remove {name}.",
        "update": "Set physical_capacity_bps to {capacity} on {name} if it is an EK_PORT node, else on each EK_PORT"
        " node that it contains, directly or indirectly.",
        "count": "How many {type} nodes does {name} contain, directly or indirectly?",
        "capacity": "What is the capacity of {name}?",
        "list": "Which nodes does {name} contain directly?",
        "rank": "Rank the nodes that {name} contains directly by their capacity.",
    }
    given = {"capacity": getattr(step, "capacity_bps", None), "type": getattr(step, "type", None)}
    return texts[step.op].format(name=step.name, **given)


def _sentences(steps: Sequence[Any]) -> str:
    return " Then: ".join(_sentence(step) for step in steps)


def _condition(step: If) -> str:
    if isinstance(step.measure, Count):
        return (
            f"{step.measure.name} contains at least {step.at_least} {step.measure.type} nodes, directly or indirectly"
        )
    return f"the capacity of {step.measure.name} is at least {step.at_least}"


def _addition(step: Add) -> str:
    where = f"to {step.parent}"
    if step.type == "EK_PORT":
        return f"Add the node {step.name} of type EK_PORT with physical_capacity_bps {step.capacity_bps} {where}."
    if step.type == "EK_AGG_BLOCK":
        return f"Add the node {step.name} of type EK_AGG_BLOCK {where}."
    last = f" to {step.name}.p{step.ports}" if step.ports > 1 else ""
    return (
        f"Add the node {step.name} of type EK_PACKET_SWITCH with switch_loc {{'stage': 1}} {where}, and to it"
        f" {step.ports} EK_PORT node{'s' if step.ports > 1 else ''} named {step.name}.p1{last}, each with"
        f" physical_capacity_bps {step.capacity_bps}."
    )
