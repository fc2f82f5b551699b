"""Routers in a line or in a ring, each with a LAN."""

from __future__ import annotations

from itertools import pairwise

from pydantic import Field

from pytest_netbench.generators.networks.draft import Device, Draft
from pytest_netbench.generators.networks.shapes.base import ANY_ROUTER, ANY_ROUTING, Shape, Sizes, add_lan


class LineSizes(Sizes):
    """Sizes of a line."""

    routers: int = Field(3, ge=2, le=50, description="routers, 2 to 50")
    hosts: int = Field(1, ge=1, le=8, description="hosts at each router, 1 to 8")


class RingSizes(Sizes):
    """Sizes of a ring."""

    routers: int = Field(4, ge=3, le=50, description="routers, 3 to 50")
    hosts: int = Field(1, ge=1, le=8, description="hosts at each router, 1 to 8")


def build_line(draft: Draft, sizes: LineSizes) -> None:
    """Add routers ``r1``, ``r2`` and so on, with a LAN each."""
    _row(draft, sizes.routers, sizes.hosts)


def build_ring(draft: Draft, sizes: RingSizes) -> None:
    """Add a line, and close it."""
    routers = _row(draft, sizes.routers, sizes.hosts)
    draft.transit(routers[-1], routers[0])


def _row(draft: Draft, count: int, hosts: int) -> list[Device]:
    routers = [draft.router(f"r{number}") for number in range(1, count + 1)]
    for one, other in pairwise(routers):
        draft.transit(one, other)
    for number, router in enumerate(routers, start=1):
        add_lan(draft, router, str(number), hosts)
    return routers


LINE = Shape(
    name="line",
    what="routers in a line, each with a LAN",
    sizes=LineSizes,
    build=build_line,
    steps=({"routers": 2}, {"routers": 3}, {"routers": 5}),
    routings=ANY_ROUTING,
    platforms=ANY_ROUTER,
)
RING = Shape(
    name="ring",
    what="routers in a ring, each with a LAN",
    sizes=RingSizes,
    build=build_ring,
    steps=({"routers": 3}, {"routers": 4}, {"routers": 6}),
    routings=ANY_ROUTING,
    platforms=ANY_ROUTER,
)
