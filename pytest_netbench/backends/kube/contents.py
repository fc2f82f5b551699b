"""What is deployed on a cluster: the objects that were asked for, and those that people manage."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterable, Sequence
from typing import Final

from pytest_netbench.backends.kube import names
from pytest_netbench.backends.kube.gateway import identities
from pytest_netbench.backends.kube.machine import registration
from pytest_netbench.backends.kube.plan import Machine
from pytest_netbench.backends.kube.waits import Waits
from pytest_netbench.kubernetes.objects import managed
from pytest_netbench.lab.kubernetes.client import DEPLOYMENT, MANAGED, NAMESPACE, Api, Kind, Object, identity

_AT_ONCE: Final = 8
_NOT_MANAGED: Final = ("kube-root-ca.crt", "default")


class Contents:
    """The objects of a cluster. All runs in the cluster's event loop.

    Args:
        api: The API server, as its administrator.
        objects: Of the application.
    """

    def __init__(self, api: Api, objects: Iterable[Object]) -> None:
        self._api = api
        self.asked: list[Object] = [*names.resolver(), *objects]
        """What the cluster must have."""

    async def create(self, machines: Sequence[Machine], version: str, waits: Waits) -> None:
        """Create all that was asked for, and the machines.

        Args:
            machines: Those of the cluster.
            version: Of the API server.
            waits: Tells when machines take pods.

        Raises:
            LabError: The API refuses an object.
            NotReady: A machine takes no pods in time.
        """
        called = [one.name for one in machines]
        nodes = [registration.node(one, version) for one in machines]
        spaces = self._of(NAMESPACE)
        workloads = self._of(DEPLOYMENT)
        others = [one for one in self.asked if one["kind"] not in (NAMESPACE.name, DEPLOYMENT.name)]
        roles = identities.roles(one["metadata"]["name"] for one in spaces)
        await at_once(self._api.create(one) for one in (*nodes, *identities.machine_roles(called), *spaces))
        # a pod for which the scheduler finds no machine is not tried again for a second
        await waits.machines(called)
        # workloads first, since controllers and machines have most to do with them
        await at_once(self._api.create(one) for one in (*workloads, *others, *roles))

    def _of(self, kind: Kind) -> list[Object]:
        return [one for one in self.asked if one["kind"] == kind.name]

    async def managed(self) -> list[Object]:
        """The objects of the application that people manage."""
        kinds = sorted({*MANAGED, *(identity(one)[0] for one in self.asked)})
        found = [one for kind in kinds for one in await self.listed(kind, None)]
        return [one for one in found if self.has(one)]

    async def listed(self, kind: Kind, namespace: str | None) -> list[Object]:
        """The objects of a kind, but for those that the cluster makes for itself."""
        listed = await self._api.list_all(kind, namespace)
        found = [managed({"apiVersion": kind.version, "kind": kind.name, **one}) for one in listed.get("items") or ()]
        return [one for one in found if one["metadata"]["name"] not in _NOT_MANAGED]

    @property
    def spaces(self) -> set[str]:
        """The namespaces of the application."""
        return {one["metadata"]["name"] for one in self._of(NAMESPACE)}

    def has(self, one: Object) -> bool:
        """Whether an object is in a namespace of the application, or is one."""
        metadata = one["metadata"]
        space = metadata["name"] if one.get("kind") == NAMESPACE.name else metadata.get("namespace")
        return space in self.spaces


async def at_once(work: Iterable[Awaitable[object]]) -> None:
    """Return once all is done, a few at a time."""
    limit = asyncio.Semaphore(_AT_ONCE)

    async def one(awaitable: Awaitable[object]) -> None:
        async with limit:
            await awaitable

    await asyncio.gather(*(one(each) for each in work))
