"""Routers of which each is connected to each other one."""

from __future__ import annotations

from itertools import combinations

from pydantic import Field

from pytest_netbench.generators.networks.draft import Draft
from pytest_netbench.generators.networks.shapes.base import ANY_ROUTER, ANY_ROUTING, Shape, Sizes, add_lan


class MeshSizes(Sizes):
    """Sizes of a mesh."""

    routers: int = Field(4, ge=3, le=12, description="routers, 3 to 12")
    hosts: int = Field(1, ge=1, le=8, description="hosts at each router, 1 to 8")


def build(draft: Draft, sizes: MeshSizes) -> None:
    """Add routers ``r1``, ``r2`` and so on, a link between each two, and a LAN at each."""
    routers = [draft.router(f"r{number}") for number in range(1, sizes.routers + 1)]
    for one, other in combinations(routers, 2):
        draft.transit(one, other)
    for number, router in enumerate(routers, start=1):
        add_lan(draft, router, str(number), sizes.hosts)


MESH = Shape(
    name="mesh",
    what="routers with a link between each two, each with a LAN",
    sizes=MeshSizes,
    build=build,
    steps=({"routers": 3}, {"routers": 4}, {"routers": 5}),
    routings=ANY_ROUTING,
    platforms=ANY_ROUTER,
)
