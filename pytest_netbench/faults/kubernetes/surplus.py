"""NetworkPolicies too many: one that denies what must work, or that allows what must not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

from pytest_netbench.faults.kubernetes.builders import ClusterValue, Edit, cluster_fault
from pytest_netbench.faults.kubernetes.patches import Object
from pytest_netbench.faults.kubernetes.policies import KIND, OfPolicy, pods_in, policies_in
from pytest_netbench.kubernetes.applications.words import POLICIES


class Surplus(OfPolicy):
    """A policy that must not be there, the label of the pods that it selects, and their namespace."""

    key: str
    value: str
    direction: Literal["Ingress", "Egress"]


def _policy(p: Surplus, rules: list[Object]) -> Object:
    spec: dict[str, Any] = {
        "podSelector": {"matchLabels": {p.key: p.value}},
        "policyTypes": [p.direction],
        **({p.direction.lower(): rules} if rules else {}),
    }
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": KIND,
        "metadata": {"name": p.policy, "namespace": p.namespace},
        "spec": spec,
    }


def _edit(p: Surplus, rules: list[Object], verb: str) -> Edit:
    return Edit(
        kind=KIND,
        namespace=p.namespace,
        name=p.policy,
        surplus=_policy(p, rules),
        detail=f"{p.words} must not be there: it {verb} all {p.direction.lower()} of pods with {p.key}={p.value}.",
    )


def _places(objects: Sequence[Object]) -> Iterator[Surplus]:
    taken = {(one["metadata"]["namespace"], one["metadata"]["name"]) for one in policies_in(objects)}
    used = [key for one in policies_in(objects) for key in one["spec"]["podSelector"].get("matchLabels", {})]
    for number, (namespace, labels) in enumerate(pods_in(objects)):
        key = used[0] if used else next(iter(labels))
        value = labels[key]
        # called as the application calls its own: each workload has two policies at most
        names = [value, *(f"{value}-{one}" for one in POLICIES)]
        held = [one for one in names if (namespace, one) in taken]
        name = value if not held else f"{value}-{POLICIES[number % len(POLICIES)]}"
        if len(held) < 2:
            for direction in ("Ingress", "Egress"):
                yield Surplus(namespace=namespace, policy=name, key=key, value=value, direction=direction)


POLICY_DENYING: ClusterValue[Surplus] = cluster_fault(
    "k8s-policy-denying",
    about="There is a NetworkPolicy too many, which lets nothing through of what else would be let through.",
    label="DENY",
    called={"nika": "k8s_networkpolicy_deny"},
    parameters=Surplus,
    edit=lambda p: _edit(p, [], "denies"),
    at=_places,
)
POLICY_ALLOWING: ClusterValue[Surplus] = cluster_fault(
    "k8s-policy-allowing",
    about="There is a NetworkPolicy too many, which lets through what must not get through.",
    label="ALLOW",
    parameters=Surplus,
    edit=lambda p: _edit(p, [{}], "allows"),
    at=_places,
)
