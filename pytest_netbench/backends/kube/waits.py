"""Waiting until a cluster has what was asked for, and its machines act on it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

from pytest_netbench.backends.kube.machine.worker import Worker
from pytest_netbench.backends.kube.view import FOLLOWED, View
from pytest_netbench.errors import LabError, NotReady
from pytest_netbench.lab.kubernetes import workloads
from pytest_netbench.lab.kubernetes.client import ENDPOINT_SLICE, NODE, POD, Api, Kind, Object
from pytest_netbench.lab.kubernetes.stores import key_of, version_of

READY_S: Final = 60.0
_BARRIERS_S: Final = (1.0, 2.0, 4.0, 8.0, 16.0)
"""So long machines may take to know what the API had at a moment; objects of that moment may be gone by then."""


class Waits:
    """What is waited for. All runs in the cluster's event loop.

    Args:
        api: The API server, as its administrator.
        view: What it has.
        workers: Returns the machines that follow it.
    """

    def __init__(self, api: Api, view: View, workers: Callable[[], Sequence[Worker]]) -> None:
        self._api = api
        self._view = view
        self._workers = workers

    async def pods(self, asked: Sequence[Object]) -> None:
        """Return once the pods of all Deployments are ready, and each service has one.

        Args:
            asked: What the cluster must have.

        Raises:
            NotReady: Something is missing after ``READY_S``.
        """
        deployments = [one for one in asked if one["kind"] == "Deployment"]
        services = [one for one in asked if one["kind"] == "Service"]
        view = self._view

        def lacks() -> list[str]:
            return [*workloads.missing(deployments, view.objects(POD), services, view.objects(ENDPOINT_SLICE))]

        try:
            async with asyncio.timeout(READY_S):
                await view.stores[POD].wait_for(lambda: not any(line.startswith("Deployment") for line in lacks()))
                await view.stores[ENDPOINT_SLICE].wait_for(lambda: not lacks())
        except TimeoutError:
            raise NotReady(lacks(), waited_s=READY_S) from None

    async def machines(self, names: Sequence[str]) -> None:
        """Return once machines take pods.

        Raises:
            NotReady: One does not after ``READY_S``.
        """

        def lacks() -> list[str]:
            return [name for name in names if not self._view.takes_pods(name)]

        try:
            async with asyncio.timeout(READY_S):
                await self._view.stores[NODE].wait_for(lambda: not lacks())
        except TimeoutError:
            raise NotReady([f"the machine {name}" for name in lacks()], waited_s=READY_S) from None

    async def barrier(self, known: Callable[[], None] = lambda: None, *, kinds: Sequence[Kind] = FOLLOWED) -> None:
        """Return once every machine acts on what the API has now, but for those that are cut off from it.

        Args:
            kinds: Of what. Lists of kinds that nobody changes take longest: the API server asks its store for news.
            known: Called once the machines know what the API has now.

        Raises:
            LabError: A machine does not, or its kernel refuses a ruleset.
        """
        for limit_s in _BARRIERS_S:
            try:
                async with asyncio.timeout(limit_s):
                    await asyncio.gather(*(self._catch_up(kind) for kind in kinds))
                    known()
                    await asyncio.gather(*(worker.settled() for worker in self._acting))
                    break
            except TimeoutError:
                continue
        else:
            raise LabError("the machines of the cluster do not act on what the API has")
        for worker in self._acting:
            for name, table in worker.tables.items():
                if table.problem:
                    raise LabError(f"{worker.machine.name}: the kernel refuses the ruleset of {name}: {table.problem}")

    async def _catch_up(self, kind: Kind) -> None:
        listed = await self._api.list_all(kind)
        wanted = [(key_of(one), version_of(one)) for one in listed.get("items") or ()]
        followers = [self._view.stores, *(worker.stores for worker in self._acting)]
        stores = [stores[kind] for stores in followers if kind in stores]
        await asyncio.gather(*(store.await_versions(wanted) for store in stores))

    @property
    def _acting(self) -> list[Worker]:
        """The machines that are not cut off from the API."""
        return [worker for worker in self._workers() if not worker.is_cut_off]
