"""The names of services, and the pods that resolve them. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from pytest_netbench.backends.kube.plan import DNS_ADDRESS
from pytest_netbench.lab.kubernetes.client import Object

DOMAIN: Final = "cluster.local"
SYSTEM: Final = "kube-system"
RESOLVER: Final = "coredns"
ZONE: Final = "/etc/zone"


def zone(services: Iterable[Object]) -> str:
    """The file that resolving pods answer from: a name and an address a line."""
    return "".join(f"{name} {address}\n" for name, address in sorted(_records(services)))


def _records(services: Iterable[Object]) -> Iterator[tuple[str, str]]:
    for one in services:
        address = one["spec"].get("clusterIP", "None")
        if address not in ("", "None"):
            yield f"{one['metadata']['name']}.{one['metadata']['namespace']}.svc.{DOMAIN}", address


def resolver() -> list[Object]:
    """The objects of the pods that resolve names."""
    labels = {"k8s-app": "kube-dns"}
    container = {
        "name": RESOLVER,
        "image": "netbench/dns:1",
        "env": [{"name": "NETBENCH_SERVE", "value": "dns:53"}],
        "ports": [
            {"name": "dns", "containerPort": 53, "protocol": "UDP"},
            {"name": "dns-tcp", "containerPort": 53, "protocol": "TCP"},
        ],
        "readinessProbe": {"tcpSocket": {"port": 53}, "periodSeconds": 5},
    }
    metadata = {"namespace": SYSTEM, "labels": labels}
    return [
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": RESOLVER, **metadata},
            "spec": {
                "replicas": 1,
                "selector": {"matchLabels": labels},
                "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
            },
        },
        {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {"name": "kube-dns", **metadata},
            "spec": {
                "clusterIP": DNS_ADDRESS,
                "selector": labels,
                "ports": [
                    {"name": "dns", "port": 53, "protocol": "UDP", "targetPort": 53},
                    {"name": "dns-tcp", "port": 53, "protocol": "TCP", "targetPort": 53},
                ],
            },
        },
    ]
