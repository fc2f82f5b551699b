"""The API objects that deploy an application."""

from __future__ import annotations

from typing import Final

from pytest_netbench.kubernetes.applications.graph import LABEL, Application, Workload
from pytest_netbench.kubernetes.applications.policies import Object, policies
from pytest_netbench.randomness import seeded

IMAGE: Final = "netbench/service:1"
HEALTH: Final = "/healthz"
"""The page of an HTTP server that says whether it is well."""


def manifests(application: Application) -> list[Object]:
    """Return all objects: the namespaces first, then the others, each in an order that the application's seed draws."""
    source = seeded(f"objects/{application.seed}")
    namespaces = [_namespace(name) for name in application.namespaces]
    others = [
        *(_deployment(application, one) for one in application.workloads),
        *(_service(one) for one in application.workloads if one.has_service),
        *policies(application),
    ]
    source.shuffle(namespaces)
    source.shuffle(others)
    return [*namespaces, *others]


def _namespace(name: str) -> Object:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def _deployment(application: Application, workload: Workload) -> Object:
    style = application.style
    labels = {LABEL: workload.name, style.key: workload.name}
    if style.tiers:
        labels["tier"] = workload.tier
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": workload.name, "namespace": workload.namespace, "labels": {LABEL: workload.name}},
        "spec": {
            "replicas": workload.replicas,
            "selector": {"matchLabels": {LABEL: workload.name}},
            "template": {
                "metadata": {"labels": labels},
                "spec": {"containers": [_container(application, workload)]},
            },
        },
    }


def _container(application: Application, workload: Workload) -> Object:
    container: Object = {"name": "server", "image": IMAGE, "env": _environment(application, workload)}
    if workload.port is not None:
        container["ports"] = [{"name": workload.serves, "containerPort": workload.port, "protocol": "TCP"}]
        container["readinessProbe"] = _probe(workload)
    return container


def _environment(application: Application, workload: Workload) -> list[Object]:
    """What the server of a pod reads: what it serves, and whom it calls."""
    called = [application.by_name[name] for name in workload.calls]
    calls = ",".join(f"{one.host}:{one.service_port}/{one.serves}" for one in called)
    serves = "" if workload.port is None else f"{workload.serves}:{workload.port}"
    given = {"NETBENCH_SERVE": serves, "NETBENCH_CALLS": calls}
    return [{"name": name, "value": value} for name, value in given.items() if value]


def _probe(workload: Workload) -> Object:
    port = {"port": workload.port}
    if workload.serves == "http":
        return {"httpGet": {"path": HEALTH, **port}, "periodSeconds": 5}
    return {("grpc" if workload.serves == "grpc" else "tcpSocket"): port, "periodSeconds": 5}


def _service(workload: Workload) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {
            "name": workload.name,
            "namespace": workload.namespace,
            "labels": {LABEL: workload.name},
        },
        "spec": {
            "type": "ClusterIP",
            "clusterIP": workload.address,
            "selector": {LABEL: workload.name},
            "ports": [
                {
                    "name": workload.serves,
                    "port": workload.service_port,
                    "targetPort": workload.port,
                    "protocol": "TCP",
                }
            ],
        },
    }
