"""A data center whose switches run a P4 program and forward by the entries of its tables."""

from __future__ import annotations

from pydantic import Field

from pytest_netbench.generators.networks.draft import Draft
from pytest_netbench.generators.networks.routings import P4
from pytest_netbench.generators.networks.shapes.base import Shape, Sizes


class P4Sizes(Sizes):
    """Sizes of a leaf-spine network of P4 switches."""

    spines: int = Field(2, ge=2, le=8, description="spines, 2 to 8")
    leaves: int = Field(2, ge=2, le=16, description="leaves, 2 to 16")
    hosts: int = Field(1, ge=1, le=16, description="hosts at each leaf, 1 to 16")


def build(draft: Draft, sizes: P4Sizes) -> None:
    """Add ``spine1`` and so on, ``leaf1`` and so on, and a subnet of hosts at each leaf."""
    spines = [draft.switch(f"spine{number}", role="spine") for number in range(1, sizes.spines + 1)]
    leaves = [draft.switch(f"leaf{number}", role="leaf") for number in range(1, sizes.leaves + 1)]
    for leaf in leaves:
        for spine in spines:
            draft.cable([leaf, spine])
    for number, leaf in enumerate(leaves, start=1):
        draft.switched_lan(leaf, draft.hosts(f"h{number}x{place}" for place in range(1, sizes.hosts + 1)))


P4_LEAF_SPINE = Shape(
    name="p4-leaf-spine",
    what="a data center of P4 switches: each leaf is connected to each spine, and spreads flows over all of them",
    sizes=P4Sizes,
    build=build,
    steps=({"spines": 2, "leaves": 2}, {"spines": 3, "leaves": 4}, {"spines": 4, "leaves": 8}),
    routings={"p4": P4},
    platforms=("p4",),
)
