"""A data center whose switches get their flows from a controller, over a network for management."""

from __future__ import annotations

from pydantic import Field

from pytest_netbench.generators.networks.draft import Draft
from pytest_netbench.generators.networks.routings import OPENFLOW
from pytest_netbench.generators.networks.shapes.base import Shape, Sizes


class SdnSizes(Sizes):
    """Sizes of a leaf-spine network of OpenFlow switches."""

    spines: int = Field(2, ge=1, le=8, description="spines, 1 to 8")
    leaves: int = Field(2, ge=2, le=16, description="leaves, 2 to 16")
    hosts: int = Field(1, ge=1, le=16, description="hosts at each leaf, 1 to 16")


def build(draft: Draft, sizes: SdnSizes) -> None:
    """Add ``controller1``, ``spine1`` and so on, ``leaf1`` and so on with hosts, and a LAN for management."""
    controller = draft.controller("controller1")
    spines = [draft.switch(f"spine{number}", role="spine") for number in range(1, sizes.spines + 1)]
    leaves = [draft.switch(f"leaf{number}", role="leaf") for number in range(1, sizes.leaves + 1)]
    # first, so that its interface is the first one of each switch
    draft.management(controller, [*spines, *leaves])
    for leaf in leaves:
        for spine in spines:
            draft.cable([leaf, spine])
    for number, leaf in enumerate(leaves, start=1):
        draft.switched_lan(leaf, draft.hosts(f"h{number}x{place}" for place in range(1, sizes.hosts + 1)))


SDN_LEAF_SPINE = Shape(
    name="sdn-leaf-spine",
    what="a data center of OpenFlow switches: each leaf is connected to each spine; a controller gives them flows",
    sizes=SdnSizes,
    build=build,
    steps=({"spines": 2, "leaves": 2}, {"spines": 2, "leaves": 4}, {"spines": 4, "leaves": 8}),
    routings={"openflow": OPENFLOW},
    platforms=("openvswitch",),
)
