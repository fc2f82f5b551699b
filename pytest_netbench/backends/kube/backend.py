"""The backend ``kube``: clusters of Kubernetes with a real control plane, on a lab of this machine."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from pytest_netbench.backends.kube import checks, plan
from pytest_netbench.backends.kube.binaries import Binaries
from pytest_netbench.backends.kube.control import Control
from pytest_netbench.backends.kube.control_plane import ControlPlane, shared
from pytest_netbench.backends.kube.lab import ClusterLab
from pytest_netbench.backends.kube.loop import EventLoop
from pytest_netbench.backends.kube.machine.containers import PROGRAM
from pytest_netbench.backends.kube.pod import program
from pytest_netbench.backends.kube.runtime import Runtime
from pytest_netbench.errors import InputError, LabError
from pytest_netbench.kubernetes.objects import CLUSTER_PLATFORM, Object, parse
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.lab.report import Check
from pytest_netbench.lab.request import LabRequest

MACHINES: Final = 3
_SPARE: Final = 14
"""Slots beside those of the pods that are asked for: for new versions of pods, and for toolboxes."""


class KubeBackend:
    """Deploys clusters. Needs no root, no Docker and no image."""

    name = "kube"
    capabilities = ("probes", "exec", "files", "terminal", "processes", "agent-shell", "cluster")
    memory_mb = 600.0

    def report(self) -> Sequence[Check]:
        return checks.checks()

    def lacks(self, request: LabRequest) -> tuple[str, str | None] | None:  # noqa: ARG002 - every cluster needs the same
        return next(((one.detail, one.remedy) for one in self.report() if one.required and not one.ok), None)

    def deploy(self, request: LabRequest, *, labs: Callable[[LabRequest], Lab]) -> ClusterLab:
        """Bring up a cluster; return when its pods are ready.

        Args:
            request: What it is: the startup config of its workstation has the objects.
            labs: Deploys the lab that it runs on.

        Raises:
            RequirementMissing: This machine lacks something.
            LabError: It could not be brought up.
        """
        started = time.monotonic()
        objects = _objects(request)
        machines = plan.machines(MACHINES, slots=_slots(objects))
        binaries = Binaries.find()
        with ThreadPoolExecutor(2) as pool:
            deploying = pool.submit(labs, _lab_request(request, machines, binaries.kubectl))
            control_plane = shared(binaries)
            lab = deploying.result()
        try:
            cluster = _cluster(request, lab, machines, control_plane, objects)
        except BaseException:
            lab.destroy()
            control_plane.reset()
            raise
        cluster.deploy_s = time.monotonic() - started
        return cluster


def _cluster(
    request: LabRequest,
    lab: Lab,
    machines: Sequence[plan.Machine],
    control_plane: ControlPlane,
    objects: Sequence[Object],
) -> ClusterLab:
    loop = EventLoop()
    runtime = Runtime(lab, machines, control_plane)
    control = Control(loop, runtime)
    try:
        control.deploy(objects)
        return ClusterLab(request, lab=lab, control=control, runtime=runtime, control_plane=control_plane)
    except BaseException:
        control.close()
        raise


def _objects(request: LabRequest) -> list[Object]:
    texts = [
        request.startup_configs.get(name, "") for name, dialect in request.dialects.items() if dialect == CLUSTER_PLATFORM
    ]
    try:
        return [one for text in texts for one in parse(text)]
    except InputError as error:
        raise LabError(f"the objects of the cluster cannot be read: {error}") from error


def _slots(objects: Sequence[Object]) -> int:
    """Slots for each machine: room for all pods twice, since a rollout starts new ones before the old ones end."""
    pods = sum(one["spec"].get("replicas", 1) for one in objects if one["kind"] == "Deployment")
    return math.ceil((2 * pods + _SPARE) / MACHINES)


def _lab_request(request: LabRequest, machines: Sequence[plan.Machine], kubectl: Path) -> LabRequest:
    topology = plan.topology(tuple(machines))
    return LabRequest(
        name=request.name,
        topology=topology,
        dialects={node.name: "linux" for node in topology.nodes},
        startup_configs=plan.startup_configs(tuple(machines)),
        requirements=("nftables",),
        workers=request.workers,
        shared={"kubectl": kubectl, PROGRAM: Path(program.__file__)},
    )
