"""One pod on a machine: its slot, its containers, and what is reported of them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from pytest_netbench.backends.kube.machine import containers, environment, happenings, requests, statuses
from pytest_netbench.backends.kube.machine.container import Container
from pytest_netbench.backends.kube.machine.happenings import Note
from pytest_netbench.backends.kube.machine.served import ServedContainer
from pytest_netbench.backends.kube.machine.slots import SlotNode, Slots
from pytest_netbench.backends.kube.machine.statuses import State
from pytest_netbench.lab.kubernetes.client import Api, Object

RETRY_S: Final = 3.0
AnyContainer = Container | ServedContainer


class PodRun:
    """A pod from when its machine takes it.

    Args:
        pod: Which.
        api: Of the machine.
        slots: Of the machine.
        host: The address of the machine.
        connects: Returns whether a TCP port of an address takes a connection from the machine.
        report: Takes each status.
        note: Takes note of what happens to it.
    """

    def __init__(
        self,
        pod: Object,
        *,
        api: Api,
        slots: Slots,
        host: str,
        connects: Callable[[str, int], Awaitable[bool]],
        report: Callable[[Object], Awaitable[None]],
        note: Note,
    ) -> None:
        self.pod = pod
        self.slot: SlotNode | None = None
        self.containers: dict[str, AnyContainer] = {}
        self._api = api
        self._slots = slots
        self._host = host
        self._connects = connects
        self._report = report
        self._note = note
        self._started = containers.now()
        self._changed = asyncio.Event()

    @property
    def is_toolbox(self) -> bool:
        """Whether a container with an image of others runs, or ran."""
        return self.slot is not None and not self._is_own

    @property
    def _is_own(self) -> bool:
        return all(containers.is_own(one["image"]) for one in self.pod["spec"]["containers"])

    async def run(self, toolboxes_full: Callable[[], str | None]) -> None:
        """Run the pod until its containers have ended for ever.

        Args:
            toolboxes_full: Returns why no further pod with images of others can run; ``None`` if one can.
        """
        while self.slot is None:
            problem = self._problem(toolboxes_full)
            self.slot = None if problem else self._slots.take()
            if self.slot is None:
                reason, message = problem or ("OutOfpods", "the machine has no room for another pod")
                await self._report_waiting(reason, message)
                await asyncio.sleep(RETRY_S)
        await asyncio.to_thread(self.slot.furnish, containers.files(self.pod, self.slot.address))
        while not self.containers:
            try:
                self.containers = await self._make(self.slot)
            except environment.Missing as error:
                await self._report_waiting("CreateContainerConfigError", str(error))
                await asyncio.sleep(RETRY_S)
        await self._follow()

    async def _make(self, slot: SlotNode) -> dict[str, AnyContainer]:
        return {one["name"]: await self._container(one, slot) for one in self.pod["spec"]["containers"]}

    async def _container(self, spec: Mapping[str, Any], slot: SlotNode) -> AnyContainer:
        found = await environment.variables(self._api, self.pod, spec, address=slot.address, host=self._host)
        if containers.is_own(spec["image"]) or containers.serves(spec):
            return ServedContainer(
                self.pod, spec, slot, found, self._changed.set, connects=self._connects, note=self._note
            )
        return Container(self.pod, spec, slot, found, self._changed.set, note=self._note)

    def _problem(self, toolboxes_full: Callable[[], str | None]) -> tuple[str, str] | None:
        for container in self.pod["spec"]["containers"]:
            image = container["image"]
            if not containers.is_own(image) and not containers.is_toolbox(image):
                return "ImagePullBackOff", f'Back-off pulling image "{image}": there is no registry'
        why = requests.refusal(self.pod, own=self._is_own)
        if why is not None:
            return "CreateContainerConfigError", why
        full = None if self._is_own else toolboxes_full()
        return None if full is None else ("ImagePullBackOff", full)

    async def _report_waiting(self, reason: str, message: str) -> None:
        happenings.waits(self._note, self.pod, reason, message)
        state = State("waiting", {"reason": reason, "message": message})
        await self._report_states({one["name"]: state for one in self.pod["spec"]["containers"]})

    async def _report_states(self, states: Mapping[str, State]) -> None:
        address = None if self.slot is None else self.slot.address
        await self._report(statuses.status(self.pod, states, address=address, host=self._host, started=self._started))

    async def _follow(self) -> None:
        """Run the containers, and report their states as they change, the last one too."""
        async with asyncio.TaskGroup() as group:
            running = [group.create_task(one.run()) for one in self.containers.values()]
            for task in running:
                task.add_done_callback(lambda _: self._changed.set())
            over = False
            while not over:
                await self._changed.wait()
                self._changed.clear()
                over = all(task.done() for task in running)  # before the report, during which a container may end
                states = {name: one.state for name, one in self.containers.items()}
                if all(one.kind != "waiting" or one.last is not None for one in states.values()):
                    await self._report_states(states)
