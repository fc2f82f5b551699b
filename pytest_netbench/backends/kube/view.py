"""What the API of a cluster has, whichever of the machines are cut off from it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from pytest_netbench.lab.kubernetes import workloads
from pytest_netbench.lab.kubernetes.client import (
    ENDPOINT_SLICE,
    NAMESPACE,
    NETWORK_POLICY,
    NODE,
    POD,
    SERVICE,
    Api,
    Kind,
    Object,
)
from pytest_netbench.lab.kubernetes.loop import ended
from pytest_netbench.lab.kubernetes.stores import Store, key_of

FOLLOWED: Final = (POD, NAMESPACE, SERVICE, ENDPOINT_SLICE, NETWORK_POLICY)
"""Kinds that machines follow."""
_SEEN: Final = (*FOLLOWED, NODE)


class View:
    """The objects of a cluster that others of this backend ask for. All runs in the cluster's event loop.

    Args:
        api: The API server, as its administrator.
    """

    def __init__(self, api: Api) -> None:
        self.stores: Mapping[Kind, Store] = {kind: Store(api, kind) for kind in _SEEN}
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Begin to follow the API."""
        self._tasks = [asyncio.create_task(store.follow()) for store in self.stores.values()]
        await asyncio.gather(*(store.listed.wait() for store in self.stores.values()))

    async def close(self) -> None:
        """Stop following."""
        for task in self._tasks:
            task.cancel()

    @property
    def problem(self) -> str:
        """What does not follow the API any more, though it does until ``close``; empty if all does."""
        return "; ".join(ended(self._tasks))

    def objects(self, kind: Kind) -> Sequence[Object]:
        """The objects of a kind."""
        return [*self.stores[kind].objects.values()]

    def on_change(self, listener: Callable[[], None], *kinds: Kind) -> None:
        """Tell ``listener`` of each change of objects of some kinds from now on."""
        for kind in kinds:
            self.stores[kind].listen(lambda _, __: listener())

    def pod_of(self, workload: str) -> Object | None:
        """The pod that stands for a Deployment."""
        return workloads.pod_of(self.objects(POD), workload)

    def workloads_on(self, machine: str) -> list[str]:
        """The Deployments whose pods that stand for them are on a machine, in alphabetical order."""
        names = {name for pod in self.objects(POD) if (name := workloads.workload_of(pod)) is not None}
        pods = {name: self.pod_of(name) for name in names}
        return sorted(name for name, pod in pods.items() if pod is not None and pod["spec"].get("nodeName") == machine)

    def is_ready(self, machine: str) -> bool:
        """Whether the API has a machine as ready."""
        node = self.stores[NODE].objects.get(("", machine), {})
        conditions = node.get("status", {}).get("conditions") or ()
        return any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)

    def takes_pods(self, machine: str) -> bool:
        """Whether a machine is ready, and no controller keeps pods off it any more."""
        return self.is_ready(machine) and not self.stores[NODE].objects["", machine]["spec"].get("taints")

    def target_port(self, address: str, port: int, protocol: str) -> int | None:
        """The port of pods behind a port of a service address; ``None`` if there is no such service."""
        for one in self.objects(SERVICE):
            if one["spec"].get("clusterIP") == address:
                for each in one["spec"].get("ports") or ():
                    if each["port"] == port and each.get("protocol", "TCP").lower() == protocol:
                        return self._pod_port(one, each)
        return None

    def _pod_port(self, service: Object, port: Object) -> int | None:
        """The number of the port that a service's port leads to, as its endpoints have it."""
        for one in self.objects(ENDPOINT_SLICE):
            labels = one["metadata"].get("labels") or {}
            if key_of(service) == (one["metadata"]["namespace"], labels.get(workloads.SERVICE_OF)):
                for each in one.get("ports") or ():
                    if (each.get("name") or "") == (port.get("name") or ""):
                        return int(each["port"])
        return None
