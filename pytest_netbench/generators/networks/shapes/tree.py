"""A tree of routers with LANs at its leaves."""

from __future__ import annotations

from pydantic import Field, model_validator

from pytest_netbench.generators.networks.draft import Draft
from pytest_netbench.generators.networks.shapes.base import ANY_ROUTER, ANY_ROUTING, Shape, Sizes, add_lan

_MOST_ROUTERS = 150


class TreeSizes(Sizes):
    """Sizes of a tree."""

    depth: int = Field(2, ge=1, le=6, description="levels of routers below the root, 1 to 6")
    branches: int = Field(2, ge=2, le=8, description="routers below each router, 2 to 8")
    hosts: int = Field(1, ge=1, le=8, description="hosts at each leaf, 1 to 8")

    @model_validator(mode="after")
    def _not_too_many(self) -> TreeSizes:
        count = sum(self.branches**level for level in range(self.depth + 1))
        if count > _MOST_ROUTERS:
            raise ValueError(
                f"a tree of depth {self.depth} with {self.branches} branches has {count} routers;"
                f" {_MOST_ROUTERS} are allowed: use a smaller depth or fewer branches"
            )
        return self


def build(draft: Draft, sizes: TreeSizes) -> None:
    """Add the root ``r1``, and level by level the routers below it."""
    level = [draft.router("r1", role="root")]
    for _ in range(sizes.depth):
        below = []
        for parent in level:
            for _ in range(sizes.branches):
                child = draft.router(f"r{len(draft.devices) + 1}")
                draft.transit(parent, child)
                below.append(child)
        level = below
    for leaf in level:
        add_lan(draft, leaf, leaf.name.removeprefix("r"), sizes.hosts)


TREE = Shape(
    name="tree",
    what="a tree of routers with LANs at its leaves",
    sizes=TreeSizes,
    build=build,
    steps=(
        {"depth": 1, "branches": 2},
        {"depth": 2, "branches": 2},
        {"depth": 2, "branches": 3},
        {"depth": 5, "branches": 2},
        {"depth": 6, "branches": 2},
    ),
    routings=ANY_ROUTING,
    platforms=ANY_ROUTER,
)
