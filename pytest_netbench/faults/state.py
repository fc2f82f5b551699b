"""What is left of a network's state that a fault should have ended: phrases for what is still there."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_netbench.lab.protocols import Lab
from pytest_netbench.platforms.driver import ListsNeighbors


def neighbor_up(lab: Lab, node: str, protocol: str, address: str) -> Iterator[str]:
    """Return a phrase if a neighbor of a routing protocol is up. A platform that lists no neighbors tells nothing."""
    driver = lab.driver(node)
    if isinstance(driver, ListsNeighbors):
        for one in driver.neighbors(lab.nodes[node]):
            if (one.protocol, one.address) == (protocol, address) and one.is_up:
                yield f"{protocol} neighbor {address} is still {one.state}"


def has_route(lab: Lab, node: str, prefix: str, protocol: str) -> Iterator[str]:
    """Return a phrase if a node has a route to exactly ``prefix`` by a protocol."""
    for route in lab.driver(node).routes(lab.nodes[node], prefix):
        if route.protocol == protocol:
            yield f"{node} still has a route to {prefix} by {protocol}"
