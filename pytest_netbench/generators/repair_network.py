"""The generator ``repair-network``: drawn networks of FRR or IOS routers with one to three faults."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field

from pytest_netbench.faults.reasoning import reasoning
from pytest_netbench.generators.default_faults import REPAIRED
from pytest_netbench.generators.eligible import REPAIRABLE, packages_of
from pytest_netbench.generators.faulty_draws import Broken, FaultyParameters, draw_broken
from pytest_netbench.generators.networks import flow_groups
from pytest_netbench.generators.randomness import random_of
from pytest_netbench.model.diagnosis import causes_of
from pytest_netbench.model.drawn import Drawn
from pytest_netbench.model.faulty import fault_of
from pytest_netbench.model.task import Task

NAME: Final = "repair-network"


class RepairNetworkParameters(FaultyParameters):
    """What can be chosen."""

    faults: tuple[Annotated[str, REPAIRABLE], ...] = Field(REPAIRED, description="faults that may occur")
    given: Literal["diagnosis", "nothing"] = Field(
        "nothing", description="diagnosis: the brief says what is wrong and where, and only the repair is left"
    )


class RepairNetwork:
    """Networks of FRR or IOS routers and switches with one to three faults."""

    name = NAME
    parameters = RepairNetworkParameters

    def draw(self, parameters: RepairNetworkParameters, *, seed: int, index: int) -> Task:
        broken = draw_broken(NAME, parameters, random_of(NAME, seed=seed, index=index))
        network = broken.network
        drawn = Drawn(
            generator=NAME,
            parameters=parameters.model_dump(mode="json"),
            seed=seed,
            index=index,
            scenario=network.shape,
            label=broken.label,
            packages=packages_of(parameters.faults),
            level=len(broken.chosen),
        )
        return Task.model_validate(
            {
                "task_name": f"Repair a network of shape {network.shape} with {network.routing} routing",
                "slug": drawn.slug,
                "family": "repair",
                "domain": "routing",
                "drawn": drawn,
                **network.fields(),
                "flows": flow_groups(network),
                "faults": broken.faults,
                "diagnosis": _diagnosis(broken) if parameters.given == "diagnosis" else None,
                "ground_truth_reasoning": reasoning(broken.faults),
            }
        )


def _diagnosis(broken: Broken) -> str:
    """What a right diagnosis says: a line for each cause, with its place, and no word of its repair."""
    causes = causes_of(broken.faults, broken.network.topology)
    return "\n".join(f"- {one.resources[0]}: {fault_of(one.fault_type).about}" for one in causes)
