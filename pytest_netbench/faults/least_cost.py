"""The cheapest path between routers, on paper."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from heapq import heappop, heappush


def least_cost(start: str, goals: Collection[str], edges: Callable[[str], Iterable[tuple[str, int]]]) -> int | None:
    """Return the cost of the cheapest path from a router to any of some others; ``None`` if there is no path.

    Args:
        start: The router.
        goals: The others.
        edges: Returns the neighbors of a router, each with the cost of the link to it.
    """
    known: set[str] = set()
    waiting = [(0, start)]
    while waiting:
        cost, node = heappop(waiting)
        if node in goals:
            return cost
        if node not in known:
            known.add(node)
            for neighbor, more in edges(node):
                heappush(waiting, (cost + more, neighbor))
    return None
