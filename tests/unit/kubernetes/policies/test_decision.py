"""What network policies say of a packet: selectors, peers, ports, isolation, and why."""

from __future__ import annotations

from ipaddress import IPv4Address
from typing import Any

import pytest

from pytest_netbench.kubernetes.policies import Pod, World, allows, ruleset
from pytest_netbench.kubernetes.policies.selectors import Selector
from tests.support.policy_sets import cluster

OUTSIDE = IPv4Address("192.0.2.1")


def policy(spec: dict[str, Any], *, namespace: str = "x", name: str = "p") -> dict[str, Any]:
    return {"kind": "NetworkPolicy", "metadata": {"name": name, "namespace": namespace}, "spec": spec}


def world(*policies: dict[str, Any]) -> World:
    return World.of([*cluster(), *policies])


def pod(found: World, place: str) -> Pod:
    namespace, name = place.split("/")
    return next(one for one in found.pods if (one.namespace, one.name) == (namespace, name))


def allowed(found: World, source: str, target: str, protocol: str = "TCP", port: int = 80) -> bool:
    return allows(found, pod(found, source), pod(found, target), protocol, port).allowed


@pytest.mark.parametrize(
    ("expression", "labels", "selects"),
    [
        ({"operator": "In", "values": ["a", "b"]}, {"k": "b"}, True),
        ({"operator": "In", "values": ["a"]}, {}, False),
        ({"operator": "NotIn", "values": ["a"]}, {"k": "a"}, False),
        ({"operator": "NotIn", "values": ["a"]}, {"k": "b"}, True),
        ({"operator": "NotIn", "values": ["a"]}, {}, True),
        ({"operator": "Exists"}, {"k": ""}, True),
        ({"operator": "Exists"}, {}, False),
        ({"operator": "DoesNotExist"}, {}, True),
        ({"operator": "DoesNotExist"}, {"k": "a"}, False),
    ],
)
def test_an_expression_selects(expression, labels, selects):
    assert Selector.of({"matchExpressions": [{"key": "k", **expression}]}).selects(labels) is selects


def test_labels_and_expressions_must_all_hold_and_none_select_everything():
    both = Selector.of({"matchLabels": {"a": "1"}, "matchExpressions": [{"key": "b", "operator": "Exists"}]})
    assert [both.selects(one) for one in ({"a": "1", "b": ""}, {"a": "1"}, {"b": ""})] == [True, False, False]
    assert Selector.of({}).selects({})


def test_without_policies_everything_passes_and_one_isolates_only_what_it_selects_in_its_direction():
    assert allowed(world(), "y/a", "x/a")
    found = world(policy({"podSelector": {"matchLabels": {"pod": "a"}}, "policyTypes": ["Ingress"]}))
    assert not allowed(found, "y/a", "x/a")
    assert allowed(found, "x/a", "y/a")
    assert allowed(found, "y/a", "x/b")
    assert allowed(found, "y/a", "y/b")


def test_rules_add_up_over_all_policies_of_a_pod():
    deny = policy({"podSelector": {}, "policyTypes": ["Ingress"]}, name="deny")
    admit = policy(
        {"podSelector": {}, "ingress": [{"from": [{"podSelector": {"matchLabels": {"pod": "b"}}}]}]}, name="admit"
    )
    found = world(deny, admit)
    assert allowed(found, "x/b", "x/a")
    assert not allowed(found, "x/c", "x/a")
    verdict = allows(found, pod(found, "x/b"), pod(found, "x/a"), "TCP", 80)
    assert (verdict.ingress.isolating, verdict.ingress.admitting) == (("admit", "deny"), ("admit", 0))


def test_both_ends_must_let_a_packet_pass():
    leaving = policy({"podSelector": {}, "policyTypes": ["Egress"], "egress": []}, namespace="y")
    coming = policy({"podSelector": {}, "policyTypes": ["Ingress"], "ingress": [{}]})
    assert not allowed(world(leaving, coming), "y/a", "x/a")
    assert allowed(world(coming), "y/a", "x/a")


def test_a_peer_without_a_selector_of_namespaces_is_in_the_policys_own():
    own = world(policy({"podSelector": {}, "ingress": [{"from": [{"podSelector": {}}]}]}))
    every = world(policy({"podSelector": {}, "ingress": [{"from": [{"namespaceSelector": {}}]}]}))
    assert [allowed(found, "y/a", "x/a") for found in (own, every)] == [False, True]
    assert allowed(own, "x/b", "x/a")


def test_two_selectors_in_a_peer_must_both_hold_and_two_peers_need_not():
    selectors = ({"namespaceSelector": {"matchLabels": {"ns": "y"}}}, {"podSelector": {"matchLabels": {"pod": "b"}}})
    joint = world(policy({"podSelector": {}, "ingress": [{"from": [{**selectors[0], **selectors[1]}]}]}))
    apart = world(policy({"podSelector": {}, "ingress": [{"from": [*selectors]}]}))
    sources = ("y/b", "y/a", "x/b", "z/b")
    assert [allowed(joint, one, "x/a") for one in sources] == [True, False, False, False]
    assert [allowed(apart, one, "x/a") for one in sources] == [True, True, True, False]


def test_ports_have_a_protocol_a_range_and_names_that_each_pod_gives_itself():
    def found(*ports: dict[str, Any]) -> World:
        return world(policy({"podSelector": {}, "ingress": [{"ports": [*ports]}]}))

    assert allowed(found({"port": 80}), "y/a", "x/a")
    assert not allowed(found({"port": 80}), "y/a", "x/a", "UDP")
    assert allowed(found({"port": 79, "endPort": 81}), "y/a", "x/a", "TCP", 81)
    assert not allowed(found({"port": 79, "endPort": 81}), "y/a", "x/a", "TCP", 82)
    assert allowed(found({"protocol": "SCTP"}), "y/a", "x/a", "SCTP", 1)
    named = found({"port": "web"})
    assert [allowed(named, "y/a", "x/c", "TCP", port) for port in (80, 82)] == [False, True]
    assert allowed(named, "y/a", "x/a")


def test_egress_to_a_named_port_means_that_of_each_target():
    found = world(policy({"podSelector": {}, "policyTypes": ["Egress"], "egress": [{"ports": [{"port": "web"}]}]}))
    assert [allowed(found, "x/a", "y/c", "TCP", port) for port in (80, 82)] == [False, True]
    assert not allows(found, pod(found, "x/a"), OUTSIDE, "TCP", 80).allowed


def test_blocks_have_exceptions_and_admit_addresses_of_pods_too():
    block = {"cidr": "10.244.0.0/16", "except": ["10.244.1.0/24"]}
    found = world(policy({"podSelector": {}, "ingress": [{"from": [{"ipBlock": block}]}]}))
    by_machine = {one.machine: f"{one.namespace}/{one.name}" for one in found.pods if one.namespace != "x"}
    assert [allowed(found, by_machine[one], "x/a") for one in ("worker-1", "worker-2")] == [False, True]
    assert not allows(found, OUTSIDE, pod(found, "x/a"), "TCP", 80).allowed


def test_a_pod_reaches_itself_and_what_is_no_pod_is_not_isolated():
    closed = world(policy({"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}))
    assert allowed(closed, "x/a", "x/a")
    assert allows(closed, OUTSIDE, OUTSIDE, "TCP", 80).allowed


@pytest.mark.parametrize(
    ("spec", "directions"),
    [
        ({"podSelector": {}}, {"ingress"}),
        ({"podSelector": {}, "egress": [{}]}, {"ingress", "egress"}),
        ({"podSelector": {}, "policyTypes": ["Egress"], "ingress": [{}]}, {"egress"}),
    ],
)
def test_types_that_are_not_written_follow_from_the_rules(spec, directions):
    (found,) = world(policy(spec)).policies
    assert set(found.rules) == directions


def test_pods_that_have_ended_have_no_address_or_use_the_machines_network_are_left_out():
    objects = cluster()
    pods = [one for one in objects if one["kind"] == "Pod"]
    pods[0]["status"]["phase"] = "Succeeded"
    pods[1]["status"] = {}
    pods[2]["spec"]["hostNetwork"] = True
    assert len(World.of(objects).pods) == len(pods) - 3


def test_equal_worlds_give_equal_rules_whatever_the_order_of_their_objects():
    specs = ({"podSelector": {}}, {"podSelector": {"matchLabels": {"pod": "a"}}, "ingress": [{}]})
    objects = [*cluster(), *(policy(spec, name=f"p{number}") for number, spec in enumerate(specs))]
    assert ruleset(World.of(objects), "worker-1") == ruleset(World.of(reversed(objects)), "worker-1")
