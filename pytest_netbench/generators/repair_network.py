"""The generator ``repair-network``: drawn networks of FRR or IOS routers with one to three faults."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final, Literal

from pydantic import Field, ValidationInfo, field_validator

from pytest_netbench.errors import UsageError
from pytest_netbench.faults.reasoning import reasoning
from pytest_netbench.generators.faulty_networks import Choice, choices, kinds_of, networks
from pytest_netbench.generators.networks import DrawnNetwork, flow_groups
from pytest_netbench.generators.networks.parameters import Naming, ServiceName
from pytest_netbench.generators.protocol import Parameters
from pytest_netbench.generators.randomness import random_of
from pytest_netbench.generators.values import Span
from pytest_netbench.model.drawn import Drawn
from pytest_netbench.model.faulty import InjectedFault, fault_of
from pytest_netbench.model.task import Task

NAME: Final = "repair-network"
ShapeName = Literal["campus", "clos", "dual-homed-isp", "isp", "leaf-spine", "line", "mesh", "ring", "star", "tree"]
RoutingName = Literal["bgp", "ospf", "static"]
PlatformName = Literal["cisco_ios", "frr"]
FaultName = Literal[
    "access-list-order",
    "address-duplicate",
    "bgp-as-number-wrong",
    "bgp-filter-wrong",
    "bgp-network-missing",
    "host-address-duplicate",
    "host-gateway-wrong",
    "host-mask-wrong",
    "mask-wrong",
    "nat-side-wrong",
    "ospf-area-wrong",
    "ospf-authentication-wrong",
    "ospf-interface-passive",
    "ospf-mtu-wrong",
    "ospf-network-missing",
    "ospf-network-type-wrong",
    "ospf-timers-wrong",
    "port-shutdown",
    "static-next-hop-wrong",
    "vlan-wrong",
]
FAULTS: Final[tuple[FaultName, ...]] = FaultName.__args__  # type: ignore[attr-defined]
"""What is drawn. Not what is installed: a fault of another package must not change the draws."""
USUAL_SHAPES: Final[tuple[ShapeName, ...]] = ("campus", "dual-homed-isp", "leaf-spine", "line", "ring", "tree")
MOST_FAULTS: Final = 3


class RepairNetworkParameters(Parameters):
    """What can be chosen."""

    shapes: tuple[ShapeName, ...] = Field(USUAL_SHAPES, description="shapes of networks that may occur")
    routings: tuple[RoutingName, ...] = Field(("bgp", "ospf", "static"), description="routing that may occur")
    platforms: tuple[PlatformName, ...] = Field(("cisco_ios", "frr"), description="platforms that may occur")
    size: Span = Field(Span(low=1, high=2), description="1: small, 2: medium, 3: large")
    hosts: Span = Field(Span(low=1, high=2), description="number of hosts in each LAN, 1 to 8")
    level: Span = Field(Span(low=1, high=2), description="number of faults, 1 to 3")
    faults: tuple[FaultName, ...] = Field(FAULTS, description="faults that may occur")
    services: tuple[ServiceName, ...] = Field(("filter", "nat"), description="services that networks may have")
    names: Naming = Field("drawn", description="names and addresses of the network: drawn, or plain")

    @field_validator("size", "hosts", "level")
    @classmethod
    def _in_range(cls, value: Span, info: ValidationInfo) -> Span:
        high = {"size": 3, "hosts": 8, "level": MOST_FAULTS}[str(info.field_name)]
        if not 1 <= value.low <= value.high <= high:
            raise ValueError(f"{value} is not within 1-{high}")
        return value


class RepairNetwork:
    """Networks of FRR or IOS routers and switches with one to three faults."""

    name = NAME
    parameters = RepairNetworkParameters

    def draw(self, parameters: RepairNetworkParameters, *, seed: int, index: int) -> Task:
        source = random_of(NAME, seed=seed, index=index)
        level = parameters.level.draw(source)
        kinds = list(kinds_of(parameters.shapes, parameters.routings, parameters.platforms, parameters.services))
        # of all hosts or of none, so that it tells nothing
        managed_hosts = any(fault_of(name).platforms == ("linux",) for name in parameters.faults)
        # faults that fit few networks are drawn as often as the others
        for first in source.sample(parameters.faults, len(parameters.faults)):
            for network in networks(
                kinds,
                first,
                source,
                size=parameters.size,
                hosts=parameters.hosts,
                names=parameters.names,
                managed_hosts=managed_hosts,
            ):
                chosen = _chosen(network, first, level, parameters, source)
                if chosen:
                    return _task(network, chosen, parameters, seed=seed, index=index)
        raise UsageError(
            f"{NAME}: nothing can be drawn with level={parameters.level}, faults={'+'.join(parameters.faults)},"
            f" shapes={'+'.join(parameters.shapes)}, routings={'+'.join(parameters.routings)},"
            f" platforms={'+'.join(parameters.platforms)} and size={parameters.size}: give more of them, or a lower"
            " level"
        )


def _chosen(
    network: DrawnNetwork, first: str, level: int, parameters: RepairNetworkParameters, source: random.Random
) -> tuple[Choice, ...]:
    """Faults of a network, the first of the kind ``first``; none if the network has no place for as many."""
    chosen: list[Choice] = []
    kinds: Sequence[str] = (first,)
    known: dict[str, list[Choice]] = {}
    connected: dict[frozenset[str], bool] = {}
    for _ in range(level):
        taken = {thing for one in chosen for thing in one.fault.touches(one.parameters)}
        free: dict[str, list[Choice]] = {}
        for kind in kinds:
            if kind not in known:
                known[kind] = list(choices(network, kind, connected))
            free[kind] = [one for one in known[kind] if not taken & one.fault.touches(one.parameters)]
        fitting = [kind for kind in kinds if free[kind]]
        if not fitting:
            return ()
        chosen.append(source.choice(free[source.choice(fitting)]))
        kinds = parameters.faults
    return tuple(sorted(chosen, key=lambda one: (bool(one.fault.lets_through), str(one.fault.label))))


def _task(
    network: DrawnNetwork,
    chosen: Sequence[Choice],
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
            "task_name": f"Repair a network of shape {network.shape} with {network.routing} routing",
            "slug": drawn.slug,
            "family": "repair",
            "domain": "routing",
            "drawn": drawn,
            **network.fields(),
            "flows": flow_groups(network),
            "faults": faults,
            "ground_truth_reasoning": reasoning(faults),
        }
    )
