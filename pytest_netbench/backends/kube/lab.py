"""A running cluster as a lab."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any, TypeVar

from pytest_netbench.backends.kube.control import Control
from pytest_netbench.backends.kube.control_plane import ControlPlane
from pytest_netbench.backends.kube.machine.slots import SlotNode
from pytest_netbench.backends.kube.nodes import InnerNode
from pytest_netbench.backends.kube.plan import API_PORT, CONTROL_PLANE_ADDRESS, WORKSTATION, Outside, Slot
from pytest_netbench.backends.kube.prober import ClusterProber
from pytest_netbench.backends.kube.runtime import Runtime
from pytest_netbench.lab.capabilities import PROBES, WORKERS
from pytest_netbench.lab.kubernetes.logins import kubeconfig
from pytest_netbench.lab.kubernetes.nodes import CHANGING, READING, Workstation
from pytest_netbench.lab.protocols import LabNode
from pytest_netbench.lab.request import LabRequest
from pytest_netbench.model.objects import OUTSIDE, WORKER
from pytest_netbench.model.payload import CLUSTER_PLATFORM
from pytest_netbench.model.ready import Readiness
from pytest_netbench.model.trial import Isolation, RefusedLine
from pytest_netbench.platforms.capabilities import CLUSTER, FILES, NOTICES
from pytest_netbench.platforms.capability import Capability
from pytest_netbench.platforms.kubernetes import KubernetesDriver, PodDriver

T = TypeVar("T")


class ClusterLab:
    """Implements ``lab.protocols.Lab`` and ``lab.rest.KnowsRest``.

    Args:
        request: What it is.
        control: The cluster.
        runtime: Who may ask it.
        control_plane: The API server.
    """

    time_scale = 1.0
    isolation = Isolation(
        read_only="requests that change something are refused; in pods a sandbox without capabilities, read-only files",
        runs_as="user 1000 of a namespace of its own; in the API the user 'engineer', bound by RBAC",
    )

    def __init__(self, request: LabRequest, *, control: Control, runtime: Runtime, control_plane: ControlPlane) -> None:
        self.topology = request.topology
        self.inner = lab = runtime.lab
        self.features = (*lab.features, "kubernetes")
        self.substitutes: Mapping[str, str] = {
            **lab.substitutes,
            "kubelet, service proxy and network plugin": "programs of this package, over nftables",
        }
        self.refused_startup_lines: tuple[RefusedLine, ...] = ()
        self.readiness = Readiness()
        self.deploy_s = 0.0
        self._was_destroyed = False
        self._control = control
        self._control_plane = control_plane
        self._outside = {one.name: self._host(one) for one in outside_of(request)}
        self._drivers: Mapping[str, Any] = {CLUSTER_PLATFORM: KubernetesDriver(), "linux": PodDriver()}
        self.nodes = {name: self._node(name, dialect, request) for name, dialect in request.dialects.items()}
        self.prober = ClusterProber(lab.prober, control, outside=self._outside)
        self._log_in(runtime)

    def _node(self, name: str, dialect: str, request: LabRequest) -> LabNode:
        role = request.topology.node(name).role
        if dialect == CLUSTER_PLATFORM:
            return Workstation(
                name,
                dialect,
                role,
                node=self.inner.nodes[WORKSTATION],
                control=self._control,
                offered=dict.fromkeys((CLUSTER.name, NOTICES.name), self._control),
            )
        if role == WORKER:
            return InnerNode(name, dialect, role, found=lambda: self.inner.nodes[name])
        if name in self._outside:
            return InnerNode(name, dialect, role, found=lambda: self._outside[name].node)
        return InnerNode(name, dialect, role, found=lambda: self._pod(name))

    def _pod(self, name: str) -> LabNode | None:
        slot = self._control.slot_of(name)
        return None if slot is None else slot.node

    def _host(self, one: Outside) -> SlotNode:
        return SlotNode(Slot(one.node, "eth0", next(iter(one.addresses), one.gateway)), self.inner.nodes[one.node])

    def _log_in(self, runtime: Runtime) -> None:
        files = self.inner.nodes[WORKSTATION].capability(FILES)
        ca_data = base64.b64encode(self._control_plane.ca_pem.encode()).decode()
        server = f"https://{CONTROL_PLANE_ADDRESS}:{API_PORT}"
        cluster = {"server": server, "certificate-authority-data": ca_data}
        for path, user in ((CHANGING, runtime.changer), (READING, runtime.reader)):
            files.write_file(path, kubeconfig(cluster, user=user.name, token=user.token))

    def driver(self, node: str) -> Any:
        return self._drivers[self.nodes[node].platform]

    def capability(self, kind: Capability[T]) -> T:
        offered = {PROBES.name: self.prober, CLUSTER.name: self._control, WORKERS.name: self._control.workers}
        return kind.of(offered, owner="this cluster")

    @property
    def is_at_rest(self) -> bool:
        return self._control.is_at_rest

    def destroy(self) -> None:
        """End everything of this cluster. The API server stays; its objects become those of a fresh one meanwhile.

        Idempotent.
        """
        was_destroyed, self._was_destroyed = self._was_destroyed, True
        if was_destroyed:  # there may be objects of another cluster
            return
        try:
            self._control.close()
        finally:
            self.inner.destroy()

    def await_cleanup(self) -> None:
        self.inner.await_cleanup()
        self._control_plane.await_reset()


def outside_of(request: LabRequest) -> tuple[Outside, ...]:
    """The hosts outside of the cluster that a task has."""
    names = [node.name for node in request.topology.nodes if node.role == OUTSIDE]
    return tuple(
        Outside(name, number, request.startup_configs.get(name, "")) for number, name in enumerate(names, start=1)
    )
