"""A cluster as other threads use it: its objects, and when agents may change them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, contextmanager
from typing import Final

from pytest_netbench.backends.kube.machine.slots import SlotNode
from pytest_netbench.backends.kube.runtime import READY_S, Runtime
from pytest_netbench.backends.kube.workers import Workers
from pytest_netbench.lab.kubernetes.client import Object
from pytest_netbench.lab.kubernetes.control import ObjectControl
from pytest_netbench.lab.kubernetes.loop import EventLoop
from pytest_netbench.lab.protocols import Lab

_SLACK_S: Final = 15.0


class Control(ObjectControl):
    """Implements ``platforms.capabilities.ClusterControl``.

    Args:
        loop: In which the cluster runs.
        runtime: The cluster.
    """

    answer_s = READY_S

    def __init__(self, loop: EventLoop, runtime: Runtime) -> None:
        super().__init__(loop, runtime)
        self._runtime = runtime
        self.workers = Workers(loop, runtime)

    def deploy(self, objects: Sequence[Object], lab: Future[Lab]) -> None:
        """Start the cluster on a lab that is deployed meanwhile, and deploy objects on it.

        Raises:
            LabError: It cannot be started, or refuses an object.
            NotReady: A pod is not ready in time.
        """
        try:
            self.run(self._runtime.deploy(objects, lab), timeout_s=READY_S + _SLACK_S)
        except ExceptionGroup as errors:
            raise errors.exceptions[0] from None

    @contextmanager
    def taking_changes(self) -> Iterator[None]:
        """Let agents change something meanwhile."""
        self._runtime.gateway.takes_changes = True
        try:
            yield
        finally:
            self._runtime.gateway.takes_changes = False

    def notify(self, listener: Callable[[str], AbstractContextManager[None]]) -> None:
        """Implements ``platforms.capabilities.ChangeNotices``."""
        self._runtime.gateway.listener = listener

    def slot_of(self, workload: str) -> SlotNode | None:
        """Where the pod runs that stands for a Deployment; ``None`` if there is none."""
        pod = self._runtime.view.pod_of(workload)
        return None if pod is None else self._runtime.slot_of(pod)

    def target_port(self, address: str, port: int, protocol: str) -> int | None:
        """The port of the pods behind a port of a service address; ``None`` if there is no such service."""
        return self._runtime.view.target_port(address, port, protocol)

    def close(self) -> None:
        """Stop the cluster. Idempotent."""
        self.run(self._runtime.close())
        self._loop.close()
