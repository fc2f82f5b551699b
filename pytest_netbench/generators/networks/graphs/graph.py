"""What a graph of a backbone network is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class GraphNode:
    """A node. Coordinates are longitude and latitude in degrees, or any others."""

    name: str
    x: float
    y: float


@dataclass(frozen=True, kw_only=True)
class GraphLink:
    """A link, which carries as much in one direction as in the other.

    Attributes:
        capacity: What it can carry, in the unit of the demands; ``None`` if the file does not limit it.
        cost: What one unit of traffic costs on it, for example its length; ``None`` if the file names none.
    """

    name: str
    one: str
    other: str
    capacity: float | None
    cost: float | None


@dataclass(frozen=True, kw_only=True)
class Demand:
    """Traffic from one node to another one, in the unit of the capacities."""

    source: str
    target: str
    value: float


@dataclass(frozen=True, kw_only=True)
class Graph:
    """A backbone network: its nodes, at least two, links between them, and traffic."""

    nodes: tuple[GraphNode, ...]
    links: tuple[GraphLink, ...]
    demands: tuple[Demand, ...]

    @property
    def is_connected(self) -> bool:
        """Whether each node can be reached from each other one."""
        neighbors: dict[str, list[str]] = {node.name: [] for node in self.nodes}
        for link in self.links:
            neighbors[link.one].append(link.other)
            neighbors[link.other].append(link.one)
        waiting = [self.nodes[0].name]
        seen = set(waiting)
        while waiting:
            for name in neighbors[waiting.pop()]:
                if name not in seen:
                    seen.add(name)
                    waiting.append(name)
        return len(seen) == len(self.nodes)
