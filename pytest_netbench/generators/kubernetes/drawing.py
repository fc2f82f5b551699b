"""What draws on Kubernetes have in common: parameters, an application, its faults, and the network of the task."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, Final, Literal

from pydantic import Field, ValidationInfo, field_validator

from pytest_netbench.errors import UsageError
from pytest_netbench.generators.kubernetes.breaking import BrokenApplication, Dropped, break_application
from pytest_netbench.generators.kubernetes.labels import ALL, LEVELS, NETARENA, WORKER_FAULTS, Label, of_level
from pytest_netbench.generators.protocol import Parameters
from pytest_netbench.generators.values import Span
from pytest_netbench.kubernetes.applications.addresses import DNS_NODE, WORKERS, WORKSTATION
from pytest_netbench.kubernetes.applications.boutique import boutique
from pytest_netbench.kubernetes.applications.drawing import FEWEST, MOST, drawn
from pytest_netbench.kubernetes.applications.graph import Application
from pytest_netbench.kubernetes.applications.writing import as_yaml
from pytest_netbench.model.objects import POD, WORKER
from pytest_netbench.model.topology import Control, Node, Topology

ApplicationName = Literal["boutique", "drawn"]
PLATFORM: Final = "kubernetes"
POD_PLATFORM: Final = "linux"
OCCURRING: Final = "classes of faults that may occur"
_WEIGHT: Final[dict[ApplicationName, int]] = {"boutique": 1, "drawn": 2}
_APPLICATIONS: Final = 60
"""How many applications are drawn for one task."""
_SEEDS: Final = 2**31
_SURPLUS: Final = frozenset({"ALLOW", "DENY"})
"""Where a policy too many may occur, some workloads have two policies anyhow, so that its name tells nothing."""


class ClusterParameters(Parameters):
    """What can be chosen of an application with faults."""

    applications: tuple[ApplicationName, ...] = Field(
        ("boutique", "drawn"),
        min_length=1,
        description="boutique: Online Boutique; drawn: others, two of three tasks if both may occur",
    )
    services: Span = Field(Span(low=6, high=20), description="number of workloads of drawn applications, 6 to 40")
    level: Span = Field(
        Span(low=1, high=3),
        description="1: one fault; 2 and 3: two faults, as in NetArena's Table 6; pairs with other labels have level 2",
    )
    labels: tuple[Label, ...] = Field(NETARENA, min_length=1, description=OCCURRING)

    @field_validator("services", "level")
    @classmethod
    def _in_range(cls, value: Span, info: ValidationInfo) -> Span:
        low, high = {"services": (FEWEST, MOST), "level": (1, max(LEVELS))}[str(info.field_name)]
        return value.checked(low=low, high=high)


class Draw:
    """An application with faults, as the parameters ask for it.

    Args:
        name: Of the generator.
        parameters: What was chosen.
        source: Of the choices.

    Raises:
        UsageError: Nothing can be drawn with these parameters.
    """

    def __init__(self, name: str, parameters: ClusterParameters, source: random.Random) -> None:
        labels = parameters.labels
        self._has_workers = not set(labels).isdisjoint(WORKER_FAULTS)
        possible = [(level, one) for level in LEVELS if level in parameters.level for one in of_level(level, labels)]
        asked = f"level={parameters.level}, labels={'+'.join(labels)}"
        if not possible:
            raise UsageError(f"{name}: nothing can be drawn with {asked}: give more labels or another level")
        self.level, self.label = source.choice(possible)
        self._dropped = Dropped()
        kinds = [one for one in parameters.applications for _ in range(_WEIGHT[one])]
        for _ in range(_APPLICATIONS):
            kind = source.choice(kinds)
            services, seed = parameters.services.draw(source), source.randrange(_SEEDS)
            application = _application(kind, services, seed, seconds=not _SURPLUS.isdisjoint(labels))
            names = [ALL[one] for one in self.label.split("+")]  # type: ignore[index]
            broken = break_application(application, names, source, self._dropped)
            if broken is not None:
                self.kind: ApplicationName = kind
                self.broken: BrokenApplication = broken
                return
        raise UsageError(
            f"{name}: no application of applications={'+'.join(parameters.applications)} and"
            f" services={parameters.services} was found in which {self.label} changes a flow: give other labels"
        )

    @property
    def notes(self) -> str | None:
        """What was dropped before the draw, for authors."""
        return self._dropped.notes

    def fields(self, *, managed: bool = True) -> dict[str, Any]:
        """Return the fields of a task's payload that deploy the application.

        Machines are nodes if a fault could be one of theirs, whether or not there is any: that must tell nothing.

        Args:
            managed: Whether an agent may change objects.
        """
        return {
            "platform": POD_PLATFORM,
            "topology": _topology(
                self.broken.application,
                "managed" if managed else "observed",
                machines=WORKERS if self._has_workers else (),
            ),
            "startup_configs": {WORKSTATION: as_yaml(self.broken.objects)},
            "flows": self.broken.flows,
        }


def _application(kind: ApplicationName, services: int, seed: int, *, seconds: bool) -> Application:
    return boutique(seed, seconds=seconds) if kind == "boutique" else drawn(seed, services=services, seconds=seconds)


def _topology(application: Application, control: Control, *, machines: Sequence[str]) -> Topology:
    """A node for the workstation, one for each workload, one for DNS, and those of machines."""
    pods = (*(one.name for one in application.workloads), DNS_NODE)
    return Topology(
        nodes=(
            Node(name=WORKSTATION, platform=PLATFORM, role=WORKSTATION, control=control),
            *(Node(name=name, role=POD, control="observed") for name in pods),
            *(Node(name=name, role=WORKER, control="foreign") for name in machines),
        )
    )
