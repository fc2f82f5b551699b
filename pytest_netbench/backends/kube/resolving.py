"""Names that pods resolve: the zone of the resolving pods follows the services."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from pytest_netbench.backends.kube import names
from pytest_netbench.backends.kube.machine.slots import SlotNode
from pytest_netbench.backends.kube.view import View
from pytest_netbench.lab.kubernetes import workloads
from pytest_netbench.lab.kubernetes.client import POD, SERVICE, Object
from pytest_netbench.platforms.capabilities import FILES


class Resolving:
    """Keeps the zone of resolving pods. All runs in the cluster's event loop.

    Args:
        view: What the API has.
        slot_of: Returns where a pod runs.
    """

    def __init__(self, view: View, slot_of: Callable[[Object], SlotNode | None]) -> None:
        self._view = view
        self._slot_of = slot_of
        self._tasks: list[asyncio.Task[None]] = []

    def follow(self) -> None:
        """Write the zone whenever a service or a pod changes."""
        self._view.on_change(self._changed, SERVICE, POD)

    async def close(self) -> None:
        """Write nothing any more."""
        for task in self._tasks:
            task.cancel()

    def _changed(self) -> None:
        self._tasks = [task for task in self._tasks if not task.done()]
        self._tasks.append(asyncio.get_running_loop().create_task(self.write()))

    async def write(self) -> None:
        """Return once the resolving pods know the services that there are now."""
        text = names.zone(self._view.objects(SERVICE))
        for pod in self._view.objects(POD):
            slot = self._slot_of(pod) if workloads.workload_of(pod) == names.RESOLVER else None
            if slot is not None and slot.zone != text:
                slot.zone = text
                await asyncio.to_thread(slot.node.capability(FILES).write_file, names.ZONE, text)
