"""A data centre of two layers: each leaf is connected to each spine, and hosts to leaves."""

from __future__ import annotations

from typing import Final

from pydantic import Field

from pytest_netbench.generators.networks.draft import Draft
from pytest_netbench.generators.networks.routings import EXTERNAL_BGP, OSPF, STATIC
from pytest_netbench.generators.networks.shapes.base import ANY_ROUTER, Shape, Sizes, add_lan

SPINE_AUTONOMOUS_SYSTEM: Final = 65000
"""All spines are in one AS and each leaf is in its own, so that no route goes over two spines (RFC 7938, 5.2.1)."""


class LeafSpineSizes(Sizes):
    """Sizes of a leaf-spine network."""

    spines: int = Field(2, ge=1, le=8, description="spines, 1 to 8")
    leaves: int = Field(2, ge=2, le=32, description="leaves, 2 to 32")
    hosts: int = Field(1, ge=1, le=16, description="hosts at each leaf, 1 to 16")


def build(draft: Draft, sizes: LeafSpineSizes) -> None:
    """Add ``spine1``, ``spine2`` and so on, ``leaf1``, ``leaf2`` and so on, and a LAN at each leaf."""
    spines = [draft.router(f"spine{number}", role="spine") for number in range(1, sizes.spines + 1)]
    leaves = [draft.router(f"leaf{number}", role="leaf") for number in range(1, sizes.leaves + 1)]
    for spine in spines:
        spine.autonomous_system = SPINE_AUTONOMOUS_SYSTEM
    for leaf in leaves:
        for spine in spines:
            draft.transit(leaf, spine)
    for number, leaf in enumerate(leaves, start=1):
        add_lan(draft, leaf, str(number), sizes.hosts)


LEAF_SPINE = Shape(
    name="leaf-spine",
    what="a data centre: each leaf is connected to each spine; external BGP as in RFC 7938",
    sizes=LeafSpineSizes,
    build=build,
    routings={"bgp": EXTERNAL_BGP, "ospf": OSPF, "static": STATIC},
    platforms=ANY_ROUTER,
)
