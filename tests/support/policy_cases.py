"""The behaviours that Kubernetes 1.36 checks in its end-to-end tests of network policies.

Left out: what the API server validates and stores (creation by the API, ``endPort`` as a field), which no policy
decides; the loopback of a pod, which those tests do not look at either.
"""

from __future__ import annotations

from typing import Any

from tests.support.policy_sets import cluster

Object = dict[str, Any]
NAME = "kubernetes.io/metadata.name"
EVERY: Object = {}
ONLY_A = {"matchLabels": {"pod": "a"}}
NOT_X = {"matchExpressions": [{"key": "ns", "operator": "NotIn", "values": ["x"]}]}
NOT_Y = {"matchExpressions": [{"key": NAME, "operator": "NotIn", "values": ["y"]}]}
B_OR_C = {"matchExpressions": [{"key": "pod", "operator": "In", "values": ["b", "c"]}]}


def pods(**labels: str) -> Object:
    return {"podSelector": {"matchLabels": labels}}


def spaces(**labels: str) -> Object:
    return {"namespaceSelector": {"matchLabels": labels}}


def ingress(selector: Object, *rules: Object, space: str = "x") -> Object:
    return policy(space, {"podSelector": selector, "policyTypes": ["Ingress"], "ingress": [*rules]})


def egress(selector: Object, *rules: Object, space: str = "x") -> Object:
    return policy(space, {"podSelector": selector, "policyTypes": ["Egress"], "egress": [*rules]})


def policy(space: str, spec: Object) -> Object:
    return {"kind": "NetworkPolicy", "metadata": {"name": "p", "namespace": space}, "spec": spec}


def block(target: str, *, around: bool = False) -> Object:
    """A block of the address of a pod, or one of all pods without it."""
    found = {f"{one['metadata']['namespace']}/{one['metadata']['name']}": one for one in cluster() if "status" in one}
    address = found[target]["status"]["podIP"]
    return {"ipBlock": {"cidr": "10.244.0.0/16", "except": [f"{address}/32"]} if around else {"cidr": f"{address}/32"}}


def port(number: int | str, protocol: str = "TCP") -> Object:
    return {"ports": [{"port": number, "protocol": protocol}]}


FROM_Y = {"from": [spaces(ns="y")]}
DENIED_BUT_Y = (("*", "x/a", False), ("y/*", "x/a", True))
NO_INGRESS_A = (("*", "x/a", False),)
NO_INGRESS_X = (("*", "x/*", False),)
NO_EGRESS_X = (("x/*", "*", False),)
ONLY_Y_A = {"namespaceSelector": {"matchLabels": {"ns": "y"}}, **pods(pod="a")}
FROM_X_A = {"from": [{**spaces(ns="x"), **pods(pod="a")}]}
DENY_ALL = [ingress(EVERY), egress(EVERY)]

CASES: dict[str, tuple[list[Object], tuple[str, int], tuple[tuple[str, str, bool], ...]]] = {
    "deny ingress": ([ingress(EVERY)], ("TCP", 80), NO_INGRESS_X),
    "deny ingress, UDP": ([ingress(EVERY)], ("UDP", 80), NO_INGRESS_X),
    "deny ingress, SCTP": ([ingress(EVERY)], ("SCTP", 80), NO_INGRESS_X),
    "deny all": (DENY_ALL, ("TCP", 80), NO_INGRESS_X + NO_EGRESS_X),
    "deny all, deleted": ([], ("TCP", 80), ()),
    "from a pod of the namespace": (
        [ingress(ONLY_A, {"from": [pods(pod="b")]})],
        ("TCP", 80),
        (*NO_INGRESS_A, ("x/b", "x/a", True)),
    ),
    "to one target beside deny": (
        [ingress(EVERY), ingress(ONLY_A, {"from": [{"podSelector": {}, "namespaceSelector": {}}]})],
        ("TCP", 80),
        (*NO_INGRESS_X, ("*", "x/a", True)),
    ),
    "from all namespaces": ([ingress(ONLY_A, {"from": [{"namespaceSelector": {"matchLabels": {}}}]})], ("TCP", 80), ()),
    "from another namespace": ([ingress(ONLY_A, FROM_Y)], ("TCP", 80), DENIED_BUT_Y),
    "from pods by expressions": (
        [ingress(ONLY_A, {"from": [{"podSelector": B_OR_C}]})],
        ("TCP", 80),
        (*NO_INGRESS_A, ("x/b", "x/a", True), ("x/c", "x/a", True)),
    ),
    "from namespaces by expressions": (
        [ingress(ONLY_A, {"from": [{"namespaceSelector": NOT_X}]})],
        ("TCP", 80),
        (("x/*", "x/a", False),),
    ),
    "from pods or namespaces": (
        [ingress(ONLY_A, {"from": [{"namespaceSelector": NOT_X}, pods(pod="b")]})],
        ("TCP", 80),
        (("x/*", "x/a", False), ("x/b", "x/a", True)),
    ),
    "from pods and namespaces": (
        [ingress(ONLY_A, {"from": [{"namespaceSelector": NOT_X, **pods(pod="b")}]})],
        ("TCP", 80),
        (*NO_INGRESS_A, ("y/b", "x/a", True), ("z/b", "x/a", True)),
    ),
    "from several pods and namespaces": (
        [ingress(ONLY_A, {"from": [{"namespaceSelector": NOT_X, "podSelector": B_OR_C}]})],
        ("TCP", 80),
        (*NO_INGRESS_A, ("[yz]/[bc]", "x/a", True)),
    ),
    "from any of several pods": (
        [ingress(ONLY_A, {"from": [pods(pod="b"), pods(pod="c")]})],
        ("TCP", 80),
        (*NO_INGRESS_A, ("x/[bc]", "x/a", True)),
    ),
    **{
        f"from a pod of another namespace, {protocol}": (
            [ingress(ONLY_A, {"from": [ONLY_Y_A]})],
            (protocol, 80),
            (*NO_INGRESS_A, ("y/a", "x/a", True)),
        )
        for protocol in ("TCP", "UDP", "SCTP")
    },
    **{
        f"on a port, {protocol}": ([ingress(ONLY_A, FROM_Y | port(81, protocol))], (protocol, 81), DENIED_BUT_Y)
        for protocol in ("TCP", "UDP", "SCTP")
    },
    "another port is closed": ([ingress(ONLY_A, FROM_Y | port(81))], ("TCP", 80), NO_INGRESS_A),
    "stacked policies": (
        [ingress(ONLY_A, FROM_Y | port(81)), ingress(ONLY_A, FROM_Y | port(80))],
        ("TCP", 80),
        DENIED_BUT_Y,
    ),
    "allow all": ([ingress(EVERY, {})], ("TCP", 81), ()),
    "ingress to a named port": ([ingress(EVERY, port("admin"))], ("TCP", 81), ()),
    "ingress beside a named port": ([ingress(EVERY, port("admin"))], ("TCP", 80), NO_INGRESS_X),
    "from a namespace to a named port": ([ingress(ONLY_A, FROM_Y | port("web"))], ("TCP", 80), DENIED_BUT_Y),
    "from a namespace beside a named port": ([ingress(ONLY_A, FROM_Y | port("web"))], ("TCP", 81), NO_INGRESS_A),
    "egress to a named port": ([egress(EVERY, port("admin"))], ("TCP", 81), ()),
    "egress beside a named port": ([egress(EVERY, port("admin"))], ("TCP", 80), NO_EGRESS_X),
    "from the own namespace only": (
        [ingress(EVERY, {"from": [{"podSelector": {"matchLabels": {}}}]})],
        ("TCP", 80),
        (("[yz]/*", "x/*", False),),
    ),
    "no egress of a pod": ([egress(ONLY_A)], ("TCP", 80), (("x/a", "*", False),)),
    "no egress of a namespace": ([egress(EVERY)], ("TCP", 80), NO_EGRESS_X),
    "ingress and egress, open port": (
        [ingress(ONLY_A, {"from": [pods(pod="b")]}), egress(ONLY_A, port(80))],
        ("TCP", 80),
        (*NO_INGRESS_A, ("x/b", "x/a", True)),
    ),
    "ingress and egress, closed port": (
        [ingress(ONLY_A, {"from": [pods(pod="b")]}), egress(ONLY_A, port(80))],
        ("TCP", 81),
        (*NO_INGRESS_A, ("x/a", "*", False), ("x/b", "x/a", True)),
    ),
    "egress closed though ingress admits": (
        [
            egress(ONLY_A, {"to": [ONLY_Y_A]}),
            ingress(ONLY_A, FROM_X_A, space="y"),
            ingress({"matchLabels": {"pod": "b"}}, FROM_X_A, space="y"),
        ],
        ("TCP", 80),
        (("x/a", "*", False), ("*", "y/[ab]", False), ("x/a", "y/a", True)),
    ),
    "egress to a pod of another namespace": (
        [egress(ONLY_A, {"to": [ONLY_Y_A]})],
        ("TCP", 80),
        (("x/a", "*", False), ("x/a", "y/a", True)),
    ),
    "any port of a protocol": ([ingress(ONLY_A, {"ports": [{"protocol": "TCP"}]})], ("TCP", 80), ()),
    "any port of another protocol": ([ingress(ONLY_A, {"ports": [{"protocol": "TCP"}]})], ("UDP", 80), NO_INGRESS_A),
    "ingress to a port only": ([ingress(EVERY, port(80))], ("TCP", 81), NO_INGRESS_X),
    "ingress to all beside a port": ([ingress(EVERY, port(80)), ingress(EVERY, {})], ("TCP", 81), ()),
    "egress to a port only": ([egress(EVERY, port(80))], ("TCP", 81), NO_EGRESS_X),
    "egress to all beside a port": ([egress(EVERY, port(80)), egress(EVERY, {})], ("TCP", 81), ()),
    "egress to a block": (
        [egress(ONLY_A, {"to": [block("y/b")]})],
        ("TCP", 80),
        (("x/a", "*", False), ("x/a", "y/b", True)),
    ),
    "egress to a block but a pod": (
        [egress(ONLY_A, {"to": [block("x/b", around=True)]})],
        ("TCP", 80),
        (("x/a", "x/b", False),),
    ),
    "excepted by one policy and admitted by another": (
        [egress(ONLY_A, {"to": [block("x/b", around=True)]}), egress(ONLY_A, {"to": [block("x/b")]})],
        ("TCP", 80),
        (),
    ),
    "egress open and ingress closed": ([egress(ONLY_A, {}), ingress(ONLY_A)], ("TCP", 80), NO_INGRESS_A),
    "SCTP is not TCP": ([ingress(ONLY_A, port(81, "SCTP"))], ("TCP", 81), NO_INGRESS_A),
    "a rule for SCTP isolates": ([ingress(ONLY_A, port(80, "SCTP"))], ("TCP", 81), NO_INGRESS_A),
    "UDP is not TCP": ([ingress(ONLY_A, port(81, "UDP"))], ("TCP", 81), NO_INGRESS_A),
    "namespaces by name": ([ingress(ONLY_A, {"from": [spaces(**{NAME: "y"})]})], ("TCP", 80), DENIED_BUT_Y),
    "egress to namespaces by name": (
        [
            egress(
                ONLY_A,
                {"to": [{"namespaceSelector": NOT_Y}]},
            )
        ],
        ("TCP", 80),
        (("x/a", "y/*", False),),
    ),
}


def objects() -> list[Object]:
    """The cluster, with the label of each namespace's name that an API server writes."""
    found = cluster()
    for one in found:
        if one["kind"] == "Namespace":
            metadata = one["metadata"]
            metadata["labels"] = {**metadata["labels"], NAME: metadata["name"]}
    return found
