"""The machines of a cluster as other threads use them: which drop packets, and which pods they run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pytest_netbench.backends.kube.runtime import Runtime
from pytest_netbench.backends.kube.waits import READY_S
from pytest_netbench.lab.capabilities import Dropped
from pytest_netbench.lab.kubernetes.loop import EventLoop

_TWICE_S: Final = 2 * READY_S
"""For the machine, then for its pods."""


class Workers:
    """Implements ``lab.capabilities.WorkerControl``.

    Args:
        loop: In which the cluster runs.
        runtime: The cluster.
    """

    def __init__(self, loop: EventLoop, runtime: Runtime) -> None:
        self._loop = loop
        self._runtime = runtime

    def drop(self, worker: str, what: Dropped) -> None:
        self._loop.run(self._runtime.worker(worker).drop(what))

    def restore(self, worker: str) -> None:
        self._loop.run(self._runtime.restore(worker), timeout_s=_TWICE_S)

    def pods(self, worker: str) -> Sequence[str]:
        return self._runtime.view.workloads_on(worker)

    def is_ready(self, worker: str) -> bool:
        return self._runtime.view.is_ready(worker)
