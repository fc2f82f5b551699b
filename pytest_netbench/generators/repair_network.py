"""The generator ``repair-network``: drawn networks of FRR or IOS routers with one to three faults."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Final, Literal, Self

from pydantic import Field, field_validator, model_validator

from pytest_netbench.faults.reasoning import reasoning
from pytest_netbench.generators.access import AccessName, logins_of, restricted
from pytest_netbench.generators.brownfield import Grown
from pytest_netbench.generators.default_faults import HANDED_OVER, P4_HANDED_OVER, REPAIRED
from pytest_netbench.generators.eligible import REPAIRABLE, Eligible, is_repairable, packages_of
from pytest_netbench.generators.faulty_draws import Broken, draw_broken
from pytest_netbench.generators.faulty_parameters import FaultyParameters
from pytest_netbench.generators.levels import CONFIGURED_OF_REPAIRS, OUTSIDE_IN_FLOWS, budget_of, row_of
from pytest_netbench.generators.networks import flow_groups
from pytest_netbench.generators.randomness import random_of
from pytest_netbench.model.causes import causes_of
from pytest_netbench.model.drawn import Drawn
from pytest_netbench.model.faulty import fault_of
from pytest_netbench.model.task import Task

NAME: Final = "repair-network"
IN_FLOWS: Final = Eligible(lambda fault: is_repairable(fault) or fault.name in (*OUTSIDE_IN_FLOWS, *P4_HANDED_OVER))
"""What is judged by flows."""


class RepairNetworkParameters(FaultyParameters):
    """What can be chosen."""

    faults: tuple[Annotated[str, IN_FLOWS], ...] = Field(
        REPAIRED, description="faults that may occur; with handover also those of cables that break flows"
    )
    handover: bool = Field(
        False,
        description="whether faults may occur that no command repairs, such as those of cables: an agent hands them"
        " over by a ticket",
    )
    given: Literal["diagnosis", "nothing"] = Field(
        "nothing", description="diagnosis: the brief says what is wrong and where, and only the repair is left"
    )

    has_table: ClassVar[bool] = True
    of_rows: ClassVar[Mapping[str, Any]] = {"faults": (*OUTSIDE_IN_FLOWS, *CONFIGURED_OF_REPAIRS), "handover": True}
    eligible: ClassVar[Eligible] = REPAIRABLE
    needs_flows: ClassVar[bool] = True

    @field_validator("access")
    @classmethod
    def _can_be_repaired(cls, value: AccessName) -> AccessName:
        if value == "reports":
            raise ValueError("nothing can be repaired without a login (known: all, managed, routers)")
        return value

    @model_validator(mode="after")
    def _each_fault_can_end(self) -> Self:
        left = [name for name in self.faults if not fault_of(name).repairable]
        if left and not self.handover:
            raise ValueError(f"faults={left[0]}: no command repairs it; give handover=true, so that it is handed over")
        if self.handover and not left and "faults" not in self.model_fields_set:
            # the model is frozen, and not in use yet
            object.__setattr__(self, "faults", (*self.faults, *OUTSIDE_IN_FLOWS, *self.of_p4(P4_HANDED_OVER)))
        return self


class RepairNetwork:
    """Networks of FRR or IOS routers and switches with one to three faults."""

    name = NAME
    parameters = RepairNetworkParameters

    def draw(self, parameters: RepairNetworkParameters, *, seed: int, index: int) -> Task:
        broken = draw_broken(NAME, parameters, random_of(NAME, seed=seed, index=index))
        network, design = Grown(broken.network, None)
        if parameters.config == "brown":
            network, design = broken.overgrown(random_of(f"{NAME} config", seed=seed, index=index))
        row = row_of(parameters.level)
        drawn = Drawn(
            generator=NAME,
            parameters=parameters.model_dump(mode="json"),
            seed=seed,
            index=index,
            scenario=network.shape,
            label=broken.label,
            packages=packages_of(parameters.faults),
            level=len(broken.chosen) if row is None else parameters.level.low,
        )
        return Task.model_validate(
            {
                "task_name": f"Repair a network of shape {network.shape} with {network.routing} routing",
                "slug": drawn.slug,
                "family": "repair",
                "domain": "routing",
                "drawn": drawn,
                **network.fields(),
                "topology": restricted(network.topology, logins_of(network, parameters.access)),
                "flows": flow_groups(network),
                "faults": broken.faults,
                "design": design,
                **({} if row is None else {"budget": budget_of(row, network.topology)}),
                **({"tickets": _handed_over(broken)} if parameters.handover else {}),
                **({"masked": True} if parameters.pairs == "masked" else {}),
                "diagnosis": _diagnosis(broken) if parameters.given == "diagnosis" else None,
                "ground_truth_reasoning": reasoning(broken.faults),
            }
        )


def _handed_over(broken: Broken) -> tuple[str, ...]:
    return (*HANDED_OVER, *P4_HANDED_OVER) if broken.network.routing == "p4" else HANDED_OVER


def _diagnosis(broken: Broken) -> str:
    """What a right diagnosis says: a line for each cause, with its place, and no word of its repair."""
    causes = causes_of(broken.faults, broken.network.topology)
    return "\n".join(f"- {one.resources[0]}: {fault_of(one.fault_type).about}" for one in causes)
