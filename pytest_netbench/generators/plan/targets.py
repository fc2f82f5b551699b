"""Valid targets of operations in a data-center graph, drawn with equal probability among those of a type."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import Any

from pytest_netbench.datacenter_graph.building import RATES_BPS
from pytest_netbench.datacenter_graph.graph import (
    AGG_BLOCK,
    CAPACITY,
    CHASSIS,
    CONTAINS,
    CONTROL_DOMAIN,
    JUPITER,
    PACKET_SWITCH,
    PORT,
    RACK,
    SPINE_BLOCK,
    SUPER_BLOCK,
    Graph,
    below,
)
from pytest_netbench.datacenter_graph.query import Add, Remove
from pytest_netbench.errors import UsageError

PARENTS = {PORT: (PACKET_SWITCH,), PACKET_SWITCH: (AGG_BLOCK, SPINE_BLOCK), AGG_BLOCK: (SUPER_BLOCK,)}
"""By type of what is added or removed: types of the node from which it is added or removed."""
CONTAINERS = (JUPITER, SUPER_BLOCK, SPINE_BLOCK, AGG_BLOCK, PACKET_SWITCH, RACK, CHASSIS, CONTROL_DOMAIN)
"""Types of nodes that contain others."""
RANKED = (JUPITER, SUPER_BLOCK, SPINE_BLOCK, AGG_BLOCK, PACKET_SWITCH, RACK)
"""Types of nodes with children that have a capacity."""
GROUPS = (SUPER_BLOCK, SPINE_BLOCK, AGG_BLOCK, RACK)
"""Types of nodes with packet switches for which something is done one by one."""
_PORTS_ADDED = (2, 4, 8, 16)


class Places:
    """A graph with its nodes by type and by what contains them. It is made once for many draws."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.children = graph.children()
        self.of_type: dict[str, list[str]] = {}
        for name, attributes in graph.nodes.items():
            self.of_type.setdefault(attributes["type"], []).append(name)
        self.parents: dict[str, list[str]] = {}
        for (parent, child), kind in graph.edges.items():
            if kind == CONTAINS:
                self.parents.setdefault(child, []).append(parent)
        self.last_words = {name.rpartition(".")[2] for name in graph.nodes}


class Targets:
    """Draws targets.

    Args:
        places: The graph.
        source: Makes the choices.
    """

    def __init__(self, places: Places, source: random.Random) -> None:
        self.graph = places.graph
        self.children = places.children
        self.source = source
        self._places = places

    def type_of(self, name: str) -> str:
        """The type of a node."""
        return str(self.graph.nodes[name]["type"])

    def choice(self, options: Sequence[Any]) -> Any:
        """One of ``options``."""
        return self.source.choice(options)

    def capacity(self, *, other_than: int = 0) -> int:
        """A capacity of a port in bit/s."""
        return int(self.choice([rate for rate in RATES_BPS if rate != other_than]))

    def of_types(self, kinds: Iterable[str], *, what: str) -> str:
        """The name of a node: first a type is drawn among those that there are, then a node of it.

        Raises:
            UsageError: There is no node of these types.
        """
        wanted = tuple(kinds)
        found = {kind: names for kind in wanted if (names := self._places.of_type.get(kind))}
        if not found:
            raise UsageError(f"the graph has no node {what}: none of type {', '.join(wanted)}")
        return str(self.choice(found[self.choice(sorted(found))]))

    def removable(self) -> tuple[Remove, str]:
        """A removal that leaves a graph that keeps the rules, and the parent from which it removes."""
        while True:
            kind = self.choice(sorted(PARENTS))
            name = self.of_types([kind], what="to remove")
            parent = next(one for one in self._places.parents[name] if self.type_of(one) in PARENTS[kind])
            # a switch keeps a port
            if kind != PORT or len(self.children[parent]) > 1:
                return Remove(name=name), parent

    def removable_port(self, switch: str) -> Remove:
        """The removal of a port of ``switch``, which keeps another one."""
        return Remove(name=self.choice(self.children[switch]))

    def addition(self, kind: str | None = None) -> Add:
        """An addition with a name that is not in use."""
        chosen = kind or self.choice(sorted(PARENTS))
        return self.addition_to(self.of_types(PARENTS[chosen], what="to add to"), chosen)

    def addition_to(self, parent: str, kind: str) -> Add:
        """An addition of a node of type ``kind`` to ``parent``."""
        name = self.new_name(parent, kind)
        if kind == PORT:
            return Add(name=name, type="EK_PORT", parent=parent, capacity_bps=self.capacity())
        if kind == PACKET_SWITCH:
            ports = self.choice(_PORTS_ADDED)
            return Add(name=name, type="EK_PACKET_SWITCH", parent=parent, capacity_bps=self.capacity(), ports=ports)
        return Add(name=name, type="EK_AGG_BLOCK", parent=parent)

    def new_name(self, parent: str, kind: str) -> str:
        """A name below ``parent`` that no node has."""
        stem = {PORT: "p", PACKET_SWITCH: "s1c", AGG_BLOCK: "m"}[kind]
        while (name := f"{parent}.{stem}{self.source.randrange(100, 1000)}") in self.graph.nodes:
            pass
        return name

    def free_port(self) -> int:
        """The number of a port that no switch has."""
        while f"p{(number := self.source.randrange(100, 1000))}" in self._places.last_words:
            pass
        return number

    def below(self, name: str) -> list[str]:
        """Names of the nodes that ``name`` contains directly or indirectly, sorted."""
        return sorted(below(self.children, name))

    def types_below(self, name: str) -> list[str]:
        """Types of the nodes that ``name`` contains, each once, sorted."""
        return sorted({self.type_of(one) for one in self.below(name)})

    def total(self, name: str) -> int:
        """The capacity of a node."""
        ports = [name] if self.type_of(name) == PORT else self.below(name)
        return sum(self.graph.nodes[port].get(CAPACITY, 0) for port in ports)
