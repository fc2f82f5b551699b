"""Golden answers: a query as composed functions, and the same as source text.

``answer`` composes the functions of ``operations`` in this process. ``source`` writes a program that calls them. Tests
hold the two to each other, and both to a second implementation in SQL.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from importlib import resources
from typing import Any

from pytest_netbench.datacenter_graph import operations
from pytest_netbench.datacenter_graph.graph import Graph
from pytest_netbench.datacenter_graph.query import EACH, READS, Add, Count, ForEach, If, Query

Action = Callable[[Any], Any]
"""Changes a networkx graph, or returns an answer about it."""


def answer(query: Query, graph: Graph) -> tuple[Any, Graph]:
    """Return the answer to ``query`` (``None`` if it is the graph) and the graph after its changes."""
    working = _networkx_of(graph)
    given = composed(query.steps)(working)
    changed = Graph(
        nodes=dict(working.nodes.items()), edges={(u, v): edge["type"] for u, v, edge in working.edges(data=True)}
    )
    return given, changed


def composed(steps: Sequence[Any]) -> Action:
    """Return the function that does the steps one after the other and returns the answer of the last."""
    actions = [_action(step) for step in steps]

    def run(graph: Any) -> Any:
        found = None
        for action in actions:
            found = action(graph)
        return found

    return run


def _action(step: Any) -> Action:
    if isinstance(step, If):
        return _choice(step)
    if isinstance(step, ForEach):
        return _loop(step)
    name, arguments = _call(step)
    function = getattr(operations, name)
    return lambda graph: function(graph, *arguments)


def _choice(step: If) -> Action:
    measure, then, otherwise = _action(step.measure), composed(step.then), composed(step.otherwise)

    def run(graph: Any) -> None:
        (then if measure(graph) >= step.at_least else otherwise)(graph)

    return run


def _loop(step: ForEach) -> Action:
    def run(graph: Any) -> None:
        for node in operations.of_type(graph, step.name, step.type):
            composed([bound(inner, node) for inner in step.steps])(graph)

    return run


def bound(step: Any, node: str) -> Any:
    """Return ``step`` with the name ``node`` in place of ``{node}``."""
    data = step.model_dump()
    return type(step).model_validate(_replaced(data, node))


def _replaced(value: Any, node: str) -> Any:
    if isinstance(value, str):
        return value.replace(EACH, node)
    if isinstance(value, dict):
        return {key: _replaced(one, node) for key, one in value.items()}
    return [_replaced(one, node) for one in value] if isinstance(value, list | tuple) else value


def _call(step: Any) -> tuple[str, tuple[Any, ...]]:
    """The function of ``operations`` that does ``step``, and its arguments after the graph."""
    if isinstance(step, Add):
        return {
            "EK_PORT": ("add_port", (step.name, step.parent, step.capacity_bps)),
            "EK_PACKET_SWITCH": ("add_switch", (step.name, step.parent, step.ports, step.capacity_bps)),
            "EK_AGG_BLOCK": ("add_node", (step.name, step.type, step.parent)),
        }[step.type]
    if isinstance(step, Count):
        return "count_nodes", (step.name, step.type)
    names = {"capacity": "total_capacity", "list": "list_children", "rank": "rank_children", "remove": "remove_node"}
    if step.op in names:
        return names[step.op], (step.name,)
    return "update_capacity", (step.name, step.capacity_bps)


def _networkx_of(graph: Graph) -> Any:
    import networkx as nx  # an extra, and slow to load

    made: Any = nx.DiGraph()
    made.add_nodes_from((name, dict(attributes)) for name, attributes in graph.nodes.items())
    made.add_edges_from((*ends, {"type": kind}) for ends, kind in graph.edges.items())
    return made


# ---- the same as source text ----


def source(query: Query) -> str:
    """Return a program whose ``process_graph`` answers ``query``."""
    *changes, last = query.steps
    lines = [line for step in changes for line in _lines(step)]
    if last.op in READS:
        lines += [f"data = {_written(last)}", 'return {"data": data, "graph": graph_data}']
    else:
        lines += [*_lines(last), 'return {"graph": graph_data}']
    return "\n".join([_operations(), "", "def process_graph(graph_data):", *_indented(lines), ""])


@cache
def _operations() -> str:
    return (resources.files("pytest_netbench.datacenter_graph") / "operations.py").read_text(encoding="utf-8")


def _lines(step: Any) -> Iterator[str]:
    if isinstance(step, If):
        yield f"if {_written(step.measure)} >= {step.at_least}:"
        yield from _indented([line for inner in step.then for line in _lines(inner)])
        if step.otherwise:
            yield "else:"
            yield from _indented([line for inner in step.otherwise for line in _lines(inner)])
    elif isinstance(step, ForEach):
        yield f"for node in of_type(graph_data, {_text(step.name)}, {step.type!r}):"
        yield from _indented([line for inner in step.steps for line in _lines(inner)])
    else:
        yield _written(step)


def _indented(lines: Sequence[str]) -> list[str]:
    return [f"    {line}" for line in lines or ["pass"]]


def _written(step: Any) -> str:
    name, arguments = _call(step)
    return f"{name}({', '.join(['graph_data', *(_text(one) for one in arguments)])})"


def _text(value: object) -> str:
    text = repr(value)
    return f"f{text}" if isinstance(value, str) and EACH in value else text
