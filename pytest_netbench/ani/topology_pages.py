"""Pages of a topology. Pure."""

from __future__ import annotations

from typing import Final

from pytest_netbench.ani.wire import GetTopologyResult, TopologyView
from pytest_netbench.errors import AniError
from pytest_netbench.rpccodes import Code

LINKS: Final = 200
"""Of a page."""


def page_of(view: TopologyView, number: int) -> GetTopologyResult:
    """Return a page of the links, counted from 1. The first one has the nodes, what may be done with them, and servers.

    Raises:
        AniError: There is no such page.
    """
    pages = max(1, -(-len(view.links) // LINKS))
    if number > pages:
        raise AniError(f"get-topology: there is no page {number}, only {pages}", code=Code.INVALID_PARAMS)
    links = view.links[(number - 1) * LINKS : number * LINKS]
    topology = view.model_copy(update={"links": links}) if number == 1 else TopologyView(nodes=(), links=links)
    return GetTopologyResult(topology=topology, pages=pages)
