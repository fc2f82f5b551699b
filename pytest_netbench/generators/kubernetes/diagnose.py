"""The generators ``diagnose-kubernetes`` and ``troubleshoot-kubernetes``: something may be wrong in an application."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from pydantic import Field

from pytest_netbench.faults.reasoning import reasoning
from pytest_netbench.generators.health import HEALTHY, is_healthy
from pytest_netbench.generators.kubernetes.drawing import OCCURRING, PLATFORM, ClusterParameters, Draw
from pytest_netbench.generators.kubernetes.labels import ALL, FAULTS, Label, ObjectLabel
from pytest_netbench.generators.randomness import random_of
from pytest_netbench.generators.values import Span
from pytest_netbench.model.diagnosis import Given
from pytest_netbench.model.drawn import Drawn
from pytest_netbench.model.task import Task


class DiagnoseKubernetesParameters(ClusterParameters):
    """What can be chosen."""

    level: Span = Field(Span(low=1, high=2), description="1: one fault; 2 and 3: two faults, as of repair-kubernetes")
    labels: tuple[Label, ...] = Field(tuple(ALL), min_length=1, description=OCCURRING)
    given: Given = Field(
        "nothing",
        description="what the agent is told: nothing, detection (something is wrong), or localization (where)",
    )
    healthy: float = Field(
        0.3, ge=0.0, le=1.0, description="share of applications in which nothing is wrong; none if something is given"
    )


class TroubleshootKubernetesParameters(DiagnoseKubernetesParameters):
    """What can be chosen. Nobody who logs in to a workstation repairs a machine."""

    labels: tuple[ObjectLabel, ...] = Field(tuple(FAULTS), min_length=1, description=OCCURRING)


class DiagnoseKubernetes:
    """An application on a cluster with one or two faults of its objects or machines, or none."""

    name = "diagnose-kubernetes"
    parameters: type[DiagnoseKubernetesParameters] = DiagnoseKubernetesParameters
    family: ClassVar[str] = "diagnose"
    managed: ClassVar[bool] = False

    def draw(self, parameters: DiagnoseKubernetesParameters, *, seed: int, index: int) -> Task:
        # a healthy application is drawn like any other, so that nothing but the faults tells the difference
        draw = Draw(self.name, parameters, random_of(self.name, seed=seed, index=index))
        nothing_wrong = parameters.given == "nothing" and is_healthy(
            self.name, parameters.healthy, seed=seed, index=index
        )
        drawn = Drawn(
            generator=self.name,
            parameters=parameters.model_dump(mode="json"),
            seed=seed,
            index=index,
            scenario=draw.kind,
            label=HEALTHY if nothing_wrong else draw.label,
            level=1 if nothing_wrong else draw.level,
        )
        types = tuple(ALL[label] for label in ALL if label in parameters.labels)
        return Task.model_validate(
            {
                "task_name": f"{self.family.capitalize()} {draw.broken.application.name} on a Kubernetes cluster",
                "slug": drawn.slug,
                "family": self.family,
                "domain": PLATFORM,
                "drawn": drawn,
                **draw.fields(managed=self.managed),
                **_wrong(draw, types, nothing_wrong=nothing_wrong),
                "fault_types": types,
                "given": parameters.given,
                "notes": draw.notes,
            }
        )


class TroubleshootKubernetes(DiagnoseKubernetes):
    """An application on a cluster with one or two faults of its objects that can be repaired, or none."""

    name = "troubleshoot-kubernetes"
    parameters = TroubleshootKubernetesParameters
    family = "troubleshoot"
    managed = True


def _wrong(draw: Draw, types: Sequence[str], *, nothing_wrong: bool) -> dict[str, Any]:
    """The fields of a task that say what is wrong."""
    if nothing_wrong:
        words = "Nothing is wrong in this cluster."
        return {"faults": (), "symptom": (), "ground_truth_reasoning": words}
    faults, symptom = tuple(one.injected for one in draw.broken.chosen), draw.broken.symptom
    words = reasoning(faults, flows=draw.broken.flows, symptom=symptom or ())
    equals = tuple(one for one in draw.broken.equals if one.fault_type in types)
    return {"faults": faults, "symptom": symptom, "equals": equals, "ground_truth_reasoning": words}
