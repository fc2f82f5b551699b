"""Deploying a lab on a cluster that exists, looking at it, and removing what killed runs left."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from pytest_netbench.backends.kubeconfig import asked, leases, permissions, settings
from pytest_netbench.backends.kubeconfig.cluster import Cluster, api_of
from pytest_netbench.backends.kubeconfig.control import Control
from pytest_netbench.backends.kubeconfig.lab import WORKSTATION, KubeconfigLab
from pytest_netbench.backends.kubeconfig.settings import Place
from pytest_netbench.errors import LabError, RequirementMissing
from pytest_netbench.lab.clusters import Labs
from pytest_netbench.lab.kubernetes.client import Api
from pytest_netbench.lab.kubernetes.loop import EventLoop
from pytest_netbench.lab.protocols import Cleaned
from pytest_netbench.lab.report import Check
from pytest_netbench.lab.request import LabRequest
from pytest_netbench.model.topology import Topology

T = TypeVar("T")


def deploy(request: LabRequest, *, labs: Labs) -> KubeconfigLab:
    """Deploy a lab; return when its pods are ready and its policies in force.

    Args:
        request: What it is.
        labs: Deploys the lab of the workstation.

    Raises:
        RequirementMissing: The environment names no cluster, its user may not do something, or it does not enforce
            policies.
        LabError: It could not be deployed.
    """
    began = time.monotonic()
    cluster = Cluster(settings.place(), asked.objects_of(request))
    control = Control(EventLoop(), cluster)
    try:
        control.open()
        control.deploy()
        inner = labs(_workstation(request))
        try:
            lab = KubeconfigLab(request, inner=inner, control=control)
        except BaseException:
            inner.destroy()
            raise
    except BaseException:
        with contextlib.suppress(LabError):  # why it could not be deployed is what counts
            control.close()
        raise
    lab.deploy_s = time.monotonic() - began
    return lab


def _workstation(request: LabRequest) -> LabRequest:
    return LabRequest(
        name=request.name,
        topology=Topology.model_validate({"nodes": [{"name": WORKSTATION}], "links": []}),
        dialects={WORKSTATION: "linux"},
        workers=request.workers,
        shared={"kubectl": settings.kubectl()},
    )


def checks(place: Place) -> list[Check]:
    """What ``netbench doctor`` says of a cluster."""

    async def look(api: Api) -> list[Check]:
        version = (await api.request("GET", "/version"))["gitVersion"]
        missing = await permissions.lacking(api)
        rights = f"the user may not: {', '.join(map(str, missing))}" if missing else "all that are needed"
        return [
            Check("cluster", True, True, f"{version} at {place.server}, context {place.context}"),
            Check("permissions", not missing, True, rights),
        ]

    try:
        return _asked(place, look)
    except LabError as error:
        return [Check("cluster", False, True, str(error))]


def clean() -> Cleaned:
    """Remove labs whose owners have ended.

    Raises:
        LabError: Something of one is left, or the cluster does not answer.
    """
    try:
        place = settings.place()
    except RequirementMissing:
        return Cleaned()

    async def remove(api: Api) -> Cleaned:
        removed, left = [], []
        found, now = await leases.held(api), await leases.now(api)
        for lab in dict.fromkeys(one.lab for one in found):
            mine = [one for one in found if one.lab == lab]
            if all(one.is_expired(now) for one in mine):
                removed += [f"namespace {name}" for name in await leases.remove(api, lab)]
            else:
                left += [str(one) for one in mine]
        return Cleaned(tuple(removed), tuple(left))

    return _asked(place, remove)


def _asked(place: Place, do: Callable[[Api], Awaitable[T]]) -> T:
    async def ask() -> T:
        api = api_of(place)
        try:
            return await do(api)
        finally:
            await api.close()

    return asyncio.run(ask())
