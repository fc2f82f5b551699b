"""Building a data-center graph from sizes and a seed. Equal arguments give equal graphs on every machine."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from pydantic import Field

from pytest_netbench.datacenter_graph.graph import (
    AGG_BLOCK,
    CAPACITY,
    CHASSIS,
    CONTAINS,
    CONTROL,
    CONTROL_DOMAIN,
    CONTROL_POINT,
    JUPITER,
    PACKET_SWITCH,
    PORT,
    RACK,
    SPINE_BLOCK,
    SUPER_BLOCK,
    Graph,
)
from pytest_netbench.model.base import Model
from pytest_netbench.randomness import seeded

RATES_BPS = (10_000_000_000, 25_000_000_000, 40_000_000_000, 100_000_000_000)


class Sizes(Model):
    """How large a data center is. The defaults give 5,493 nodes and 6,424 edges, as in NetArena."""

    super_blocks: int = Field(4, ge=1, le=64, description="super blocks; each has a control domain")
    agg_blocks: int = Field(4, ge=1, le=64, description="aggregation blocks of each super block; each has a rack")
    spine_blocks: int = Field(4, ge=0, le=64, description="spine blocks; each has a control domain and a rack")
    switches: int = Field(16, ge=2, le=256, description="packet switches of each aggregation or spine block")
    ports: int = Field(14, ge=2, le=256, description="ports of each packet switch")
    seed: int = Field(0, ge=0, description="draws the capacities of the ports")


@lru_cache(maxsize=8)
def built(sizes: Sizes) -> Graph:
    """The data center of these sizes. It is shared: copy it before you change it."""
    return _Builder(sizes).graph()


class _Builder:
    def __init__(self, sizes: Sizes) -> None:
        self._sizes = sizes
        self._source = seeded(f"datacentre/{sizes.seed}")
        self._graph = Graph()

    def graph(self) -> Graph:
        sizes, graph = self._sizes, self._graph
        graph.add("ju1", JUPITER, jupiter_type="JDT_COLO")
        for number in range(1, sizes.super_blocks + 1):
            block = f"ju1.a{number}"
            graph.add(block, SUPER_BLOCK, parent="ju1", index_within_jupiter=number)
            graph.add(f"{block}.dom", CONTROL_DOMAIN)
            for part in range(1, sizes.agg_blocks + 1):
                graph.add(f"{block}.m{part}", AGG_BLOCK, parent=block)
                self._switches(f"{block}.m{part}", domain=f"{block}.dom", stages=(2, 3))
        for number in range(1, sizes.spine_blocks + 1):
            block = f"ju1.s{number}"
            graph.add(block, SPINE_BLOCK, parent="ju1")
            graph.add(f"{block}.dom", CONTROL_DOMAIN)
            self._switches(block, domain=f"{block}.dom", stages=(1, 2))
        return graph

    def _switches(self, block: str, *, domain: str, stages: Sequence[int]) -> None:
        graph = self._graph
        graph.add(f"{block}.rack", RACK)
        for index in range(self._sizes.switches):
            stage = stages[index * len(stages) // self._sizes.switches]
            name = f"{block}.s{stage}c{index + 1}"
            graph.add(f"{name}.chassis", CHASSIS, parent=f"{block}.rack")
            graph.add(f"{name}.cp", CONTROL_POINT, parent=f"{name}.chassis")
            graph.edges[domain, f"{name}.cp"] = CONTAINS
            graph.add(name, PACKET_SWITCH, parent=block, switch_loc={"stage": stage})
            graph.edges[f"{name}.chassis", name] = CONTAINS
            graph.edges[f"{name}.cp", name] = CONTROL
            for port in range(1, self._sizes.ports + 1):
                graph.add(f"{name}.p{port}", PORT, parent=name, **{CAPACITY: self._source.choice(RATES_BPS)})
