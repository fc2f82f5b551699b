"""The proof that a cluster enforces policies, and how long that takes."""

from __future__ import annotations

import time
from typing import Final

from pytest_netbench.backends.kubeconfig.batches import Try
from pytest_netbench.backends.kubeconfig.cluster import Cluster
from pytest_netbench.backends.kubeconfig.flows import tried
from pytest_netbench.errors import LabError, RequirementMissing
from pytest_netbench.lab.kubernetes.client import DEPLOYMENT, NETWORK_POLICY, Object
from pytest_netbench.lab.kubernetes.stores import key_of

DENIES_S: Final = 20.0
"""A cluster that does not deny for so long does not enforce policies."""
_WORKS_S: Final = 30.0
_TRY_S: Final = 0.3
_MARGIN: Final = 2.0
_LEAST_S, _MOST_S = 0.2, 15.0
_NAME: Final = "netbench-proof"


async def settle_time(cluster: Cluster) -> float:
    """Deny everything in one namespace, and take the time until that is in force, and until it is over again.

    A flow works before, does not while the policy is there, and works after.

    Returns:
        Seconds to wait after each change.

    Raises:
        RequirementMissing: The cluster does not enforce policies.
        LabError: The flow does not work without policies.
    """
    flow, pods = await _flow(cluster)
    space = key_of(pods[flow.listener or ""])[0]
    await _until(cluster, flow, pods, works=True, within_s=_WORKS_S)
    policy: Object = {
        "apiVersion": NETWORK_POLICY.version,
        "kind": NETWORK_POLICY.name,
        "metadata": {"name": _NAME, "namespace": space},
        "spec": {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]},
    }
    began = time.monotonic()
    await cluster.api.create(policy)
    denied = await _until(cluster, flow, pods, works=False, within_s=DENIES_S)
    if denied is None:
        await cluster.api.delete(NETWORK_POLICY, space, _NAME)
        raise RequirementMissing(
            f"the cluster of context {cluster.place.context} does not enforce network policies: with one that denies"
            f" everything in namespace {space}, {flow.source} reached {flow.listener} for {DENIES_S:g} s",
            "use a cluster with a network plugin that enforces them",
        )
    again = time.monotonic()
    await cluster.api.delete(NETWORK_POLICY, space, _NAME)
    allowed = await _until(cluster, flow, pods, works=True, within_s=_WORKS_S)
    assert allowed is not None
    return min(_MOST_S, max(_LEAST_S, _MARGIN * max(denied - began, allowed - again)))


async def _flow(cluster: Cluster) -> tuple[Try, dict[str, Object]]:
    names = [one["metadata"]["name"] for one in cluster.asked if one["kind"] == DEPLOYMENT.name]
    serving = [
        (one["metadata"]["name"], each["ports"][0]["containerPort"])
        for one in cluster.asked
        if one["kind"] == DEPLOYMENT.name
        for each in one["spec"]["template"]["spec"]["containers"]
        if each.get("ports")
    ]
    if not serving or len(names) < 2:
        raise LabError("the objects have no two Deployments of which one serves a port: nothing can be proven of them")
    target, port = serving[0]
    source = next(one for one in names if one != target)
    pods = {name: await cluster.pod_of(name) for name in (source, target)}
    found = {name: pod for name, pod in pods.items() if pod is not None}
    if len(found) < len(pods):
        raise LabError(f"no pod of {source} or {target} is ready")
    flow = Try(source, "tcp", found[target]["status"]["podIP"], port, target, None)
    return flow, found


async def _until(cluster: Cluster, flow: Try, pods: dict[str, Object], *, works: bool, within_s: float) -> float | None:
    """The moment at which a try began that went as expected; ``None`` if none did in time.

    Raises:
        LabError: The flow was expected to work, and does not.
    """
    end = time.monotonic() + within_s
    while (now := time.monotonic()) < end:
        result = (await tried(cluster, {0: flow}, pods, timeout_s=_TRY_S, attempts=1))[0]
        if result.delivered is works:
            return now
    if works:
        raise LabError(
            f"{flow.source} does not reach {flow.listener} ({flow.address} port {flow.port}) in {within_s:g} s"
        )
    return None
