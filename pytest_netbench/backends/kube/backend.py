"""The backend ``kube``: clusters of Kubernetes with a real control plane, on a lab of this machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pytest_netbench.backends.kube import checks
from pytest_netbench.lab.clusters import Labs
from pytest_netbench.lab.report import Check
from pytest_netbench.lab.request import LabRequest

if TYPE_CHECKING:
    from pytest_netbench.backends.kube.lab import ClusterLab


class KubeBackend:
    """Deploys clusters. Needs no root, no Docker and no image."""

    name = "kube"
    capabilities = (
        *("probes", "exec", "files", "terminal", "processes", "agent-shell", "counters", "captures"),
        *("calls", "cluster", "workers"),
    )
    memory_mb = 600.0

    def report(self) -> Sequence[Check]:
        return checks.checks()

    def lacks(self, request: LabRequest) -> tuple[str, str | None] | None:  # all clusters need the same
        return next(((one.detail, one.remedy) for one in self.report() if one.required and not one.ok), None)

    def deploy(self, request: LabRequest, *, labs: Labs) -> ClusterLab:
        from pytest_netbench.backends.kube.deployment import deploy  # imports aiohttp

        return deploy(request, labs=labs)
