"""A backbone: a router for each node of a graph, each with a LAN of customers."""

from __future__ import annotations

from typing import Final

from pydantic import Field, field_validator

from pytest_netbench.generators.networks.draft import Device, Draft
from pytest_netbench.generators.networks.graphs import SHIPPED, Graph, shipped
from pytest_netbench.generators.networks.routings import EXTERNAL_BGP, INTERNAL_BGP, ISIS, OSPF, STATIC
from pytest_netbench.generators.networks.shapes.base import ANY_ROUTER, Shape, Sizes, add_lan

_REFERENCE_CAPACITY: Final = 100_000
"""A link of this capacity has metric 1, if metrics are by capacity."""
_HIGHEST: Final = 65_535
_COUNTS: Final = ", ".join(map(str, SHIPPED))


class IspSizes(Sizes):
    """Sizes of a backbone."""

    routers: int = Field(min(SHIPPED), ge=min(SHIPPED), le=max(SHIPPED), description=f"routers: {_COUNTS}")
    hosts: int = Field(1, ge=1, le=4, description="hosts at each router, 1 to 4")
    by_capacity: int = Field(0, ge=0, le=1, description="metrics of links: 0 by their length, 1 by their capacity")

    @field_validator("routers")
    @classmethod
    def _is_shipped(cls, value: int) -> int:
        if value not in SHIPPED:
            raise ValueError(f"there are graphs with {_COUNTS} routers")
        return value


def build(draft: Draft, sizes: IspSizes) -> None:
    """Add a router with the name of each node, a LAN at each, and the links of the graph with their metrics."""
    build_graph(draft, shipped(sizes.routers), hosts=sizes.hosts, by_capacity=bool(sizes.by_capacity))


def build_graph(draft: Draft, graph: Graph, *, hosts: int, by_capacity: bool) -> None:
    """Add the network of any graph, with the graph's demands as its traffic matrix.

    Args:
        draft: An empty draft.
        graph: Nodes and links.
        hosts: Number of hosts at each router.
        by_capacity: Whether the metric of a link is smaller the more it carries. Otherwise it is the link's cost.
    """
    routers: dict[str, Device] = {node.name: draft.router(node.name.lower()) for node in graph.nodes}
    for link in graph.links:
        cost = _metric(link.capacity, inverse=True) if by_capacity else _metric(link.cost)
        draft.transit(routers[link.one], routers[link.other], cost=cost)
    draft.matrix += [(routers[one.source], routers[one.target], one.value) for one in graph.demands]
    for number, router in enumerate(routers.values(), start=1):
        add_lan(draft, router, str(number), hosts)


def _metric(value: float | None, *, inverse: bool = False) -> int | None:
    if not value or value < 0:
        return None
    return min(_HIGHEST, max(1, round(_REFERENCE_CAPACITY / value if inverse else value)))


ISP = Shape(
    name="isp",
    what="a backbone of an ISP: cities and the links between them, metrics by length or capacity",
    sizes=IspSizes,
    build=build,
    steps=({"routers": 12}, {"routers": 22}, {"routers": 50}, {"routers": 62}, {"routers": 124}),
    routings={"ospf": OSPF, "isis": ISIS, "ibgp": INTERNAL_BGP, "bgp": EXTERNAL_BGP, "static": STATIC},
    platforms=ANY_ROUTER,
)
