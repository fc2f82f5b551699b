"""What policies decide on paper, feature by feature."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_netbench.kubernetes.applications.connectivity import Connectivity
from pytest_netbench.model.watch import WatchedFlow


def deployment(name: str, namespace: str, *, port: int = 8080, **labels: str) -> dict[str, Any]:
    ports = [{"name": "http", "containerPort": port, "protocol": "TCP"}]
    template = {"metadata": {"labels": {"app": name, **labels}}, "spec": {"containers": [{"ports": ports}]}}
    return {
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"template": template},
    }


def policy(namespace: str, subject: dict[str, Any], *types: str, **rules: Any) -> dict[str, Any]:
    spec = {"podSelector": subject, "policyTypes": list(types), **rules}
    return {"kind": "NetworkPolicy", "metadata": {"name": "p", "namespace": namespace}, "spec": spec}


def namespace(name: str, **labels: str) -> dict[str, Any]:
    return {"kind": "Namespace", "metadata": {"name": name, "labels": labels}}


CLUSTER = [
    namespace("one"),
    namespace("two", team="red"),
    deployment("a", "one", tier="web"),
    deployment("b", "one", tier="data"),
    deployment("c", "two", tier="web"),
    {
        "kind": "Service",
        "metadata": {"name": "b", "namespace": "one"},
        "spec": {
            "clusterIP": "10.96.5.5",
            "selector": {"app": "b"},
            "ports": [{"port": 80, "targetPort": 8080, "protocol": "TCP"}],
        },
    },
]


def passes(*policies: dict[str, Any], source: str = "a", target: str = "b", **flow: Any) -> bool:
    given = {"address": "pod", "protocol": "tcp", "port": 8080, **flow}
    return Connectivity([*CLUSTER, *policies]).delivers(WatchedFlow(source=source, target=target, **given))


def letting(*peers: dict[str, Any], ports: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    rule: dict[str, Any] = {"from": list(peers)} if peers else {}
    if ports is not None:
        rule["ports"] = ports
    return policy("one", {"matchLabels": {"app": "b"}}, "Ingress", ingress=[rule])


def test_without_a_policy_all_passes_and_an_address_of_a_service_is_that_of_its_pods() -> None:
    assert passes()
    assert passes(address="10.96.5.5", port=80)
    assert not passes(address="10.96.5.5", port=81)
    assert not passes(address="10.96.5.6", port=80)
    assert not passes(target="c", source="a", address="10.96.5.5", port=80)


def test_a_selected_pod_is_isolated_in_the_directions_that_the_policy_has() -> None:
    denied = policy("one", {}, "Ingress")
    assert not passes(denied)
    assert not passes(denied, source="c")
    assert passes(denied, source="b", target="c"), "of another namespace, and egress is not meant"
    assert not passes(policy("one", {}, "Egress"), source="b", target="c")


def test_policies_add_what_they_let_through() -> None:
    assert passes(policy("one", {}, "Ingress"), letting({"podSelector": {}}))


@pytest.mark.parametrize(
    ("selector", "selects"),
    [
        ({"matchLabels": {"tier": "web"}}, True),
        ({"matchLabels": {"tier": "web", "app": "x"}}, False),
        ({"matchExpressions": [{"key": "tier", "operator": "In", "values": ["web", "x"]}]}, True),
        ({"matchExpressions": [{"key": "tier", "operator": "NotIn", "values": ["web"]}]}, False),
        ({"matchExpressions": [{"key": "no", "operator": "NotIn", "values": ["web"]}]}, True),
        ({"matchExpressions": [{"key": "tier", "operator": "Exists"}]}, True),
        ({"matchExpressions": [{"key": "tier", "operator": "DoesNotExist"}]}, False),
        ({}, True),
    ],
)
def test_peers_are_selected_by_their_labels(selector: dict[str, Any], selects: bool) -> None:
    assert passes(letting({"podSelector": selector})) is selects


def test_peers_are_of_the_namespace_of_the_policy_unless_it_says_another_one() -> None:
    assert not passes(letting({"podSelector": {}}), source="c")
    assert passes(letting({"namespaceSelector": {}}), source="c")
    assert passes(letting({"namespaceSelector": {"matchLabels": {"team": "red"}}}), source="c")
    assert passes(letting({"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "two"}}}), source="c")
    both = {"namespaceSelector": {"matchLabels": {"team": "red"}}, "podSelector": {"matchLabels": {"tier": "data"}}}
    assert not passes(letting(both), source="c")
    assert not passes(letting({"namespaceSelector": {"matchLabels": {"team": "red"}}}), source="a")


@pytest.mark.parametrize(
    ("port", "lets"),
    [
        ({"port": 8080, "protocol": "TCP"}, True),
        ({"port": 8080}, True),
        ({"port": 8081, "protocol": "TCP"}, False),
        ({"port": 8080, "protocol": "UDP"}, False),
        ({"protocol": "TCP"}, True),
        ({"port": "http", "protocol": "TCP"}, True),
        ({"port": "grpc", "protocol": "TCP"}, False),
        ({"port": "http", "protocol": "UDP"}, False),
        ({"port": 8000, "endPort": 8090, "protocol": "TCP"}, True),
        ({"port": 8000, "endPort": 8079, "protocol": "TCP"}, False),
    ],
)
def test_ports_are_those_of_the_pod_also_behind_a_service(port: dict[str, Any], lets: bool) -> None:
    assert passes(letting({"podSelector": {}}, ports=[port])) is lets
    assert passes(letting({"podSelector": {}}, ports=[port]), address="10.96.5.5", port=80) is lets


def test_names_are_resolved_unless_egress_denies_it() -> None:
    dns = {"target": "coredns", "address": "10.96.0.10", "protocol": "udp", "port": 53}
    assert passes(**dns)
    assert not passes(policy("one", {}, "Egress"), **dns)
    rule = {"to": [{"namespaceSelector": {}, "podSelector": {"matchLabels": {"k8s-app": "kube-dns"}}}]}
    assert passes(policy("one", {}, "Egress", egress=[rule]), **dns)
