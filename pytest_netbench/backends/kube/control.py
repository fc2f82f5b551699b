"""A cluster as other threads use it: its objects, and when agents may change them."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager
from typing import Final

from pytest_netbench.backends.kube.machine.slots import SlotNode
from pytest_netbench.backends.kube.rest import is_at_rest
from pytest_netbench.backends.kube.runtime import Runtime
from pytest_netbench.backends.kube.waits import READY_S
from pytest_netbench.backends.kube.workers import Workers
from pytest_netbench.errors import LabError
from pytest_netbench.lab.kubernetes.client import Object
from pytest_netbench.lab.kubernetes.control import ObjectControl
from pytest_netbench.lab.kubernetes.loop import EventLoop
from pytest_netbench.lab.kubernetes.turns import Turns
from pytest_netbench.lab.protocols import Lab

_SLACK_S: Final = 15.0
_PATIENCE_S: Final = 60.0


class Control(ObjectControl):
    """Implements ``platforms.cluster_control.ClusterControl``.

    Args:
        loop: In which the cluster runs.
        runtime: The cluster.
    """

    answer_s = READY_S

    def __init__(self, loop: EventLoop, runtime: Runtime) -> None:
        super().__init__(loop, runtime)
        self._runtime = runtime
        self.workers = Workers(loop, runtime)
        self._patience_s = _PATIENCE_S
        self._turns = Turns(self._allow)

    def _allow(self, allowed: bool) -> None:
        self._runtime.gateway.takes_changes = allowed

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

    def taking_changes(self) -> AbstractContextManager[None]:
        """Let agents change something meanwhile."""
        return self._turns.turn()

    def notify(self, listener: Callable[[str], AbstractContextManager[None]]) -> None:
        """Implements ``platforms.capabilities.ChangeNotices``."""
        self._runtime.gateway.listener = listener

    def settle(self) -> None:
        """Return once packets show what the objects ask for. No effect unless machines were waited for in vain before.

        Returns all the same after a minute in total: an agent can write so much that machines never catch up.
        """
        if self._runtime.is_in_doubt and self._patience_s > 0:
            began = time.monotonic()
            with contextlib.suppress(LabError):
                self.run(self._runtime.barrier())
            self._patience_s -= time.monotonic() - began

    @property
    def is_at_rest(self) -> bool:
        """Whether no flow can change unless somebody changes something."""
        runtime = self._runtime
        if runtime.is_in_doubt or any(worker.dropped for worker in runtime.workers):
            return False
        return is_at_rest(runtime.view, runtime.gateway.deeds)

    def check(self) -> None:
        """Check that all parts of the cluster run that no agent can end.

        Raises:
            LabDied: One has ended.
        """
        self._runtime.check()

    def slot_of(self, workload: str) -> SlotNode | None:
        """Where the pod runs that stands for a Deployment; ``None`` if there is none."""
        pod = self._runtime.view.pod_of(workload)
        return None if pod is None else self._runtime.slot_of(pod)

    def target_port(self, address: str, port: int, protocol: str) -> int | None:
        """The port of the pods behind a port of a service address; ``None`` if there is no such service."""
        return self._runtime.view.target_port(address, port, protocol)

    def close(self) -> None:
        """Stop the cluster, once. Its control plane is reset meanwhile, for the next one.

        What does not stop may still change objects. Then the control plane is ended: the next cluster gets another one.
        """
        plane = self._runtime.control_plane
        try:
            try:
                self.run(self._runtime.close())
            finally:
                self._loop.close()
        except LabError:
            plane.stop()
        except BaseException:
            plane.stop()
            raise
        else:
            plane.reset_beside()
