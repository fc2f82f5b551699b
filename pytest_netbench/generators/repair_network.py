"""The generator ``repair-network``: drawn networks of FRR or IOS routers with one to three faults."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

from pydantic import Field, ValidationInfo, field_validator

from pytest_netbench.errors import UsageError
from pytest_netbench.faults.paths import connects
from pytest_netbench.faults.reasoning import reasoning
from pytest_netbench.generators.networks import DrawnNetwork, NetworkParameters, draw_network
from pytest_netbench.generators.networks.parameters import Naming
from pytest_netbench.generators.networks.shapes import SHAPES
from pytest_netbench.generators.protocol import Parameters
from pytest_netbench.generators.randomness import random_of
from pytest_netbench.generators.values import Span
from pytest_netbench.model.base import Model
from pytest_netbench.model.drawn import Drawn
from pytest_netbench.model.repair import FlowGroup, InjectedFault, fault_of
from pytest_netbench.model.task import Task

NAME: Final = "repair-network"
ShapeName = Literal["campus", "clos", "dual-homed-isp", "leaf-spine", "line", "mesh", "ring", "star", "tree"]
RoutingName = Literal["bgp", "ospf", "static"]
PlatformName = Literal["cisco_ios", "frr"]
FaultName = Literal[
    "bgp-as-number-wrong",
    "bgp-filter-wrong",
    "bgp-network-missing",
    "ospf-area-wrong",
    "ospf-authentication-wrong",
    "ospf-interface-passive",
    "ospf-mtu-wrong",
    "ospf-network-missing",
    "ospf-network-type-wrong",
    "ospf-timers-wrong",
    "static-next-hop-wrong",
]
FAULTS: Final[tuple[FaultName, ...]] = FaultName.__args__  # type: ignore[attr-defined]
"""What is drawn. Not what is installed: a fault of another package must not change the draws."""
USUAL_SHAPES: Final[tuple[ShapeName, ...]] = ("campus", "dual-homed-isp", "leaf-spine", "line", "ring", "tree")
SIZES: Final[Mapping[str, tuple[Mapping[str, int], ...]]] = {
    "campus": (
        {"cores": 1, "accesses": 1},
        {"cores": 1, "blocks": 2, "accesses": 2},
        {"cores": 2, "blocks": 2, "distributions": 2, "accesses": 2},
    ),
    "clos": (
        {"superspines": 1, "spines": 1, "leaves": 1},
        {"superspines": 2, "spines": 1, "leaves": 2},
        {"superspines": 2, "spines": 2, "leaves": 2},
    ),
    "dual-homed-isp": ({"edges": 1, "sites": 2}, {"edges": 2, "sites": 2}, {"edges": 2, "sites": 4}),
    "leaf-spine": ({"spines": 1, "leaves": 2}, {"spines": 1, "leaves": 3}, {"spines": 2, "leaves": 4}),
    "line": ({"routers": 2}, {"routers": 3}, {"routers": 5}),
    "mesh": ({"routers": 3}, {"routers": 4}, {"routers": 5}),
    "ring": ({"routers": 3}, {"routers": 4}, {"routers": 6}),
    "star": ({"subnets": 2}, {"subnets": 3}, {"subnets": 4}),
    "tree": ({"depth": 1, "branches": 2}, {"depth": 2, "branches": 2}, {"depth": 2, "branches": 3}),
}
"""By shape: its sizes, small, medium and large."""
MOST_FAULTS: Final = 3
HTTP: Final = 80


class RepairNetworkParameters(Parameters):
    """What can be chosen."""

    shapes: tuple[ShapeName, ...] = Field(USUAL_SHAPES, description="shapes of networks that may occur")
    routings: tuple[RoutingName, ...] = Field(("bgp", "ospf", "static"), description="routing that may occur")
    platforms: tuple[PlatformName, ...] = Field(("cisco_ios", "frr"), description="platforms that may occur")
    size: Span = Field(Span(low=1, high=2), description="1: small, 2: medium, 3: large")
    hosts: Span = Field(Span(low=1, high=2), description="number of hosts in each LAN, 1 to 8")
    level: Span = Field(Span(low=1, high=2), description="number of faults, 1 to 3")
    faults: tuple[FaultName, ...] = Field(FAULTS, description="faults that may occur")
    names: Naming = Field("drawn", description="names and addresses of the network: drawn, or plain")

    @field_validator("size", "hosts", "level")
    @classmethod
    def _in_range(cls, value: Span, info: ValidationInfo) -> Span:
        high = {"size": 3, "hosts": 8, "level": MOST_FAULTS}[str(info.field_name)]
        if not 1 <= value.low <= value.high <= high:
            raise ValueError(f"{value} is not within 1-{high}")
        return value


class _Choice(NamedTuple):
    fault: Any
    parameters: Model


class RepairNetwork:
    """Networks of FRR or IOS routers and switches with one to three faults."""

    name = NAME
    parameters = RepairNetworkParameters

    def draw(self, parameters: RepairNetworkParameters, *, seed: int, index: int) -> Task:
        source = random_of(NAME, seed=seed, index=index)
        level = parameters.level.draw(source)
        # faults that fit few networks are drawn as often as the others
        for first in source.sample(parameters.faults, len(parameters.faults)):
            for network in _networks(parameters, source):
                chosen = _chosen(network, first, level, parameters, source)
                if chosen:
                    return _task(network, chosen, parameters, seed=seed, index=index)
        raise UsageError(
            f"{NAME}: nothing can be drawn with level={parameters.level}, faults={'+'.join(parameters.faults)},"
            f" shapes={'+'.join(parameters.shapes)}, routings={'+'.join(parameters.routings)},"
            f" platforms={'+'.join(parameters.platforms)} and size={parameters.size}: give more of them, or a lower"
            " level"
        )


def _networks(parameters: RepairNetworkParameters, source: random.Random) -> Iterator[DrawnNetwork]:
    """One network of each shape, routing and platform that the parameters permit and the shape offers."""
    kinds = [
        (shape, routing, platform)
        for shape in parameters.shapes
        for routing in parameters.routings
        for platform in parameters.platforms
        if routing in SHAPES[shape].routings and platform in SHAPES[shape].platforms
    ]
    for shape, routing, platform in source.sample(kinds, len(kinds)):
        sizes = {**SIZES[shape][parameters.size.draw(source) - 1], "hosts": parameters.hosts.draw(source)}
        yield draw_network(
            NetworkParameters(
                shape=shape,
                sizes=sizes,
                routing=routing,
                platform=platform,
                names=parameters.names,
                seed=source.randrange(2**31),
            )
        )


def _chosen(
    network: DrawnNetwork, first: str, level: int, parameters: RepairNetworkParameters, source: random.Random
) -> tuple[_Choice, ...]:
    """Faults of a network, the first of the kind ``first``; none if the network has no place for as many."""
    chosen: list[_Choice] = []
    kinds: Sequence[str] = (first,)
    known: dict[str, list[_Choice]] = {}
    connected: dict[frozenset[str], bool] = {}
    for _ in range(level):
        taken = {thing for one in chosen for thing in one.fault.touches(one.parameters)}
        free: dict[str, list[_Choice]] = {}
        for kind in kinds:
            if kind not in known:
                known[kind] = list(_choices(network, kind, connected))
            free[kind] = [one for one in known[kind] if not taken & one.fault.touches(one.parameters)]
        fitting = [kind for kind in kinds if free[kind]]
        if not fitting:
            return ()
        chosen.append(source.choice(free[source.choice(fitting)]))
        kinds = parameters.faults
    return tuple(sorted(chosen, key=lambda one: str(one.fault.label)))


def _choices(network: DrawnNetwork, kind: str, connected: dict[frozenset[str], bool]) -> Iterator[_Choice]:
    """The places of a fault in a network, without those at which another path takes over."""
    fault = fault_of(kind)
    for parameters in fault.places(network):
        cuts = frozenset(fault.cuts(parameters))
        if cuts not in connected:
            connected[cuts] = bool(cuts) and connects(network, cuts)
        if not connected[cuts]:
            yield _Choice(fault, parameters)


def _task(
    network: DrawnNetwork,
    chosen: Sequence[_Choice],
    parameters: RepairNetworkParameters,
    *,
    seed: int,
    index: int,
) -> Task:
    drawn = Drawn(
        generator=NAME,
        parameters=parameters.model_dump(mode="json"),
        seed=seed,
        index=index,
        label="+".join(one.fault.label for one in chosen),
        level=len(chosen),
    )
    faults = [
        InjectedFault(fault=one.fault.name, parameters=one.parameters.model_dump(mode="json", exclude_none=True))
        for one in chosen
    ]
    return Task.model_validate(
        {
            "task_name": f"Repair the routing of a network of shape {network.shape} with {network.routing} routing",
            "slug": drawn.slug,
            "family": "repair",
            "domain": "routing",
            "drawn": drawn,
            **network.fields(),
            "flows": _flow_groups(network),
            "faults": faults,
            "ground_truth_reasoning": reasoning(faults),
        }
    )


def _flow_groups(network: DrawnNetwork) -> tuple[FlowGroup, ...]:
    """Echo and HTTP between all hosts."""
    where = {name: network.addresses[name] for name in network.hosts}
    return (
        FlowGroup(sources=network.hosts, targets=where),
        FlowGroup(sources=network.hosts, targets=where, protocol="tcp", port=HTTP),
    )
