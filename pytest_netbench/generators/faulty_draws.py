"""Networks with faults: what can be chosen of them, and one draw. Shared by generators of several families."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from typing import ClassVar, Final, Literal, NamedTuple

from pydantic import Field, ValidationInfo, field_validator

from pytest_netbench.errors import UsageError
from pytest_netbench.generators.default_faults import REPAIRED
from pytest_netbench.generators.faulty_networks import Choice, choices, kinds_of, networks, with_company
from pytest_netbench.generators.faulty_refusals import why_nothing
from pytest_netbench.generators.networks import DrawnNetwork
from pytest_netbench.generators.networks.parameters import Naming, ServiceName
from pytest_netbench.generators.protocol import Parameters
from pytest_netbench.generators.values import Span
from pytest_netbench.model.faulty import InjectedFault, fault_of

ShapeName = Literal[
    "campus", "clos", "dual-homed-isp", "isp", "leaf-spine", "line", "mesh", "ring", "sdn-leaf-spine", "star", "tree"
]
RoutingName = Literal["bgp", "openflow", "ospf", "static"]
PlatformName = Literal["cisco_ios", "frr", "mixed", "openvswitch"]
USUAL_SHAPES: Final[tuple[ShapeName, ...]] = ("campus", "dual-homed-isp", "leaf-spine", "line", "ring", "tree")
MOST_FAULTS: Final = 3
SCENARIOS: Final[Mapping[str, ShapeName]] = {
    "dc_clos": "clos",
    "enterprise_branch": "dual-homed-isp",
    "sdn": "sdn-leaf-spine",
    "small": "line",
}
"""NIKA's names of scenarios that a shape corresponds to. ``campus`` and ``isp`` are called the same."""
_SIZES: Final = {"s": "1", "m": "2", "l": "3"}
_COUNT: Final = re.compile(r"\d+(-\d+)?")


class FaultyParameters(Parameters):
    """What can be chosen of a network with faults.

    On a command line also in NIKA's words: ``scenario=dc_clos``, ``size=s``, and ``faults=1`` for how many.
    """

    also_called: ClassVar[Mapping[str, str]] = {"scenario": "shapes"}

    shapes: tuple[ShapeName, ...] = Field(USUAL_SHAPES, description="shapes of networks that may occur")
    routings: tuple[RoutingName, ...] = Field(("bgp", "ospf", "static"), description="routing that may occur")
    platforms: tuple[PlatformName, ...] = Field(("cisco_ios", "frr"), description="platforms that may occur")
    size: Span = Field(Span(low=1, high=2), description="1: small, 2: medium, 3: large")
    hosts: Span = Field(Span(low=1, high=2), description="number of hosts in each LAN, 1 to 8")
    level: Span = Field(Span(low=1, high=2), description="number of faults, 1 to 3")
    faults: tuple[str, ...] = Field(REPAIRED, description="faults that may occur")
    services: tuple[ServiceName, ...] = Field(("filter", "nat"), description="services that networks may have")
    names: Naming = Field("drawn", description="names and addresses of the network: drawn, or plain")

    @classmethod
    def respelled(cls, given: Mapping[str, str]) -> dict[str, str]:
        """Return what was written, in the words of this model."""
        found = dict(given)
        if "shapes" in found:
            found["shapes"] = "+".join(SCENARIOS.get(name, name) for name in found["shapes"].split("+"))
        if "size" in found:
            ends = found["size"].lower().split("-")
            found["size"] = "-".join(_SIZES.get(end, end) for end in ends)
        if _COUNT.fullmatch(found.get("faults", "")):
            if "level" in found:
                raise UsageError(
                    f"faults={found['faults']} and level={found['level']} both say how many faults there are"
                )
            found["level"] = found.pop("faults")
        return found

    @field_validator("size", "hosts", "level")
    @classmethod
    def _in_range(cls, value: Span, info: ValidationInfo) -> Span:
        high = {"size": 3, "hosts": 8, "level": MOST_FAULTS}[str(info.field_name)]
        if not 1 <= value.low <= value.high <= high:
            raise ValueError(f"{value} is not within 1-{high}")
        return value


class Broken(NamedTuple):
    """A network, and the faults that are injected into it, in this order."""

    network: DrawnNetwork
    chosen: tuple[Choice, ...]

    @property
    def faults(self) -> list[InjectedFault]:
        """The faults as a task has them."""
        return [
            InjectedFault(fault=one.fault.name, parameters=one.parameters.model_dump(mode="json", exclude_none=True))
            for one in self.chosen
        ]

    @property
    def label(self) -> str:
        """The labels of the faults, e.g. ``MASK+PORT``."""
        return "+".join(one.fault.label for one in self.chosen)


def draw_broken(name: str, parameters: FaultyParameters, source: random.Random) -> Broken:
    """Draw a network with faults.

    Raises:
        UsageError: Nothing can be drawn with these parameters, by the generator called ``name``.
    """
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
                return Broken(network, chosen)
    asked = parameters.model_dump(include={"shapes", "routings", "platforms", "services", "faults"})
    reason = why_nothing(kinds, **asked, level=level, size=parameters.size, hosts=parameters.hosts)
    raise UsageError(f"{name}: {reason}")


def _chosen(
    network: DrawnNetwork, first: str, level: int, parameters: FaultyParameters, source: random.Random
) -> tuple[Choice, ...]:
    """Faults of a network, the first of the kind ``first``; none if the network has no place for as many."""
    chosen: list[tuple[Choice, ...]] = []
    kinds: Sequence[str] = (first,)
    known: dict[str, list[tuple[Choice, ...]]] = {}
    connected: dict[frozenset[str], bool] = {}
    for _ in range(level):
        taken = {thing for group in chosen for thing in _touched(group)}
        free: dict[str, list[tuple[Choice, ...]]] = {}
        for kind in kinds:
            if kind not in known:
                known[kind] = [
                    group for one in choices(network, kind, connected) for group in with_company(one, network)
                ]
            free[kind] = [group for group in known[kind] if not taken & _touched(group)]
        fitting = [kind for kind in kinds if free[kind]]
        if not fitting:
            return ()
        chosen.append(source.choice(free[source.choice(fitting)]))
        kinds = parameters.faults
    ordered = sorted(chosen, key=lambda group: (bool(group[0].fault.lets_through), str(group[0].fault.label)))
    return tuple(one for group in ordered for one in group)


def _touched(group: tuple[Choice, ...]) -> frozenset[str]:
    return frozenset(thing for one in group for thing in one.fault.touches(one.parameters))
