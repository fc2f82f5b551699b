"""The graph of a data center as plain data: nodes by name with their attributes, and typed edges between names."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

CONTAINS: Final = "RK_CONTAINS"
CONTROL: Final = "RK_CONTROL"
CAPACITY: Final = "physical_capacity_bps"

JUPITER: Final = "EK_JUPITER"
SUPER_BLOCK: Final = "EK_SUPER_BLOCK"
SPINE_BLOCK: Final = "EK_SPINE_BLOCK"
AGG_BLOCK: Final = "EK_AGG_BLOCK"
PACKET_SWITCH: Final = "EK_PACKET_SWITCH"
PORT: Final = "EK_PORT"
CHASSIS: Final = "EK_CHASSIS"
CONTROL_POINT: Final = "EK_CONTROL_POINT"
RACK: Final = "EK_RACK"
CONTROL_DOMAIN: Final = "EK_CONTROL_DOMAIN"

HIERARCHY: Final[Mapping[str, frozenset[str]]] = {
    JUPITER: frozenset({SPINE_BLOCK, SUPER_BLOCK}),
    SUPER_BLOCK: frozenset({AGG_BLOCK}),
    SPINE_BLOCK: frozenset({AGG_BLOCK, PACKET_SWITCH}),
    AGG_BLOCK: frozenset({PACKET_SWITCH}),
    RACK: frozenset({CHASSIS}),
    CHASSIS: frozenset({CONTROL_POINT, PACKET_SWITCH}),
    CONTROL_DOMAIN: frozenset({CONTROL_POINT}),
    CONTROL_POINT: frozenset({PACKET_SWITCH}),
    PACKET_SWITCH: frozenset({PORT}),
    PORT: frozenset(),
}
"""By node type: the types that it may contain (NetArena, prompt 1)."""


@dataclass(frozen=True)
class Graph:
    """A data-center graph.

    Attributes:
        nodes: Attributes by node name, among them ``name`` and ``type``.
        edges: The type of the edge from the first name to the second.
    """

    nodes: dict[str, dict[str, Any]] = field(default_factory=dict)
    edges: dict[tuple[str, str], str] = field(default_factory=dict)

    def add(self, name: str, kind: str, *, parent: str | None = None, **attributes: Any) -> None:
        """Add a node, and an edge that says that ``parent`` contains it."""
        self.nodes[name] = {"name": name, "type": kind, **attributes}
        if parent is not None:
            self.edges[parent, name] = CONTAINS

    def children(self) -> dict[str, list[str]]:
        """By node: the names of the nodes that it contains directly, in the order of the graph."""
        contained: dict[str, list[str]] = {name: [] for name in self.nodes}
        for (parent, child), kind in self.edges.items():
            if kind == CONTAINS:
                contained[parent].append(child)
        return contained

    def copy(self) -> Graph:
        """A graph that shares nothing with this one."""
        return copy.deepcopy(self)

    def json(self) -> dict[str, Any]:
        """``{"nodes": [[name, attributes], …], "edges": [[from, to, {"type": …}], …]}``."""
        return {
            "nodes": [[name, attributes] for name, attributes in self.nodes.items()],
            "edges": [[*ends, {"type": kind}] for ends, kind in self.edges.items()],
        }


def below(children: Mapping[str, list[str]], name: str) -> Iterator[str]:
    """Names of the nodes that ``name`` contains directly or indirectly, each once."""
    waiting, seen = list(children[name]), set()
    while waiting:
        one = waiting.pop()
        if one not in seen:
            seen.add(one)
            yield one
            waiting += children[one]
