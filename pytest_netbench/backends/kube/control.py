"""A cluster as other threads use it: its objects, and when agents may change them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from pytest_netbench.backends.kube.client import KINDS, Object
from pytest_netbench.backends.kube.loop import EventLoop
from pytest_netbench.backends.kube.machine.slots import SlotNode
from pytest_netbench.backends.kube.runtime import READY_S, Runtime
from pytest_netbench.errors import LabError
from pytest_netbench.kubernetes.objects import managed

_SLACK_S: Final = 15.0


class Control:
    """Implements ``platforms.capabilities.ClusterControl``.

    Args:
        loop: In which the cluster runs.
        runtime: The cluster.
    """

    def __init__(self, loop: EventLoop, runtime: Runtime) -> None:
        self._loop = loop
        self._runtime = runtime

    @property
    def version(self) -> str:
        return self._runtime.version

    def managed(self) -> Sequence[Object]:
        return self._loop.run(self._runtime.managed())

    def read(self, kind: str, namespace: str, name: str) -> Object:
        known = KINDS.get(kind)
        if known is None:
            raise LabError(f"objects of the kind {kind} are not known (known: {', '.join(KINDS)})")
        return managed(self._loop.run(self._runtime.api.read(known, namespace, name)))

    def put(self, objects: Sequence[Object], *, removed: Sequence[tuple[str, str, str]] = ()) -> None:
        self._loop.run(self._runtime.put(objects, removed))

    def deploy(self, objects: Sequence[Object]) -> None:
        """Start the cluster and deploy objects on it.

        Raises:
            LabError: It cannot be started, or refuses an object.
            NotReady: A pod is not ready in time.
        """
        self._loop.run(self._runtime.start())
        self._loop.run(self._runtime.deploy(objects), timeout_s=READY_S + _SLACK_S)

    @contextmanager
    def taking_changes(self) -> Iterator[None]:
        """Let agents change something meanwhile. At the end every machine acts on it."""
        self._runtime.gateway.takes_changes = True
        try:
            yield
        finally:
            self._runtime.gateway.takes_changes = False
            self._loop.run(self._runtime.barrier())

    def slot_of(self, workload: str) -> SlotNode | None:
        """Where the pod runs that stands for a Deployment; ``None`` if there is none."""
        pod = self._runtime.pod_of(workload)
        return None if pod is None else self._runtime.slot_of(pod)

    def target_port(self, address: str, port: int, protocol: str) -> int | None:
        """The port of the pods behind a port of a service address; ``None`` if there is no such service."""
        return self._runtime.target_port(address, port, protocol)

    def close(self) -> None:
        """Stop the cluster. Idempotent."""
        self._loop.run(self._runtime.close())
        self._loop.close()
