"""Where things stand in the drawing of a network. Units are pixels of an SVG at its natural size."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from pytest_netbench.model.topology import Topology
from pytest_netbench.reporting.page.labels import Label, Point, placed

MOST_ARRANGED: Final = 60
"""Nodes that are arranged by their distances; larger networks stand in a circle, without labels of interfaces."""
MARGIN: Final = 70.0
RADIUS: Final = 13.0
FROM_NODE: Final = 27.0
"""How far from the middle of a node a mark of one of its interfaces is."""

Texts = Mapping[tuple[str, str], tuple[str, ...]]
"""By node and interface: lines of its label."""
Spots = Sequence[Sequence[tuple[str, str]]]
"""Of each thing to mark, one by one: the node and the interface of its ends; an empty interface is the node itself."""


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """A topology as it is drawn.

    Attributes:
        width: Of the drawing.
        height: Of the drawing.
        places: By node.
        names: By node: the lines under it.
        hubs: Places of LANs with more than two endpoints.
        lines: Both ends of each line, and what it is.
        labels: Of interfaces.
        marks: Places of what was to be marked, in its order.
    """

    width: float
    height: float
    places: Mapping[str, Point]
    names: Mapping[str, tuple[str, ...]]
    hubs: Sequence[Point]
    lines: Sequence[tuple[Point, Point, str]]
    labels: Sequence[Label]
    marks: Sequence[Point]


@dataclass(frozen=True, kw_only=True)
class Arranged:
    """Places of nodes and LANs, and the line of each interface: from its node to the other end or the LAN."""

    width: float
    height: float
    places: Mapping[str, Point]
    hubs: Sequence[Point]
    lines: Sequence[tuple[Point, Point, str]]
    ends: Mapping[tuple[str, str], tuple[Point, Point]]


def drawing(topology: Topology, names: Mapping[str, tuple[str, ...]], texts: Texts, spots: Spots = ()) -> Drawing:
    """Draw a topology: the same one always in the same way.

    Args:
        topology: Nodes and links.
        names: By node: the lines under it.
        texts: Of labels of interfaces.
        spots: What is marked.
    """
    return _drawn(
        topology.model_dump_json(), tuple(names.items()), tuple(texts.items()), tuple(tuple(ends) for ends in spots)
    )


@lru_cache(maxsize=256)
def _drawn(
    dumped: str,
    named: tuple[tuple[str, tuple[str, ...]], ...],
    labeled: tuple[tuple[tuple[str, str], tuple[str, ...]], ...],
    spots: tuple[tuple[tuple[str, str], ...], ...],
) -> Drawing:
    """Trials of one task, which come one after the other, share their drawing."""
    known, names, texts = _arranged(dumped), dict(named), dict(labeled)
    marks: list[Point] = []
    for ends in spots:
        marks.append(_free(_mark(known, ends), marks))
    labels: Sequence[Label] = ()
    if len(known.places) <= MOST_ARRANGED:
        size = (known.width, known.height)
        labels = placed(known.ends, texts, places=known.places, names=names, marks=marks, size=size)
    return Drawing(
        width=known.width,
        height=known.height,
        places=known.places,
        names=names,
        hubs=known.hubs,
        lines=known.lines,
        labels=labels,
        marks=marks,
    )


def _mark(known: Arranged, ends: Sequence[tuple[str, str]]) -> Point:
    """A node itself is marked at its upper right, an interface beside its node, a link in its middle."""
    if len(ends) == 2 and all(end in known.ends for end in ends):
        (one, _), (other, _) = (known.ends[end] for end in ends)
        return Point(x=(one.x + other.x) / 2, y=(one.y + other.y) / 2)
    node, interface = ends[0]
    place = known.places[node]
    if (node, interface) not in known.ends:
        return Point(x=place.x + RADIUS, y=place.y - RADIUS)
    _, target = known.ends[node, interface]
    length = math.hypot(target.x - place.x, target.y - place.y) or 1.0
    step = min(FROM_NODE, length / 2) / length
    return Point(x=place.x + (target.x - place.x) * step, y=place.y + (target.y - place.y) * step)


def _free(point: Point, taken: Sequence[Point]) -> Point:
    """The place, or one to the right of it where another mark already is."""
    while any(math.hypot(one.x - point.x, one.y - point.y) < 2 * RADIUS - 8 for one in taken):
        point = Point(x=point.x + 2 * RADIUS - 7, y=point.y)
    return Point(x=round(point.x, 1), y=round(point.y, 1))


@lru_cache(maxsize=256)
def _arranged(dumped: str) -> Arranged:
    """What agents set may change labels, but not the arrangement."""
    topology = Topology.model_validate_json(dumped)
    import networkx as nx  # an extra

    graph = nx.Graph()
    graph.add_nodes_from(node.name for node in topology.nodes)
    hubs = []
    pairs = []
    ends: dict[tuple[str, str], tuple[str, str]] = {}
    for number, link in enumerate(topology.links):
        names = [end.node for end in link.endpoints]
        if len(names) == 2:
            pairs.append((names[0], names[1], str(link)))
            for end, other in zip(link.endpoints, reversed(names), strict=True):
                ends[end.node, end.interface] = end.node, other
        elif len(names) > 2:
            hubs.append(hub := f"\0{number}")
            pairs += [(end, hub, str(link)) for end in names]
            ends.update({(end.node, end.interface): (end.node, hub) for end in link.endpoints})
    graph.add_edges_from(pair[:2] for pair in pairs)
    width, height = _size(len(graph))
    places = _fitted(_spread(graph), width, height)
    return Arranged(
        width=width,
        height=height,
        places={node.name: places[node.name] for node in topology.nodes},
        hubs=[places[hub] for hub in hubs],
        lines=[(places[one], places[other], text) for one, other, text in pairs],
        ends={end: (places[one], places[other]) for end, (one, other) in ends.items()},
    )


def _size(count: int) -> tuple[float, float]:
    """Width and height with room for two labels between neighbors."""
    if count > MOST_ARRANGED:
        return 1100.0, 1100.0
    side = math.sqrt(count)
    return round(max(560.0, 2 * MARGIN + 290 * (side - 0.6))), round(max(240.0, 2 * MARGIN + 190 * (side - 0.8)))


def _spread(graph: object) -> dict[str, tuple[float, float]]:
    """Places without units: each part of a network by itself, side by side."""
    import networkx as nx  # an extra

    assert isinstance(graph, nx.Graph)
    if len(graph) > MOST_ARRANGED:
        circle: dict[str, tuple[float, float]] = nx.circular_layout(graph)
        return circle
    places: dict[str, tuple[float, float]] = {}
    offset = 0.0
    for nodes in nx.connected_components(graph):
        part = graph.subgraph(sorted(nodes))
        room = math.sqrt(len(part))
        for name, (x, y) in nx.kamada_kawai_layout(part).items():
            places[name] = (offset + room * (1 + x), room * y)
        offset += 2 * room + 0.8
    return places


def _fitted(places: Mapping[str, tuple[float, float]], width: float, height: float) -> dict[str, Point]:
    """Places within the drawing."""

    def scaled(values: Sequence[float], size: float) -> Iterator[float]:
        low, high = min(values), max(values)
        for value in values:
            yield size / 2 if high - low < 1e-9 else MARGIN + (value - low) / (high - low) * (size - 2 * MARGIN)

    xs = scaled([float(x) for x, _ in places.values()], width)
    ys = scaled([float(y) for _, y in places.values()], height)
    return {name: Point(x=round(x, 1), y=round(y, 1)) for name, x, y in zip(places, xs, ys, strict=True)}
