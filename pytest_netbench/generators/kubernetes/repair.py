"""The generator ``repair-kubernetes``: NetArena's misconfigured network policies, each with an effect."""

from __future__ import annotations

from typing import Final

from pydantic import Field

from pytest_netbench.faults.reasoning import reasoning
from pytest_netbench.generators.kubernetes.drawing import OCCURRING, PLATFORM, ClusterParameters, Draw
from pytest_netbench.generators.kubernetes.labels import NETARENA, ObjectLabel
from pytest_netbench.generators.randomness import random_of
from pytest_netbench.model.drawn import Drawn
from pytest_netbench.model.task import Task

NAME: Final = "repair-kubernetes"


class RepairKubernetesParameters(ClusterParameters):
    """What can be chosen."""

    labels: tuple[ObjectLabel, ...] = Field(NETARENA, min_length=1, description=OCCURRING)


class RepairKubernetes:
    """An application on a cluster with one or two faults of its objects."""

    name = NAME
    parameters = RepairKubernetesParameters

    def draw(self, parameters: RepairKubernetesParameters, *, seed: int, index: int) -> Task:
        draw = Draw(NAME, parameters, random_of(NAME, seed=seed, index=index))
        broken = draw.broken
        faults = tuple(one.injected for one in broken.chosen)
        drawn = Drawn(
            generator=NAME,
            parameters=parameters.model_dump(mode="json"),
            seed=seed,
            index=index,
            scenario=draw.kind,
            label=draw.label,
            level=draw.level,
        )
        return Task.model_validate(
            {
                "task_name": f"Repair {broken.application.name} on a Kubernetes cluster",
                "slug": drawn.slug,
                "family": "repair",
                "domain": PLATFORM,
                "drawn": drawn,
                **draw.fields(),
                "faults": faults,
                "symptom": broken.symptom,
                "ground_truth_reasoning": reasoning(faults, flows=broken.flows, symptom=broken.symptom or ()),
                "notes": draw.notes,
            }
        )
