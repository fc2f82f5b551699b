"""The operations of queries on a networkx graph: the ground truth.

Their source text is also the reference solution that runs in the sandbox, so this module imports nothing of the
package. Nodes are found by their names. Every function refuses a name that is not in the graph with ``KeyError``.
"""

from __future__ import annotations

from typing import Any


def children(graph: Any, name: str) -> list[str]:
    """Return the names of the nodes that ``name`` contains directly."""
    return [child for child, edge in graph.adj[name].items() if edge["type"] == "RK_CONTAINS"]


def contained(graph: Any, name: str) -> set[str]:
    """Return the names of the nodes that ``name`` contains directly or indirectly."""
    found: set[str] = set()
    waiting = children(graph, name)
    while waiting:
        one = waiting.pop()
        if one not in found:
            found.add(one)
            waiting.extend(children(graph, one))
    return found


def of_type(graph: Any, name: str, kind: str) -> list[str]:
    """Return the names of the nodes of type ``kind`` that ``name`` contains, sorted."""
    return sorted(one for one in contained(graph, name) if graph.nodes[one]["type"] == kind)


def add_node(graph: Any, name: str, kind: str, parent: str, **attributes: Any) -> None:
    """Add a node that ``parent`` contains."""
    if parent not in graph:
        raise KeyError(parent)
    graph.add_node(name, name=name, type=kind, **attributes)
    graph.add_edge(parent, name, type="RK_CONTAINS")


def add_port(graph: Any, name: str, parent: str, capacity_bps: int) -> None:
    """Add a port."""
    add_node(graph, name, "EK_PORT", parent, physical_capacity_bps=capacity_bps)


def add_switch(graph: Any, name: str, parent: str, ports: int, capacity_bps: int) -> None:
    """Add a packet switch of stage 1 with ports of one capacity."""
    add_node(graph, name, "EK_PACKET_SWITCH", parent, switch_loc={"stage": 1})
    for number in range(1, ports + 1):
        add_port(graph, f"{name}.p{number}", name, capacity_bps)


def remove_node(graph: Any, name: str) -> None:
    """Remove a node and all that it contains."""
    graph.remove_nodes_from([name, *contained(graph, name)])


def update_capacity(graph: Any, name: str, capacity_bps: int) -> None:
    """Set the capacity of the port ``name``, or of all ports that ``name`` contains."""
    ports = [name] if graph.nodes[name]["type"] == "EK_PORT" else of_type(graph, name, "EK_PORT")
    for port in ports:
        graph.nodes[port]["physical_capacity_bps"] = capacity_bps


def count_nodes(graph: Any, name: str, kind: str) -> int:
    """Return how many nodes of type ``kind`` the node ``name`` contains."""
    return len(of_type(graph, name, kind))


def total_capacity(graph: Any, name: str) -> int:
    """Return the sum of the capacities of ``name``, if it is a port, or of the ports that it contains."""
    ports = [name] if graph.nodes[name]["type"] == "EK_PORT" else of_type(graph, name, "EK_PORT")
    return sum(graph.nodes[port]["physical_capacity_bps"] for port in ports)


def list_children(graph: Any, name: str) -> list[str]:
    """Return the names of the nodes that ``name`` contains directly, sorted."""
    return sorted(children(graph, name))


def rank_children(graph: Any, name: str) -> list[list[Any]]:
    """Return name and total capacity of the nodes that ``name`` contains directly, the largest first, then by name."""
    rows = [[child, total_capacity(graph, child)] for child in children(graph, name)]
    return sorted(rows, key=lambda row: (-row[1], row[0]))
