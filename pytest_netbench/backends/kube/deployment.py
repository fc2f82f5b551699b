"""Bringing a cluster up: its lab and its control plane side by side, then what is deployed on them."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Final

from pytest_netbench.backends.kube import plan
from pytest_netbench.backends.kube.binaries import find
from pytest_netbench.backends.kube.control import Control
from pytest_netbench.backends.kube.control_plane import ControlPlane
from pytest_netbench.backends.kube.lab import ClusterLab, outside_of
from pytest_netbench.backends.kube.machine.containers import PROGRAM
from pytest_netbench.backends.kube.runtime import Runtime
from pytest_netbench.backends.kube.sharing import shared
from pytest_netbench.errors import InputError, LabError
from pytest_netbench.kubernetes.applications.addresses import WORKERS
from pytest_netbench.kubernetes.objects import Object, parse
from pytest_netbench.lab.clusters import Labs
from pytest_netbench.lab.kubernetes import pod_program
from pytest_netbench.lab.kubernetes.loop import EventLoop
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.lab.request import LabRequest
from pytest_netbench.model.payload import CLUSTER_PLATFORM

MACHINES: Final = len(WORKERS)
_SPARE: Final = 14
"""Slots beside those of the pods that are asked for: for new versions of pods, and for toolboxes."""


def deploy(request: LabRequest, *, labs: Labs) -> ClusterLab:
    """Bring up a cluster; return when its pods are ready.

    Args:
        request: What it is.
        labs: Deploys the lab that it runs on.

    Raises:
        RequirementMissing: This machine lacks something.
        LabError: It could not be brought up.
    """
    started = time.monotonic()
    objects = _objects(request)
    machines = plan.machines(MACHINES, slots=_slots(objects))
    binaries = find()
    with ThreadPoolExecutor(1) as pool:
        deploying = pool.submit(labs, _lab_request(request, machines, outside_of(request), binaries.kubectl))
        try:
            cluster = _cluster(request, machines, shared(binaries), objects, deploying)
        except BaseException:
            if deploying.exception() is None:
                deploying.result().destroy()
            raise
    cluster.deploy_s = time.monotonic() - started
    return cluster


def _cluster(
    request: LabRequest,
    machines: Sequence[plan.Machine],
    control_plane: ControlPlane,
    objects: Sequence[Object],
    lab: Future[Lab],
) -> ClusterLab:
    runtime = Runtime(machines, control_plane)
    control = Control(EventLoop(), runtime)
    try:
        control.deploy(objects, lab)
        return ClusterLab(request, control=control, runtime=runtime, control_plane=control_plane)
    except BaseException:
        control.close()
        raise


def _objects(request: LabRequest) -> list[Object]:
    texts = [
        request.startup_configs.get(name, "")
        for name, dialect in request.dialects.items()
        if dialect == CLUSTER_PLATFORM
    ]
    try:
        return [one for text in texts for one in parse(text)]
    except InputError as error:
        raise LabError(f"the objects of the cluster cannot be read: {error}") from error


def _slots(objects: Sequence[Object]) -> int:
    """Slots for each machine: room for all pods twice, since a rollout starts new ones before the old ones end."""
    pods = sum(int(one["spec"].get("replicas", 1)) for one in objects if one["kind"] == "Deployment")
    return math.ceil((2 * pods + _SPARE) / MACHINES)


def _lab_request(
    request: LabRequest, machines: Sequence[plan.Machine], outside: tuple[plan.Outside, ...], kubectl: Path
) -> LabRequest:
    topology = plan.topology(tuple(machines), outside)
    return LabRequest(
        name=request.name,
        topology=topology,
        dialects={node.name: "linux" for node in topology.nodes},
        startup_configs=plan.startup_configs(tuple(machines), outside),
        requirements=("nft-ct", "nft-nat", "nft-numgen"),
        workers=request.workers,
        shared={"kubectl": kubectl, PROGRAM: pod_program.path()},
    )
