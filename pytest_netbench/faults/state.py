"""What is left of a network's state that a fault should have ended: phrases for what is still there."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_netbench.lab.protocols import Lab
from pytest_netbench.platforms.driver import ListsNeighbors, ListsRoutes


def neighbor_up(lab: Lab, node: str, protocol: str, address: str) -> Iterator[str]:
    """Return a phrase if a neighbor of a routing protocol is up; none if the platform lists no neighbors."""
    driver = lab.driver(node)
    if isinstance(driver, ListsNeighbors):
        for one in driver.neighbors(lab.nodes[node]):
            if (one.protocol, one.address) == (protocol, address) and one.is_up:
                yield f"{protocol} neighbor {address} of {node} is still {one.state}"


def has_route(lab: Lab, node: str, prefix: str, protocol: str, *, next_hop: str | None = None) -> Iterator[str]:
    """Return a phrase if a node has a route to exactly ``prefix`` by a protocol, and by a next hop if one is given."""
    for route in lab.driver(node).routes(lab.nodes[node], prefix):
        if route.protocol == protocol and (next_hop is None or next_hop in route.next_hops):
            yield f"{node} still has a route to {prefix} by {protocol}"


def routes_out(lab: Lab, node: str, interface: str, protocol: str) -> Iterator[str]:
    """Return a phrase for each route of a protocol out of an interface; none if the platform lists no routes."""
    driver = lab.driver(node)
    if isinstance(driver, ListsRoutes):
        for route in driver.table(lab.nodes[node]):
            if route.protocol == protocol and interface in route.interfaces:
                yield f"{node} still has a route to {route.prefix} by {protocol} out of {interface}"
