"""Data centers: hosts at leaves, each leaf connected to each spine; spines of several pods joined by superspines.

AS numbers are those of RFC 7938, 5.2.1: one for the top tier, one for the spines of each pod, one for each leaf. So no
route goes up again after it came down.
"""

from __future__ import annotations

from typing import Final

from pydantic import Field

from pytest_netbench.generators.networks.draft import Device, Draft
from pytest_netbench.generators.networks.routings import EXTERNAL_BGP, OSPF, STATIC
from pytest_netbench.generators.networks.shapes.base import ANY_ROUTER, Shape, Sizes, add_lan, connect_tiers

_ROUTINGS: Final = {"bgp": EXTERNAL_BGP, "ospf": OSPF, "static": STATIC}
_TOP: Final = 65000


class LeafSpineSizes(Sizes):
    """Sizes of a leaf-spine network."""

    spines: int = Field(2, ge=1, le=8, description="spines, 1 to 8")
    leaves: int = Field(2, ge=2, le=128, description="leaves, 2 to 128")
    hosts: int = Field(1, ge=1, le=16, description="hosts at each leaf, 1 to 16")


class ClosSizes(Sizes):
    """Sizes of a Clos network of five stages."""

    superspines: int = Field(2, ge=1, le=8, description="superspines, 1 to 8")
    pods: int = Field(2, ge=2, le=16, description="pods, 2 to 16")
    spines: int = Field(2, ge=1, le=4, description="spines in each pod, 1 to 4")
    leaves: int = Field(2, ge=1, le=8, description="leaves in each pod, 1 to 8")
    hosts: int = Field(1, ge=1, le=16, description="hosts at each leaf, 1 to 16")


def build_leaf_spine(draft: Draft, sizes: LeafSpineSizes) -> None:
    """Add ``spine1``, ``spine2`` and so on, ``leaf1``, ``leaf2`` and so on, and a LAN at each leaf."""
    spines = _tier(draft, "spine", sizes.spines, autonomous_system=_TOP)
    leaves = _tier(draft, "leaf", sizes.leaves)
    connect_tiers(draft, leaves, spines)
    for leaf in leaves:
        add_lan(draft, leaf, leaf.name.removeprefix("leaf"), sizes.hosts)


def build_clos(draft: Draft, sizes: ClosSizes) -> None:
    """Add ``superspine1`` and so on, and in pod P ``spinePx1``, ``leafPx1`` and so on with a LAN at each leaf."""
    top = _tier(draft, "superspine", sizes.superspines, autonomous_system=_TOP)
    for pod in range(1, sizes.pods + 1):
        spines = _tier(draft, "spine", sizes.spines, pod=pod, autonomous_system=_TOP + pod)
        leaves = _tier(draft, "leaf", sizes.leaves, pod=pod)
        connect_tiers(draft, spines, top)
        connect_tiers(draft, leaves, spines)
        for leaf in leaves:
            add_lan(draft, leaf, leaf.name.removeprefix("leaf"), sizes.hosts)


def _tier(
    draft: Draft, role: str, count: int, *, pod: int | None = None, autonomous_system: int | None = None
) -> list[Device]:
    place = "" if pod is None else f"{pod}x"
    routers = [draft.router(f"{role}{place}{number}", role=role) for number in range(1, count + 1)]
    for router in routers:
        router.autonomous_system = autonomous_system
    return routers


LEAF_SPINE = Shape(
    name="leaf-spine",
    what="a data center: each leaf is connected to each spine; external BGP as in RFC 7938",
    sizes=LeafSpineSizes,
    build=build_leaf_spine,
    steps=(
        {"spines": 1, "leaves": 2},
        {"spines": 1, "leaves": 3},
        {"spines": 2, "leaves": 4},
        {"spines": 4, "leaves": 56},
        {"spines": 4, "leaves": 116},
    ),
    routings=_ROUTINGS,
    platforms=ANY_ROUTER,
)
CLOS = Shape(
    name="clos",
    what="a data center of five stages: pods of leaves and spines, joined by superspines; external BGP as in RFC 7938",
    sizes=ClosSizes,
    build=build_clos,
    steps=(
        {"superspines": 1, "spines": 1, "leaves": 1},
        {"superspines": 2, "spines": 2, "leaves": 2},
        {"superspines": 4, "pods": 4, "spines": 2, "leaves": 2},
        {"superspines": 4, "pods": 8, "spines": 2, "leaves": 5},
        {"superspines": 4, "pods": 12, "spines": 2, "leaves": 8},
    ),
    routings=_ROUTINGS,
    platforms=ANY_ROUTER,
)
