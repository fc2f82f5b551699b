"""NetArena's star: one router, and LANs around it."""

from __future__ import annotations

from pydantic import Field

from pytest_netbench.generators.networks.draft import Draft
from pytest_netbench.generators.networks.routings import STATIC
from pytest_netbench.generators.networks.shapes.base import Shape, Sizes, add_lan


class StarSizes(Sizes):
    """Sizes of the star. NetArena draws both from 2 to 4."""

    subnets: int = Field(2, ge=1, le=8, description="LANs, 1 to 8")
    hosts: int = Field(2, ge=1, le=8, description="hosts in each LAN, 1 to 8")


def build(draft: Draft, sizes: StarSizes) -> None:
    """Add router ``r0`` and its LANs."""
    router = draft.router("r0")
    for subnet in range(1, sizes.subnets + 1):
        add_lan(draft, router, str(subnet), sizes.hosts)


STAR = Shape(
    name="star",
    what="one router with several LANs, as in NetArena",
    sizes=StarSizes,
    build=build,
    steps=({"subnets": 2}, {"subnets": 3}, {"subnets": 4}),
    routings={"static": STATIC},
    platforms=("linux", "frr", "cisco_ios"),
)
