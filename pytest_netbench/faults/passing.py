"""Through which interfaces of routers the packets of hosts come in, on paper."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import permutations
from typing import Final, NamedTuple

from pytest_netbench.faults.least_cost import least_cost
from pytest_netbench.faults.ospf_costs import configured_cost
from pytest_netbench.model.base import Model
from pytest_netbench.model.network import DrawnNetwork

MOST_FLOWS: Final = 4
"""Of one place: as many show what happens there."""
_Edges = Mapping[str, Mapping[str, int]]
"""By router and neighbor: the least cost of a link."""


class Crossing(Model):
    """A host, and another one with its address."""

    source: str
    target: str
    address: str


class Place(NamedTuple):
    """An interface of a router toward another one, and flows that come in there, whatever the routing does."""

    node: str
    interface: str
    peer: str
    flows: tuple[Crossing, ...]


def crossings(network: DrawnNetwork, gateways: Collection[str]) -> Iterator[Place]:
    """Return the interfaces by which packets come in on the only best path between hosts, in network order.

    Args:
        network: The network.
        gateways: Routers of the LANs whose hosts send.
    """
    edges = _edges(network)
    pairs = [
        (Crossing(source=source, target=target, address=network.addresses[target]), near, far)
        for source, target in network.flows
        if (near := _routers(network, source)) <= {*gateways} and not near & (far := _routers(network, target))
    ]
    for link in network.transits:
        for one, other in permutations(link.attachments, 2):
            if len(_shared(network, one.node, other.node)) > 1:
                continue
            found = tuple(flow for flow, near, far in pairs if _passes(edges, near, far, (other.node, one.node)))
            if found:
                yield Place(one.node, one.interface, other.node, found[:MOST_FLOWS])


def _passes(edges: _Edges, near: set[str], far: set[str], edge: tuple[str, str]) -> bool:
    """Whether each best path from any of ``near`` to ``far`` has an edge."""
    for start in near:
        whole, rest = _distance(edges, start, far), _distance(edges, start, far, without=edge)
        if whole is None or (rest is not None and rest <= whole):
            return False
    return bool(near)


def _distance(edges: _Edges, start: str, goals: set[str], without: tuple[str, str] | None = None) -> int | None:
    return least_cost(
        start,
        goals,
        lambda node: [(other, cost) for other, cost in edges.get(node, {}).items() if (node, other) != without],
    )


def _edges(network: DrawnNetwork) -> _Edges:
    edges: dict[str, dict[str, int]] = {}
    for link in network.transits:
        for one in link.attachments:
            cost = configured_cost(network, one.node, one.interface)
            for other in link.attachments:
                if other.node != one.node:
                    least = edges.setdefault(one.node, {}).get(other.node, cost)
                    edges[one.node][other.node] = min(least, cost)
    return edges


def _shared(network: DrawnNetwork, one: str, other: str) -> list[str]:
    """The links that two routers have in common."""
    return [link.prefix for link in network.transits if {one, other} <= {end.node for end in link.attachments}]


def _routers(network: DrawnNetwork, host: str) -> set[str]:
    return {end.node for end in network.lan_of(host).attachments if end.node in network.routers}
