"""The structural rules of a data-center graph, checked on a graph that anybody may have made.

NetArena's checker contradicts its own reference answers. These rules hold for the built graph and for every golden
answer; tests check both.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pytest_netbench.datacenter_graph.graph import (
    AGG_BLOCK,
    CAPACITY,
    CONTAINS,
    CONTROL,
    CONTROL_DOMAIN,
    CONTROL_POINT,
    HIERARCHY,
    JUPITER,
    PACKET_SWITCH,
    PORT,
    RACK,
    SPINE_BLOCK,
    Graph,
)

ROOTS: Final = frozenset({JUPITER, RACK, CONTROL_DOMAIN})
"""Types of nodes that nothing contains."""
_BLOCKS: Final = frozenset({AGG_BLOCK, SPINE_BLOCK})


def violations(graph: Graph) -> list[str]:
    """Return one phrase for each rule that ``graph`` breaks somewhere, in the order of the graph.

    Rules: a node has its name, a known type, and what its type needs (a port a capacity above 0, an integer; a switch
    a location); an edge has a known type and joins nodes that it may join; only Jupiters, racks and control domains
    are contained by nothing, and have an edge; a switch has a port and is in exactly one block; a port is in exactly
    one switch.
    """
    found = list(_of_nodes(graph))
    if found:
        return found  # what follows reads the types
    return [*_of_edges(graph), *_of_containment(graph)]


def _of_nodes(graph: Graph) -> Iterator[str]:
    for name, attributes in graph.nodes.items():
        kind = attributes.get("type")
        if not isinstance(kind, str) or kind not in HIERARCHY:
            yield f"node {name!r}: its type is {kind!r}"
        elif attributes.get("name") != name:
            yield f"node {name!r}: its attribute name is {attributes.get('name')!r}"
        elif kind == PORT and not _is_capacity(attributes.get(CAPACITY)):
            yield f"port {name!r}: its {CAPACITY} is {attributes.get(CAPACITY)!r}"
        elif kind == PACKET_SWITCH and not isinstance(attributes.get("switch_loc"), dict):
            yield f"switch {name!r}: its switch_loc is {attributes.get('switch_loc')!r}"


def _is_capacity(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _of_edges(graph: Graph) -> Iterator[str]:
    for (one, other), kind in graph.edges.items():
        if one not in graph.nodes or other not in graph.nodes:
            yield f"edge {one!r} to {other!r}: it ends at no node"
            continue
        types = graph.nodes[one]["type"], graph.nodes[other]["type"]
        if kind == CONTAINS:
            if types[1] not in HIERARCHY[types[0]]:
                yield f"edge {one!r} to {other!r}: {types[0]} cannot contain {types[1]}"
        elif kind == CONTROL:
            if types != (CONTROL_POINT, PACKET_SWITCH):
                yield f"edge {one!r} to {other!r}: {types[0]} cannot control {types[1]}"
        else:
            yield f"edge {one!r} to {other!r}: its type is {kind!r}"


def _of_containment(graph: Graph) -> Iterator[str]:
    parents: dict[str, list[str]] = {name: [] for name in graph.nodes}
    joined: set[str] = set()
    with_ports: set[str] = set()
    for (one, other), kind in graph.edges.items():
        joined.update((one, other))
        if kind == CONTAINS and other in parents and one in graph.nodes:
            parents[other].append(graph.nodes[one]["type"])
            if graph.nodes[other]["type"] == PORT:
                with_ports.add(one)
    for name, attributes in graph.nodes.items():
        kind, above = attributes["type"], parents[name]
        if name not in joined:
            yield f"node {name!r}: it has no edge"
        elif kind not in ROOTS and not above:
            yield f"node {name!r}: nothing contains it"
        elif kind == PORT and len(above) != 1:
            yield f"port {name!r}: {len(above)} switches contain it"
        elif kind == PACKET_SWITCH and name not in with_ports:
            yield f"switch {name!r}: it has no port"
        elif kind == PACKET_SWITCH and sum(one in _BLOCKS for one in above) != 1:
            yield f"switch {name!r}: {sum(one in _BLOCKS for one in above)} blocks contain it"
