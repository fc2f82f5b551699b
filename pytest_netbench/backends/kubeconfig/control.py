"""A cluster that exists as other threads use it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from pytest_netbench.backends.kubeconfig import proof
from pytest_netbench.backends.kubeconfig.cluster import READY_S, Cluster
from pytest_netbench.backends.kubeconfig.translation import as_managed
from pytest_netbench.lab.kubernetes.client import Object
from pytest_netbench.lab.kubernetes.control import ObjectControl
from pytest_netbench.lab.kubernetes.loop import EventLoop
from pytest_netbench.lab.kubernetes.turns import Turns

_SLACK_S: Final = 60.0
_GONE_S: Final = 120.0


class Control(ObjectControl):
    """Implements ``platforms.cluster_control.ClusterControl``.

    Args:
        loop: In which the cluster runs.
        cluster: The cluster.
    """

    answer_s = READY_S + _SLACK_S

    def __init__(self, loop: EventLoop, cluster: Cluster) -> None:
        super().__init__(loop, cluster)
        self._closed = False
        self.cluster = cluster
        self._turns = Turns(lambda allowed: self.run(cluster.let_change(allowed=allowed)))

    def as_managed(self, found: Object) -> Object:
        return as_managed(found)

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
        try:
            with self._turns.turn():
                yield
        finally:
            time.sleep(self.cluster.settle_s)

    def settle(self) -> None:
        """Return once the changes of logins that are open should be in force. Nobody sees when these made the last."""
        if self._turns.is_any:
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
