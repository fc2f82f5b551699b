"""A lab on a cluster that exists."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit, urlunsplit

from pytest_netbench.backends.kubeconfig import accounts
from pytest_netbench.backends.kubeconfig.control import Control
from pytest_netbench.backends.kubeconfig.nodes import PodNode
from pytest_netbench.backends.kubeconfig.prober import ExecProber
from pytest_netbench.backends.kubeconfig.relay import Relay
from pytest_netbench.lab.capabilities import PROBES
from pytest_netbench.lab.kubernetes.logins import kubeconfig
from pytest_netbench.lab.kubernetes.nodes import CHANGING, READING, Workstation
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.lab.request import LabRequest
from pytest_netbench.model.payload import CLUSTER_PLATFORM
from pytest_netbench.model.ready import Readiness
from pytest_netbench.model.trial import Isolation, RefusedLine
from pytest_netbench.platforms.capabilities import CLUSTER, FILES, SOCKETS
from pytest_netbench.platforms.capability import Capability
from pytest_netbench.platforms.kubernetes import KubernetesDriver, PodDriver

T = TypeVar("T")
WORKSTATION: Final = "workstation"
_ADDRESS: Final = "127.0.0.1"
_PORT: Final = 6443
_BACKLOG: Final = 64


class KubeconfigLab:
    """Implements ``lab.protocols.Lab``.

    Args:
        request: What it is.
        inner: The lab of the workstation.
        control: The cluster.
    """

    time_scale = 1.0
    isolation = Isolation(
        read_only="a service account that may read only; pods whose root file system is read-only",
        runs_as="user 1000 of a namespace of its own; in the API a service account, bound by RBAC",
    )

    def __init__(self, request: LabRequest, *, inner: Lab, control: Control) -> None:
        self.topology = request.topology
        self.inner = inner
        self.features = (*inner.features, "kubernetes")
        self.substitutes: Mapping[str, str] = inner.substitutes
        self.refused_startup_lines: tuple[RefusedLine, ...] = ()
        self.readiness = Readiness()
        self.deploy_s = 0.0
        self._control = control
        self._drivers: Mapping[str, Any] = {CLUSTER_PLATFORM: KubernetesDriver(), "linux": PodDriver(has_console=False)}
        self.nodes = {name: self._node(name, dialect, request) for name, dialect in request.dialects.items()}
        self.prober = ExecProber(control)
        self._log_in()

    @property
    def deployers(self) -> Mapping[str, str]:
        """The cluster."""
        return {"kubernetes": self._control.version}

    @property
    def images(self) -> Mapping[str, str]:
        """Of pods."""
        return {"linux": self._control.cluster.place.image}

    def _node(self, name: str, dialect: str, request: LabRequest) -> Workstation | PodNode:
        role = request.topology.node(name).role
        if dialect == CLUSTER_PLATFORM:
            return Workstation(
                name,
                dialect,
                role,
                node=self.inner.nodes[WORKSTATION],
                control=self._control,
                offered={CLUSTER.name: self._control},
            )
        return PodNode(name, dialect, role, control=self._control)

    def _log_in(self) -> None:
        """Let the workstation reach the API, and give it the two accounts of agents."""
        node, cluster = self.inner.nodes[WORKSTATION], self._control.cluster
        listener = node.capability(SOCKETS).tcp_socket()
        listener.bind((_ADDRESS, _PORT))
        listener.listen(_BACKLOG)
        self._relay = Relay(listener, cluster.place.server)
        self._control.run(self._relay.start())
        for path, account in ((CHANGING, accounts.CHANGER), (READING, accounts.READER)):
            token = self._control.run(cluster.token(account))
            text = kubeconfig(_near(cluster.place.server, cluster.place.ca), user=account, token=token)
            node.capability(FILES).write_file(path, text)

    def driver(self, node: str) -> Any:
        return self._drivers[self.nodes[node].platform]

    def capability(self, kind: Capability[T]) -> T:
        return kind.of({PROBES.name: self.prober, CLUSTER.name: self._control}, owner="this cluster")

    def destroy(self) -> None:
        """Remove all that the lab has made on the cluster, and return once it is gone. Idempotent.

        Raises:
            LabError: Something is left; it is removed once its lease has expired.
        """
        try:
            self._control.close()
        finally:
            self.inner.destroy()

    def await_cleanup(self) -> None:
        self.inner.await_cleanup()


def _near(server: str, ca_data: str) -> dict[str, Any]:
    """The API server as it is reached through the relay."""
    split = urlsplit(server)
    near = urlunsplit(("https", f"{_ADDRESS}:{_PORT}", split.path, "", ""))
    known = {"certificate-authority-data": ca_data} if ca_data else {}
    return {"server": near, "tls-server-name": split.hostname, **known}
