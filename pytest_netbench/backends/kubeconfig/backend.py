"""The backend ``kubeconfig``: labs on a cluster of Kubernetes that exists, which the environment names."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from pytest_netbench.backends.kubeconfig import asked, measurable, settings
from pytest_netbench.errors import RequirementMissing
from pytest_netbench.lab.capabilities import unmet
from pytest_netbench.lab.clusters import Labs
from pytest_netbench.lab.protocols import Cleaned
from pytest_netbench.lab.report import Check
from pytest_netbench.lab.request import LabRequest
from pytest_netbench.model.objects import OUTSIDE

if TYPE_CHECKING:
    from pytest_netbench.backends.kubeconfig.lab import KubeconfigLab

_EXTRA: Final = "pip install 'pytest-netbench[kubernetes]'"
_OTHER: Final = "use --netbench-backend=kube"


class KubeconfigBackend:
    """Implements ``lab.clusters.Clusters`` and ``lab.protocols.Cleans``."""

    name = "kubeconfig"
    capabilities = ("probes", "exec", "agent-shell", "cluster")
    memory_mb = 50.0

    def report(self) -> Sequence[Check]:
        checks = []
        for name, find in (("context", settings.place), ("kubectl", settings.kubectl)):
            try:
                checks.append(Check(name, True, True, str(getattr(found := find(), "context", found))))
            except RequirementMissing as missing:
                checks.append(Check(name, False, True, missing.lack, missing.remedy))
        if importlib.util.find_spec("aiohttp") is None:
            return [*checks, Check("python packages", False, True, "missing: aiohttp", _EXTRA)]
        if checks[0].ok:
            from pytest_netbench.backends.kubeconfig import deployment  # imports aiohttp

            checks += deployment.checks(settings.place())
        return checks

    def lacks(self, request: LabRequest) -> tuple[str, str | None] | None:
        if (lack := unmet(request.requirements, self.capabilities, owner="backend kubeconfig")) is not None:
            return lack, None
        if any(node.role == OUTSIDE for node in request.topology.nodes):
            return "backend kubeconfig has no hosts outside of the cluster", _OTHER
        if (lack := measurable.beyond(request.testcases, asked.objects_of(request))) is not None:
            return lack, _OTHER
        return next(((one.detail, one.remedy) for one in self.report() if one.required and not one.ok), None)

    def deploy(self, request: LabRequest, *, labs: Labs) -> KubeconfigLab:
        from pytest_netbench.backends.kubeconfig import deployment  # imports aiohttp

        return deployment.deploy(request, labs=labs)

    def clean(self) -> Cleaned:
        if importlib.util.find_spec("aiohttp") is None:
            return Cleaned()
        from pytest_netbench.backends.kubeconfig import deployment  # imports aiohttp

        return deployment.clean()
