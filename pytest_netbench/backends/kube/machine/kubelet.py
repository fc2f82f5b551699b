"""Stands in for the kubelet of a machine: registers it, starts and ends its pods, and reports their state."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Final

from pytest_netbench.backends.kube.machine import registration
from pytest_netbench.backends.kube.machine.podrun import PodRun
from pytest_netbench.backends.kube.machine.recorder import Recorder
from pytest_netbench.backends.kube.machine.slots import Slots
from pytest_netbench.backends.kube.plan import Machine
from pytest_netbench.errors import LabError
from pytest_netbench.lab.kubernetes.client import LEASE, NODE, POD, Api, Object, Refused
from pytest_netbench.lab.kubernetes.stores import key_of
from pytest_netbench.lab.kubernetes.workloads import is_ready

RENEWED_S: Final = 1.0
"""A machine says so often that it is alive."""
_MOST_TOOLBOXES: Final = 10
_RETRY_S: Final = 1.0
_RECENTLY_S: Final = 3.0
_PERMITTED_S, _PERMITTED_EVERY_S = 10.0, 0.02
_FORBIDDEN: Final = 403


class Kubelet:
    """Runs the pods that are bound to its machine.

    Args:
        machine: Which.
        api: How the machine reaches the API.
        slots: Where pods can run.
        version: Of the API server, which the machine reports as its own.
        connects: Returns whether a TCP port of an address takes a connection from the machine.
        toolboxes: Counts pods with images of others in the whole cluster.
    """

    def __init__(
        self,
        machine: Machine,
        api: Api,
        slots: Slots,
        *,
        version: str,
        connects: Callable[[str, int], Awaitable[bool]],
        toolboxes: Callable[[], int],
    ) -> None:
        self.machine = machine
        self._api = api
        self._slots = slots
        self._version = version
        self._connects = connects
        self._toolboxes = toolboxes
        self.recorder = Recorder(machine.name, api)
        """Writes what happens to pods."""
        self.runs: dict[str, PodRun] = {}
        """By uid of a pod."""
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._statuses: dict[str, Object] = {}
        """By uid of a pod that is ready: what was reported."""
        self._alive_at = 0.0

    # the machine

    async def register(self) -> None:
        """Say that the machine, whose object is there, is alive."""
        await self._once_permitted(lambda: self._api.create(registration.lease(self.machine.name)))

    async def _once_permitted(self, request: Callable[[], Awaitable[Object]]) -> None:
        """Send a request, again while the API server does not know yet what this machine may do."""
        deadline = time.monotonic() + _PERMITTED_S
        while True:
            try:
                await request()
            except Refused as error:
                if error.code != _FORBIDDEN or time.monotonic() > deadline:
                    raise
            else:
                return
            await asyncio.sleep(_PERMITTED_EVERY_S)

    async def stay_alive(self) -> None:
        """Renew the machine's lease for ever, and what the controllers have given up meanwhile."""
        while True:
            await asyncio.sleep(RENEWED_S)
            with contextlib.suppress(LabError):
                await self._renew()

    async def _renew(self) -> None:
        name = self.machine.name
        await self._api.patch(LEASE, registration.LEASES, name, {"spec": {"renewTime": registration.moment()}})
        self._alive_at = time.monotonic()
        if not _is_ready(await self._api.read(NODE, None, name)):
            await self._say_ready()
            # a machine that could not report takes note of its pods before it can say so
            for run in [*self.runs.values()]:
                if (status := self._statuses.get(run.pod["metadata"]["uid"])) is not None:
                    await self._report(run.pod, status)

    async def _say_ready(self) -> None:
        status = registration.status(self.machine, self._version)
        await self._api.patch(NODE, None, self.machine.name, {"status": status}, subresource="status")

    # pods

    def take(self, old: Object | None, new: Object | None) -> None:
        """Take note of a change of a pod that is bound to this machine."""
        pod = new or old
        assert pod is not None
        if pod["spec"].get("nodeName") != self.machine.name:
            return
        uid = pod["metadata"]["uid"]
        if new is None or new["metadata"].get("deletionTimestamp"):
            if uid in self._tasks and not self._tasks[uid].cancelled():
                self._tasks.pop(uid).cancel()
            self._begin(f"end {uid}", self._end(pod, report=new is not None))
        elif uid not in self._tasks and uid not in self.runs:
            self._begin(uid, self._run(pod))
        elif uid in self._statuses and not is_ready(pod) and time.monotonic() < self._alive_at + _RECENTLY_S:
            # the controllers had given up this machine, which took no notice
            self._begin(f"again {uid}", self._report(pod, self._statuses[uid]))

    def _begin(self, name: str, work: Any) -> None:
        task = asyncio.create_task(work)
        self._tasks[name] = task
        if " " in name:
            task.add_done_callback(lambda _: self._tasks.pop(name, None))

    async def close(self) -> None:
        """Report nothing any more. What runs in pods ends with the lab."""
        tasks = [*self._tasks.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _run(self, pod: Object) -> None:
        """Run a pod and report its states."""
        self.runs[pod["metadata"]["uid"]] = run = PodRun(
            pod,
            api=self._api,
            slots=self._slots,
            host=self.machine.address,
            connects=self._connects,
            report=partial(self._report_of_run, pod),
            note=partial(self.recorder.note, pod),
        )
        await run.run(self._toolboxes_full)

    def _toolboxes_full(self) -> str | None:
        if self._toolboxes() < _MOST_TOOLBOXES:
            return None
        return f"Back-off pulling image: at most {_MOST_TOOLBOXES} pods with images of others run in this cluster"

    @property
    def toolboxes(self) -> int:
        """How many pods with images of others run on this machine."""
        return sum(run.is_toolbox for run in self.runs.values())

    async def _end(self, pod: Object, *, report: bool) -> None:
        self._statuses.pop(pod["metadata"]["uid"], None)
        run = self.runs.pop(pod["metadata"]["uid"], None)
        for name in () if run is None else run.containers:
            self.recorder.note(pod, "Killing", f"Stopping container {name}", container=name)
        if run is not None and run.slot is not None:
            await asyncio.to_thread(run.slot.end)
            self._slots.give(run.slot)
        if report:
            namespace, name = key_of(pod)
            options: Object = {"gracePeriodSeconds": 0, "preconditions": {"uid": pod["metadata"]["uid"]}}
            await self._insist(lambda: self._api.delete(POD, namespace, name, options))

    async def _report_of_run(self, pod: Object, status: Object) -> None:
        uid = pod["metadata"]["uid"]
        if uid in self.runs and is_ready({**pod, "status": status}):
            self._statuses[uid] = status
        else:
            self._statuses.pop(uid, None)
        await self._report(pod, status)

    async def _report(self, pod: Object, status: Object) -> None:
        namespace, name = key_of(pod)
        change = {"metadata": {"uid": pod["metadata"]["uid"]}, "status": status}
        await self._insist(lambda: self._api.patch(POD, namespace, name, change, subresource="status"))

    async def _insist(self, request: Callable[[], Awaitable[Object]]) -> None:
        """Send a request until the API takes it, or says that what it is about is gone."""
        while True:
            try:
                await request()
            except Refused as error:
                if error.code < 500:
                    return
            except LabError:
                pass
            else:
                return
            await asyncio.sleep(_RETRY_S)

    def run_of(self, pod: Object) -> PodRun | None:
        """What is known of a pod; ``None`` if it is not on this machine."""
        return self.runs.get(pod["metadata"]["uid"])


def _is_ready(node: Object) -> bool:
    conditions = node.get("status", {}).get("conditions") or ()
    return any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)
