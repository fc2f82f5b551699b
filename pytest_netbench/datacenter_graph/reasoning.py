"""The reasoning that leads to a program that answers a query, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pytest_netbench.datacenter_graph.query import READS, Add, ForEach, If, Query

_INSIDE = "everything that {name} contains, directly or indirectly, by following only RK_CONTAINS edges"
_WORDS = {
    "remove": f"Collect {_INSIDE}. Remove these nodes and {{name}}; their edges go with them.",
    "update": f"If {{name}} is an EK_PORT node, it is the only port that changes. Otherwise collect {_INSIDE}, and take"
    " its EK_PORT nodes. Set physical_capacity_bps of these to {capacity}.",
    "count": f"Collect {_INSIDE}, each node once although several paths may lead to it. Count those of type {{type}}.",
    "capacity": f"Collect {_INSIDE}, each node once although several paths may lead to it. Add up"
    " physical_capacity_bps of its EK_PORT nodes.",
    "list": "Take the ends of the RK_CONTAINS edges that leave {name}. One level is enough, and RK_CONTROL edges do not"
    " count.",
    "rank": "Take the ends of the RK_CONTAINS edges that leave {name}. The capacity of each is the sum of"
    " physical_capacity_bps over the EK_PORT nodes in it, or its own if it is a port; each port counts once. Sort by"
    " capacity in descending order, equal ones by name.",
}
_RETURNED = {
    "text": "Return the number under `data`, beside the graph.",
    "list": "Return the names under `data`, beside the graph.",
    "table": "Return the rows [name, capacity] under `data`, beside the graph.",
    "graph": "Nothing is asked beside the change: return the graph.",
}


def reasoning(query: Query) -> str:
    """Return how ``query`` is answered, step by step."""
    sentences = [words for step in query.steps for words in _words(step)]
    if len(query.steps) > 1 and query.steps[-1].op in READS:
        sentences.insert(-1, "The answer is about the graph after this change, so the order matters.")
    return "\n".join([*sentences, _RETURNED[query.answer_type]])


def _words(step: Any) -> Iterator[str]:
    if isinstance(step, Add):
        yield _addition(step)
    elif isinstance(step, If):
        yield (
            f"First measure, before anything changes. {_one(step.measure)} If that is at least {step.at_least}, do"
            f" this: {_series(step.then)} Otherwise {_otherwise(step)}"
        )
    elif isinstance(step, ForEach):
        inside = _INSIDE.format(name=step.name)
        yield (
            f"Collect {inside}. Make a list of its {step.type} nodes before anything changes, and for each of them,"
            f" whose name stands for {{node}}, do this: {_series(step.steps)}"
        )
    else:
        yield _WORDS[step.op].format(
            name=step.name, capacity=getattr(step, "capacity_bps", None), type=getattr(step, "type", None)
        )


def _otherwise(step: If) -> str:
    return f"do this: {_series(step.otherwise)}" if step.otherwise else "do nothing."


def _one(step: Any) -> str:
    return " ".join(_words(step))


def _series(steps: Sequence[Any]) -> str:
    return " ".join(_one(step) for step in steps)


def _addition(step: Add) -> str:
    words = (
        f"Add the node {step.name} with its name and its type {step.type}, and an RK_CONTAINS edge from {step.parent}"
        " to it."
    )
    if step.type == "EK_PORT":
        return f"{words} It needs physical_capacity_bps {step.capacity_bps}."
    if step.ports:
        return (
            f"{words} A packet switch needs switch_loc with stage 1, and ports: add {step.ports} EK_PORT nodes"
            f" {step.name}.p1 and so on, each with physical_capacity_bps {step.capacity_bps} and an RK_CONTAINS edge"
            " from the switch."
        )
    return f"{words} It needs nothing else."
