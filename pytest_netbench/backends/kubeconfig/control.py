"""A cluster that exists as other threads use it."""

from __future__ import annotations

import time
from collections.abc import Coroutine, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, TypeVar

from pytest_netbench.backends.kubeconfig import proof
from pytest_netbench.backends.kubeconfig.cluster import READY_S, Cluster
from pytest_netbench.backends.kubeconfig.translation import as_managed
from pytest_netbench.errors import LabError
from pytest_netbench.lab.kubernetes.client import DEPLOYMENT, KINDS, Kind, Object, identity
from pytest_netbench.lab.kubernetes.loop import EventLoop

T = TypeVar("T")
_SLACK_S: Final = 60.0
_GONE_S: Final = 120.0


def _known(kind: str) -> Kind:
    known = KINDS.get(kind)
    if known is None:
        raise LabError(f"objects of the kind {kind} are not known (known: {', '.join(KINDS)})")
    return known


class Control:
    """Implements ``platforms.capabilities.ClusterControl``.

    Args:
        loop: In which the cluster runs.
        cluster: The cluster.
    """

    def __init__(self, loop: EventLoop, cluster: Cluster) -> None:
        self._loop = loop
        self._closed = False
        self.cluster = cluster

    @property
    def version(self) -> str:
        return self.cluster.version

    def run(self, work: Coroutine[Any, Any, T], *, timeout_s: float = READY_S + _SLACK_S) -> T:
        """Run something in the cluster's event loop."""
        return self._loop.run(work, timeout_s=timeout_s)

    def managed(self) -> Sequence[Object]:
        return self.run(self.cluster.managed())

    def objects(self, kind: str, namespace: str | None = None) -> Sequence[Object]:
        return self.run(self.cluster.listed(_known(kind), namespace))

    def read(self, kind: str, namespace: str, name: str) -> Object:
        known = _known(kind)
        found = self.run(self.cluster.api.read(known, namespace, name))
        return as_managed({"apiVersion": known.version, "kind": known.name, **found})

    def replace(self, changed: Object) -> None:
        kind, namespace, name = identity(changed)
        self.read(kind.name, namespace or "", name)
        self.run(self.cluster.put(kind, [changed]))

    def create(self, new: Object) -> None:
        self.run(self.cluster.put(identity(new)[0], [new]))

    def renew(self) -> None:
        self.run(self.cluster.put(DEPLOYMENT, []))

    def delete(self, kind: str, namespace: str, name: str) -> None:
        self.run(self.cluster.put(_known(kind), [], gone=(namespace, name)))

    def open(self) -> None:
        """Claim the namespaces.

        Raises:
            RequirementMissing: The user may not do something.
            LabError: A namespace is taken.
        """
        self.run(self.cluster.open(), timeout_s=self.cluster.place.wait_s + _GONE_S)

    def deploy(self) -> None:
        """Deploy the objects, and prove that policies are enforced.

        Raises:
            RequirementMissing: They are not.
            LabError: The API refuses an object.
            NotReady: A pod is not ready in time.
        """
        self.run(self.cluster.deploy())
        self.cluster.settle_s = self.run(proof.settle_time(self.cluster))
        self.run(self.cluster.deploy_policies())

    @contextmanager
    def taking_changes(self) -> Iterator[None]:
        """Let agents change something meanwhile; returns when the changes should be in force."""
        self.run(self.cluster.let_change(allowed=True))
        try:
            yield
        finally:
            self.run(self.cluster.let_change(allowed=False))
            time.sleep(self.cluster.settle_s)

    def close(self) -> None:
        """Remove all that the lab has made. Idempotent.

        Raises:
            LabError: Something is left.
        """
        if self._closed:
            return
        self._closed = True
        try:
            self.run(self.cluster.close(), timeout_s=_GONE_S)
        finally:
            self._loop.close()
