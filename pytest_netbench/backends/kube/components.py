"""Command lines of the components of a control plane; paths are those in its namespaces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

ADVERTISED: Final = "172.18.0.2"
SECURE_PORT: Final = 6443
# a host and a port in form, because the API server looks for one; in fact the name of a socket in a directory of theirs
ETCD_SOCKET: Final = "etcd:2379"
_PEER_SOCKET: Final = "etcd:2380"
ETCD_BYTES: Final = 128 << 20
SERVICES: Final = "10.96.0.0/16"

CONTROLLERS: Final = (
    "clusterrole-aggregation-controller",
    "cronjob-controller",
    "daemonset-controller",
    "deployment-controller",
    "disruption-controller",
    "endpoints-controller",
    "endpointslice-controller",
    "garbage-collector-controller",
    "job-controller",
    "namespace-controller",
    "node-lifecycle-controller",
    "replicaset-controller",
    "resourcequota-controller",
    "root-ca-certificate-publisher-controller",
    "serviceaccount-controller",
    "statefulset-controller",
    "taint-eviction-controller",
)
"""Those that run; others need a cloud, volumes or features that no lab has."""


@dataclass(frozen=True)
class Component:
    """One program of a control plane.

    Attributes:
        arguments: Its arguments.
        env: Its environment.
    """

    arguments: tuple[str, ...]
    env: Mapping[str, str]


def etcd() -> Component:
    """Etcd: one member, in memory, on Unix sockets, which requests that the API server passes on do not reach."""
    return Component(
        (
            "--name=etcd",
            "--data-dir=etcd",
            f"--listen-client-urls=unix://{ETCD_SOCKET}",
            f"--advertise-client-urls=unix://{ETCD_SOCKET}",
            f"--listen-peer-urls=unix://{_PEER_SOCKET}",
            f"--initial-advertise-peer-urls=unix://{_PEER_SOCKET}",
            f"--initial-cluster=etcd=unix://{_PEER_SOCKET}",
            "--unsafe-no-fsync",
            "--snapshot-count=5000",
            "--max-wals=1",
            "--max-snapshots=1",
            f"--quota-backend-bytes={ETCD_BYTES}",
            "--max-txn-ops=2000",
            "--max-request-bytes=8388608",
            "--log-level=warn",
            "--logger=zap",
        ),
        {"GOGC": "100"},
    )


def apiserver(files: Mapping[str, str]) -> Component:
    """The API server. ``files``: paths of ``ca``, ``certificate``, ``key``, ``accounts`` and ``tokens``."""
    return Component(
        (
            f"--advertise-address={ADVERTISED}",
            "--bind-address=127.0.0.1",
            f"--secure-port={SECURE_PORT}",
            f"--etcd-servers=unix://{ETCD_SOCKET}",
            f"--service-cluster-ip-range={SERVICES}",
            f"--tls-cert-file={files['certificate']}",
            f"--tls-private-key-file={files['key']}",
            f"--client-ca-file={files['ca']}",
            f"--token-auth-file={files['tokens']}",
            "--authorization-mode=RBAC",
            "--service-account-issuer=https://kubernetes.default.svc.cluster.local",
            f"--service-account-key-file={files['accounts']}",
            f"--service-account-signing-key-file={files['accounts']}",
            "--disable-admission-plugins=ServiceAccount",
            "--profiling=false",
            "--event-ttl=10m",
        ),
        # little collection while it starts, and a bound that it keeps with hundreds of objects
        {"GOGC": "400", "GOMEMLIMIT": "340MiB"},
    )


def controller_manager(files: Mapping[str, str]) -> Component:
    """The controllers of ``CONTROLLERS``. ``files``: paths of ``kubeconfig``, ``ca`` and ``accounts``."""
    return Component(
        (
            f"--kubeconfig={files['kubeconfig']}",
            f"--root-ca-file={files['ca']}",
            f"--controllers={','.join(CONTROLLERS)}",
            "--leader-elect=false",
            "--secure-port=0",
            "--profiling=false",
            "--kube-api-qps=1000",
            "--kube-api-burst=1000",
            "--node-monitor-period=100ms",
            "--node-monitor-grace-period=20s",
        ),
        {"GOGC": "100"},
    )


def scheduler(files: Mapping[str, str]) -> Component:
    """The scheduler. ``files``: the path of ``kubeconfig``."""
    return Component(
        (
            f"--kubeconfig={files['kubeconfig']}",
            "--leader-elect=false",
            "--secure-port=0",
            "--profiling=false",
            "--kube-api-qps=1000",
            "--kube-api-burst=1000",
        ),
        {"GOGC": "100"},
    )
