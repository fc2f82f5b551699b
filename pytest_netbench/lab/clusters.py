"""The protocol of backends that deploy clusters of Kubernetes (``pytest_netbench.clusters``).

A cluster is a lab: its nodes are a workstation and a pod for each Deployment.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from pytest_netbench.lab.protocols import Lab
from pytest_netbench.lab.report import Check
from pytest_netbench.lab.request import LabRequest

Labs = Callable[[LabRequest], Lab]
"""Deploys an ordinary lab, by the backend that was chosen for labs."""


class Clusters(Protocol):
    """Deploys clusters. It is made without arguments, whenever it is needed."""

    name: str
    capabilities: tuple[str, ...]
    """Names of the capabilities that its clusters and their nodes offer."""
    memory_mb: float
    """Megabytes of this machine that a control plane uses; the scheduler charges them beside those of nodes."""

    def report(self) -> Sequence[Check]:
        """What this machine and the backend can do, for ``netbench doctor``; the required checks first."""
        ...

    def lacks(self, request: LabRequest) -> tuple[str, str | None] | None:
        """The one thing this machine or the backend lacks for ``request`` and its remedy, or ``None``."""
        ...

    def deploy(self, request: LabRequest, *, labs: Labs) -> Lab:
        """Bring up a cluster; return when its pods are ready.

        Args:
            request: What it is. The startup config of its workstation has the objects.
            labs: Deploys a lab, if the cluster runs on one.

        Raises:
            RequirementMissing: This machine lacks something.
            LabError: It could not be brought up.
        """
        ...
