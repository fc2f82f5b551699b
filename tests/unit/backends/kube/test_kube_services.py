"""The service proxy and the names of a cluster, and what is missing until one is ready."""

from __future__ import annotations

from typing import Any

from pytest_netbench.backends.kube import names
from pytest_netbench.backends.kube.machine import containers, services
from pytest_netbench.lab.kubernetes import workloads


def service(
    name: str = "shop", *, address: str = "10.96.1.1", ports: list[dict[str, Any]] | None = None
) -> dict[str, Any]:
    spec = {"clusterIP": address, "selector": {"app": name}, "ports": ports or [{"port": 80}]}
    return {"kind": "Service", "metadata": {"name": name, "namespace": "x"}, "spec": spec}


def slice_of(name: str, *addresses: str, port: int = 8080, ready: bool = True, port_name: str = "") -> dict[str, Any]:
    return {
        "metadata": {"name": f"{name}-1", "namespace": "x", "labels": {"kubernetes.io/service-name": name}},
        "addressType": "IPv4",
        "ports": [{"name": port_name, "port": port, "protocol": "TCP"}],
        "endpoints": [{"addresses": [one], "conditions": {"ready": ready}} for one in addresses],
    }


def rules(*slices: dict[str, Any], local: tuple[str, ...] = ()) -> list[str]:
    text = services.ruleset({("x", "shop"): service()}, slices, local=local, addresses="10.96.0.0/16")
    return [line.strip() for line in text.splitlines()]


def test_a_service_address_becomes_that_of_its_endpoint():
    assert "ip daddr 10.96.1.1 tcp dport 80 dnat to 10.244.1.10:8080" in rules(slice_of("shop", "10.244.1.10"))


def test_several_endpoints_are_chosen_from_by_chance():
    choices = "{ 0 : 10.244.1.10 . 8080, 1 : 10.244.2.10 . 8080 }"
    line = f"ip daddr 10.96.1.1 tcp dport 80 dnat to numgen random mod 2 map {choices}"
    assert line in rules(slice_of("shop", "10.244.2.10", "10.244.1.10"))


def test_a_service_without_a_ready_endpoint_refuses_and_other_addresses_are_lost():
    found = rules(slice_of("shop", "10.244.1.10", ready=False))
    assert "ip daddr 10.96.1.1 tcp dport 80 reject" in found
    assert found[found.index("ip daddr 10.96.1.1 tcp dport 80 reject") + 1] == "ip daddr 10.96.0.0/16 drop"


def test_a_pod_that_calls_itself_by_its_service_is_answered():
    assert "ip saddr 10.244.1.10 ip daddr 10.244.1.10 masquerade" in rules(local=("10.244.1.10",))


def test_names_are_those_of_services_with_an_address():
    text = names.zone([service(), service("none", address="None")])
    assert text == "shop.x.svc.cluster.local 10.96.1.1\n"


def pod(workload: str, *, ready: bool = True, name: str = "", ending: bool = False) -> dict[str, Any]:
    metadata: dict[str, Any] = {
        "name": name or f"{workload}-5d-1",
        "namespace": "x",
        "creationTimestamp": "2026-01-01T00:00:00Z",
        "ownerReferences": [{"kind": "ReplicaSet", "name": f"{workload}-5d"}],
    }
    if ending:
        metadata["deletionTimestamp"] = "2026-01-01T00:00:01Z"
    conditions = [{"type": "Ready", "status": "True" if ready else "False"}]
    return {"metadata": metadata, "spec": {}, "status": {"podIP": "10.244.1.10", "conditions": conditions}}


def test_the_pod_of_a_deployment_is_a_ready_one_and_none_that_ends():
    found = [pod("a", ready=False, name="1"), pod("a", name="2"), pod("a", name="0", ending=True), pod("b", name="3")]
    chosen = workloads.pod_of(found, "a")
    assert chosen is not None
    assert chosen["metadata"]["name"] == "2"
    assert workloads.pod_of(found, "c") is None


def test_what_is_missing_is_said_until_pods_and_endpoints_are_there():
    deployment = {"metadata": {"name": "shop", "namespace": "x"}, "spec": {"replicas": 1}}
    asked = [deployment], [service()]
    before = [*workloads.missing(asked[0], [], asked[1], [])]
    assert before == ["Deployment x/shop: 0 of 1 pods are ready", "Service x/shop has no endpoint"]
    assert not [*workloads.missing(asked[0], [pod("shop")], asked[1], [slice_of("shop", "10.244.1.10")])]


def test_images_are_those_of_this_package_and_known_toolboxes():
    assert containers.is_own("netbench/service:1")
    for image in ("busybox", "docker.io/library/busybox:1.36", "nicolaka/netshoot:latest", "curlimages/curl@sha256:1"):
        assert containers.is_toolbox(image), image
    assert not containers.is_toolbox("evil/busybox")
