"""The dialect of clusters: leaf rules of policies whatever these are called, values of objects, and mutations."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml

from pytest_netbench import parts
from pytest_netbench.dialects.kubernetes import KubernetesDialect
from pytest_netbench.dialects.kubernetes.syntax import SYNTAX
from pytest_netbench.dialects.mutations import Mutable
from pytest_netbench.families.configure.mutation import mutants
from pytest_netbench.model.configure import Configure
from pytest_netbench.scorers.command import CommandScorer
from tests.support.records import configs_record

NAMESPACE = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop", "labels": {"team": "retail"}}}
WEB_FROM_EDGE = {
    "from": [
        {
            "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "edge"}},
            "podSelector": {"matchLabels": {"app": "gateway"}},
        }
    ],
    "ports": [{"port": 8080}],
}


def policy(name: str, **spec: Any) -> dict[str, Any]:
    metadata = {"name": name, "namespace": "shop"}
    return {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": metadata, "spec": spec}


def text(*objects: dict[str, Any]) -> str:
    return "".join(f"---\n{yaml.safe_dump(one)}" for one in objects)


def leaves(**spec: Any) -> list[str]:
    return [" / ".join(path) for path in SYNTAX.paths(text(policy("any", **spec))) if len(path) > 1]


def chosen(*values: str) -> dict[str, Any]:
    return {"matchExpressions": [{"key": "app", "operator": "In", "values": list(values)}]}


def test_a_rule_with_several_peers_and_ports_is_a_leaf_for_each_pair() -> None:
    found = leaves(
        podSelector={"matchLabels": {"app": "store"}},
        policyTypes=["Ingress"],
        ingress=[{"from": [{"podSelector": chosen("api", "worker")}], "ports": [{"port": 6379}, {"port": "metrics"}]}],
    )
    assert found == [
        "pods of shop with app=store / allow ingress from pods of shop with app=api at TCP/6379",
        "pods of shop with app=store / allow ingress from pods of shop with app=api at TCP/metrics",
        "pods of shop with app=store / allow ingress from pods of shop with app=worker at TCP/6379",
        "pods of shop with app=store / allow ingress from pods of shop with app=worker at TCP/metrics",
        "pods of shop with app=store / isolate ingress",
    ]


@pytest.mark.parametrize(
    ("peer", "words"),
    [
        ({"podSelector": {}}, "pods of shop"),
        ({"namespaceSelector": {}}, "pods of every namespace"),
        ({"namespaceSelector": {"matchLabels": {"team": "ops"}}}, "pods of namespaces with team=ops"),
        ({"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "ops"}}}, "pods of ops"),
        ({"ipBlock": {"cidr": "203.0.113.0/24"}}, "203.0.113.0/24"),
        (
            {"ipBlock": {"cidr": "203.0.113.0/24", "except": ["203.0.113.9/32", "203.0.113.7/32"]}},
            "203.0.113.0/24 except 203.0.113.7/32, 203.0.113.9/32",
        ),
        ({"podSelector": {"matchExpressions": [{"key": "app", "operator": "Exists"}]}}, "pods of shop with app"),
        ({"podSelector": {"matchExpressions": [{"key": "app", "operator": "DoesNotExist"}]}}, "pods of shop with !app"),
        (
            {"podSelector": {"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["b", "a"]}]}},
            "pods of shop with app!=a, app!=b",
        ),
    ],
)
def test_each_kind_of_peer_has_its_words(peer: dict[str, Any], words: str) -> None:
    found = leaves(podSelector={}, policyTypes=["Egress"], egress=[{"to": [peer]}])
    assert found == [f"pods of shop / allow egress to {words} at every port", "pods of shop / isolate egress"]


def test_a_rule_without_peers_is_for_anyone_and_a_range_of_ports_is_one() -> None:
    ports = [{"protocol": "UDP", "port": 1, "endPort": 99}, {"protocol": "SCTP"}]
    found = leaves(podSelector={}, policyTypes=["Ingress"], ingress=[{"ports": ports}])
    assert found[:2] == [
        "pods of shop / allow ingress from anyone at SCTP",
        "pods of shop / allow ingress from anyone at UDP/1-99",
    ]


def test_types_that_a_policy_does_not_name_are_those_that_the_api_takes() -> None:
    assert leaves(podSelector={}) == ["pods of shop / isolate ingress"]
    both = leaves(podSelector={}, egress=[{}])
    assert [one.rpartition(" / ")[2] for one in both if "isolate" in one] == ["isolate egress", "isolate ingress"]


def test_labels_and_other_values_of_objects_are_lines_without_the_names_of_policies() -> None:
    deployment = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "shop", "labels": {"app": "web"}},
        "spec": {
            "replicas": 1,
            "template": {
                "metadata": {"labels": {"tier": "front"}},
                "spec": {"containers": [{"name": "server", "image": "one", "env": [{"name": "A", "value": "1"}]}]},
            },
        },
    }
    assert SYNTAX.render(SYNTAX.parse(text(NAMESPACE, deployment, policy("secret-name", podSelector={})))) == (
        "Deployment shop/web\n"
        " label app=web\n"
        " pod label tier=front\n"
        " spec.replicas: 1\n"
        " spec.template.spec.containers[server].env[A].value: 1\n"
        " spec.template.spec.containers[server].image: one\n"
        "Namespace shop\n"
        " label team=retail\n"
        "pods of shop\n"
        " isolate ingress\n"
    )


def test_what_is_rendered_is_read_again_and_what_is_cut_does_no_harm() -> None:
    whole = text(NAMESPACE, policy("web", podSelector={}, ingress=[WEB_FROM_EDGE]))
    tree = SYNTAX.parse(whole)
    assert SYNTAX.parse(SYNTAX.render(tree)) == tree
    assert SYNTAX.parse("") == ()
    for end in range(0, len(whole), 7):
        SYNTAX.parse(whole[:end])
    SYNTAX.parse("kind: NetworkPolicy\nmetadata: null\n")


def score(final: str, *, truth: str) -> float | None:
    dialects = {"small": parts.load("dialects", "kubernetes")()}
    return (
        CommandScorer(dialects=dialects).score(configs_record(initial=text(NAMESPACE), final=final, truth=truth)).value
    )


ONE = text(
    NAMESPACE,
    policy(
        "everything",
        podSelector={"matchLabels": {"app": "web"}},
        policyTypes=["Ingress", "Egress"],
        ingress=[WEB_FROM_EDGE, {"from": [{"podSelector": chosen("a", "b")}]}],
    ),
)


def test_the_same_rules_in_other_policies_under_other_names_score_one() -> None:
    selected = {"podSelector": {"matchExpressions": [{"key": "app", "operator": "In", "values": ["web"]}]}}
    several = text(
        policy("z", **selected, policyTypes=["Egress"]),
        policy("y", **selected, ingress=[{"from": [{"podSelector": {"matchLabels": {"app": "b"}}}]}]),
        policy("x", **selected, ingress=[WEB_FROM_EDGE]),
        policy("w", **selected, ingress=[{"from": [{"podSelector": {"matchLabels": {"app": "a"}}}]}]),
        NAMESPACE,
    )
    assert score(several, truth=ONE) == 1.0


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("8080", "8081"),
        ("gateway", "other"),
        ("- Egress", "- Ingress"),
        ("- b", "- c"),
        ("metadata.name: edge", "team: edge"),
    ],
)
def test_another_port_peer_type_or_label_scores_less(before: str, after: str) -> None:
    changed = re.sub(rf"(?m)^( *.*){re.escape(before)}", rf"\g<1>{after}", ONE, count=1)
    assert changed != ONE
    value = score(changed, truth=ONE)
    assert value is not None
    assert 0.5 < value < 1.0


def test_what_was_there_and_is_removed_counts() -> None:
    value = score(text(policy("extra", podSelector={}), {**NAMESPACE, "metadata": {"name": "shop"}}), truth=ONE)
    assert value is not None
    assert value < 0.2


TRUTH = """\
kubectl apply -f - <<'EOF'
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: web, namespace: shop}
spec:
  podSelector: {matchLabels: {app: web}}
  policyTypes: [Ingress, Egress]
  ingress:
    - from:
        - namespaceSelector: {matchLabels: {team: ops}}
          podSelector: {matchLabels: {app: gateway}}
        - podSelector: {matchLabels: {app: api}}
        - ipBlock: {cidr: 203.0.113.0/24}
      ports: [{protocol: TCP, port: 8080}, {protocol: UDP, port: 53}]
EOF"""


def test_mutants_lose_a_leaf_or_change_its_port_label_peer_or_type() -> None:
    assert isinstance(KubernetesDialect(), Mutable)
    payload = Configure.model_validate(
        {
            "intents": [{"text": "x"}],
            "topology": {"nodes": [{"name": "workstation", "platform": "kubernetes"}], "links": []},
            "ground_truth_configs": {"workstation": [TRUTH]},
        }
    )
    found = [(one.operator, one.lines[0]) for one in mutants(payload)]
    operators = {name for name, _ in found}
    assert operators >= {"policy type", "rule lost", "port lost", "any port", "any namespace", "either", "label"}
    assert operators >= {"keyword", "number", "mask"}
    right = SYNTAX.parse(manifest(TRUTH))
    for name, line in found:
        assert SYNTAX.parse(manifest(line)) != right, f"{name} changes nothing"
        assert yaml.safe_load(manifest(line))["kind"] == "NetworkPolicy", f"{name} is no object"


def manifest(command: str) -> str:
    return command.partition("\n")[2].rpartition("EOF")[0]
