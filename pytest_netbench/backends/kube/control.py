"""A cluster as other threads use it: its objects, and when agents may change them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, contextmanager
from typing import Final

from pytest_netbench.backends.kube.machine.slots import SlotNode
from pytest_netbench.backends.kube.runtime import READY_S, Runtime
from pytest_netbench.backends.kube.workers import Workers
from pytest_netbench.errors import LabError
from pytest_netbench.kubernetes.objects import managed
from pytest_netbench.lab.kubernetes.client import DEPLOYMENT, KINDS, Kind, Object, identity
from pytest_netbench.lab.kubernetes.loop import EventLoop
from pytest_netbench.lab.protocols import Lab

_SLACK_S: Final = 15.0


def _known(kind: str) -> Kind:
    known = KINDS.get(kind)
    if known is None:
        raise LabError(f"objects of the kind {kind} are not known (known: {', '.join(KINDS)})")
    return known


class Control:
    """Implements ``platforms.capabilities.ClusterControl``.

    Args:
        loop: In which the cluster runs.
        runtime: The cluster.
    """

    def __init__(self, loop: EventLoop, runtime: Runtime) -> None:
        self._loop = loop
        self._runtime = runtime
        self.workers = Workers(loop, runtime)

    @property
    def version(self) -> str:
        return self._runtime.version

    def managed(self) -> Sequence[Object]:
        return self._loop.run(self._runtime.managed())

    def objects(self, kind: str, namespace: str | None = None) -> Sequence[Object]:
        return self._loop.run(self._runtime.listed(_known(kind), namespace))

    def read(self, kind: str, namespace: str, name: str) -> Object:
        known = _known(kind)
        found = self._loop.run(self._runtime.api.read(known, namespace, name))
        return managed({"apiVersion": known.version, "kind": known.name, **found})

    def replace(self, changed: Object) -> None:
        kind, namespace, name = identity(changed)
        self.read(kind.name, namespace or "", name)
        self._loop.run(self._runtime.put(kind, [changed]), timeout_s=READY_S)

    def create(self, new: Object) -> None:
        self._loop.run(self._runtime.put(identity(new)[0], [new]), timeout_s=READY_S)

    def renew(self) -> None:
        self._loop.run(self._runtime.put(DEPLOYMENT, []), timeout_s=READY_S)

    def delete(self, kind: str, namespace: str, name: str) -> None:
        self._loop.run(self._runtime.put(_known(kind), [], gone=(namespace, name)), timeout_s=READY_S)

    def deploy(self, objects: Sequence[Object], lab: Future[Lab]) -> None:
        """Start the cluster on a lab that is deployed meanwhile, and deploy objects on it.

        Raises:
            LabError: It cannot be started, or refuses an object.
            NotReady: A pod is not ready in time.
        """
        try:
            self._loop.run(self._runtime.deploy(objects, lab), timeout_s=READY_S + _SLACK_S)
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
        self._loop.run(self._runtime.close())
        self._loop.close()
