"""Which pods belong to which Deployment, and whether all that was asked for is there. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from pytest_netbench.lab.kubernetes.client import Object
from pytest_netbench.lab.kubernetes.stores import Key, key_of

SERVICE_OF = "kubernetes.io/service-name"


def workload_of(pod: Object) -> str | None:
    """The Deployment that a pod belongs to; ``None`` if it belongs to none."""
    for owner in pod["metadata"].get("ownerReferences") or ():
        if owner["kind"] == "ReplicaSet":
            return str(owner["name"]).rpartition("-")[0]
    return None


def is_ready(pod: Object) -> bool:
    """Whether a pod is ready, and nobody has asked to end it."""
    if pod["metadata"].get("deletionTimestamp"):
        return False
    conditions = (pod.get("status") or {}).get("conditions") or ()
    return any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)


def pod_of(pods: Iterable[Object], workload: str) -> Object | None:
    """The pod that stands for a Deployment: one that runs, ready ones first, then the oldest."""
    found = [one for one in pods if workload_of(one) == workload and _runs(one)]
    return min(found, key=_rank, default=None)


def _runs(pod: Object) -> bool:
    return not pod["metadata"].get("deletionTimestamp") and bool((pod.get("status") or {}).get("podIP"))


def _rank(pod: Object) -> tuple[bool, str, str]:
    metadata = pod["metadata"]
    return not is_ready(pod), metadata["creationTimestamp"], metadata["name"]


def missing(
    deployments: Iterable[Object], pods: Iterable[Object], services: Iterable[Object], slices: Iterable[Object]
) -> Iterator[str]:
    """What is not there yet, a phrase each.

    Args:
        deployments: As they were asked for.
        pods: All pods.
        services: As they were asked for.
        slices: All endpoint slices.
    """
    ready: dict[Key, int] = {}
    for pod in pods:
        workload = workload_of(pod)
        if workload is not None and is_ready(pod):
            key = pod["metadata"]["namespace"], workload
            ready[key] = ready.get(key, 0) + 1
    for one in deployments:
        wanted = one["spec"].get("replicas", 1)
        if (count := ready.get(key_of(one), 0)) < wanted:
            yield f"Deployment {'/'.join(key_of(one))}: {count} of {wanted} pods are ready"
    served = _served(slices)
    for one in services:
        if one["spec"].get("selector") and not served.get(key_of(one)):
            yield f"Service {'/'.join(key_of(one))} has no endpoint"


def _served(slices: Iterable[Object]) -> Mapping[Key, int]:
    found: dict[Key, int] = {}
    for one in slices:
        metadata = one["metadata"]
        service = (metadata.get("labels") or {}).get(SERVICE_OF)
        if service is not None:
            key = metadata.get("namespace", ""), service
            ready = [end for end in one.get("endpoints") or () if (end.get("conditions") or {}).get("ready", True)]
            found[key] = found.get(key, 0) + len(ready)
    return found
