"""What can be chosen of networks with faults. Shared by generators of several families."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, Self

from pydantic import Field, ValidationInfo, field_validator, model_validator

from pytest_netbench.errors import UsageError
from pytest_netbench.generators.access import AccessName
from pytest_netbench.generators.brownfield import ConfigName
from pytest_netbench.generators.default_faults import OF_P4, REPAIRED
from pytest_netbench.generators.eligible import REPAIRABLE, Eligible
from pytest_netbench.generators.faulty_networks import MOST_SIZES, SIZES
from pytest_netbench.generators.levels import MOST_FAULTS, row_of
from pytest_netbench.generators.masking import MASKS, Pairs, masks_among
from pytest_netbench.generators.networks.parameters import Naming, ServiceName
from pytest_netbench.generators.protocol import Parameters
from pytest_netbench.generators.timing import can_come_and_go
from pytest_netbench.generators.values import Span

if TYPE_CHECKING:
    ShapeName = str
else:
    ShapeName = Literal[tuple(SIZES)]
RoutingName = Literal["bgp", "openflow", "ospf", "p4", "static"]
PlatformName = Literal["cisco_ios", "frr", "mixed", "openvswitch", "p4"]
USUAL_SHAPES: Final[tuple[ShapeName, ...]] = ("campus", "dual-homed-isp", "leaf-spine", "line", "ring", "tree")
SCENARIOS: Final[Mapping[str, ShapeName]] = {
    "dc_clos": "clos",
    "enterprise_branch": "dual-homed-isp",
    "p4_dc_fabric": "p4-leaf-spine",
    "sdn": "sdn-leaf-spine",
    "small": "line",
}
"""NIKA's names of scenarios that a shape corresponds to. ``campus`` and ``isp`` are called the same."""
_P4: Final = "p4-leaf-spine"
_SIZES: Final = {"s": "1", "m": "2", "l": "3"}
_COUNT: Final = re.compile(r"\d+(-\d+)?")


class FaultyParameters(Parameters):
    """What can be chosen of a network with faults.

    On a command line also in NIKA's words: ``scenario=dc_clos``, ``size=s``, and ``faults=1`` for how many.
    """

    also_called: ClassVar[Mapping[str, str]] = {"scenario": "shapes"}
    has_table: ClassVar[bool] = False
    """Whether levels from 4 on can be drawn."""
    of_rows: ClassVar[Mapping[str, Any]] = {}
    """Values of parameters that rows of the table have in one generator only."""
    eligible: ClassVar[Eligible] = REPAIRABLE
    """What can be drawn."""
    needs_flows: ClassVar[bool] = False
    """Whether a fault outside the nodes is drawn only where no other path takes over."""

    shapes: tuple[ShapeName, ...] = Field(USUAL_SHAPES, description="shapes of networks that may occur")
    routings: tuple[RoutingName, ...] = Field(("bgp", "ospf", "static"), description="routing that may occur")
    platforms: tuple[PlatformName, ...] = Field(("cisco_ios", "frr"), description="platforms that may occur")
    size: Span = Field(
        Span(low=1, high=2),
        description="1: small, 2: medium, 3: large, 4: at least 60 routers and switches, 5: at least 120",
    )
    hosts: Span = Field(Span(low=1, high=2), description="number of hosts in each LAN, 1 to 8")
    level: Span = Field(
        Span(low=1, high=2),
        description="number of faults, 1 to 3; 4 and 5 are rows of a table",
    )
    faults: tuple[str, ...] = Field(REPAIRED, description="faults that may occur")
    services: tuple[ServiceName, ...] = Field(("filter", "nat"), description="services that networks may have")
    names: Naming = Field("drawn", description="names and addresses of the network: drawn, or plain")
    config: ConfigName = Field(
        "lean",
        description="lean: configurations have what the network needs; brown: also leftovers of years, 300 to 1,450"
        " lines in each router and switch, and the brief has a design document",
    )
    pairs: Pairs = Field(
        "independent",
        description="masked: two faults, of which the second shows when the first is repaired (level 2 only)",
    )
    access: AccessName = Field(
        "all",
        description="what an agent can log in to: all; managed: routers and switches; routers; reports: nothing, it has"
        " reports, telemetry and tests. Below all, faults are drawn that are at such a node, or at a link of one",
    )

    @model_validator(mode="before")
    @classmethod
    def _row_of_the_level(cls, given: Any) -> Any:
        if not cls.has_table or not isinstance(given, dict) or "level" not in given:
            return given
        try:
            row = row_of(Span.model_validate(given["level"]))
        except ValueError:  # the field itself says what is wrong
            return given
        if row is None:
            return given
        known = {name: value for name, value in row.defaults.items() if name in cls.model_fields}
        defaults = {**known, **cls.of_rows}
        if given.get("access") == "reports":  # it has faults of its own, and only counters tell where they are
            del defaults["faults"]
            defaults.pop("monitoring", None)
        if _are_there_all_the_time(given.get("faults")):
            defaults.pop("timing", None)
        return {**defaults, **given}

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
            if int(found["faults"].split("-")[-1]) > MOST_FAULTS:
                raise UsageError(f"faults={found['faults']}: at most {MOST_FAULTS} things are wrong at the same time")
            found["level"] = found.pop("faults")
        return found

    @model_validator(mode="after")
    def _defaults_of_p4(self) -> Self:
        if _P4 in self.shapes:
            self._add_defaults(routings=("p4",), platforms=("p4",), faults=self.eligible.among(OF_P4, self.services))
        return self

    def of_p4(self, faults: tuple[str, ...]) -> tuple[str, ...]:
        """These faults where networks of P4 switches may occur, or else none."""
        return faults if _P4 in self.shapes else ()

    def _add_defaults(self, **further: tuple[str, ...]) -> None:
        """Add values to parameters that were not given."""
        for name, more in further.items():
            if more and name not in self.model_fields_set:
                # the model is frozen, and not in use yet
                object.__setattr__(self, name, (*getattr(self, name), *more))

    @model_validator(mode="after")
    def _pairs_are_two(self) -> Self:
        if self.pairs == "masked":
            if "level" not in self.model_fields_set:
                # the model is frozen, and not in use yet
                object.__setattr__(self, "level", Span(low=2, high=2))
            if (self.level.low, self.level.high) != (2, 2):
                raise ValueError(f"pairs=masked needs level=2, not {self.level}")
            if not masks_among(self.faults):
                raise ValueError(f"pairs=masked needs one of these faults and another one: {', '.join(MASKS)}")
        return self

    @field_validator("size", "hosts", "level")
    @classmethod
    def _in_range(cls, value: Span, info: ValidationInfo) -> Span:
        if info.field_name == "level" and cls.has_table:
            row_of(value)
            return value
        high = {"size": MOST_SIZES, "hosts": 8, "level": MOST_FAULTS}[str(info.field_name)]
        if not 1 <= value.low <= value.high <= high:
            raise ValueError(f"{value} is not within 1-{high}")
        return value


def _are_there_all_the_time(faults: Any) -> bool:
    """Whether faults are chosen of which none can come and go; what is no fault is for the field to say."""
    try:
        return isinstance(faults, list | tuple) and not any(map(can_come_and_go, faults))
    except UsageError:
        return False
