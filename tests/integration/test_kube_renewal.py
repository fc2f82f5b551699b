"""Objects of a cluster made anew: nothing is left of those before, and nothing tells which one was changed."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from pytest_netbench.lab.probing import Probe
from pytest_netbench.platforms.capabilities import CLUSTER
from tests.integration.clusters import SPACE, WORKLOADS, Kubectl, wait_until

POLICY: dict[str, Any] = {
    "apiVersion": "networking.k8s.io/v1",
    "kind": "NetworkPolicy",
    "metadata": {"name": "store", "namespace": SPACE},
    "spec": {"podSelector": {"matchLabels": {"app": "store"}}, "policyTypes": ["Ingress"], "ingress": [{}]},
}
OWNED = {"ReplicaSet": "Deployment", "Pod": "ReplicaSet"}


def found(kubectl: Kubectl, kinds: str = "deployments,replicasets,pods,networkpolicies") -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = json.loads(kubectl("get", kinds, "-o", "json", "--show-managed-fields"))["items"]
    return items


def test_all_that_is_there_afterwards_belongs_to_what_was_made_last(shop: Any, kubectl: Kubectl) -> None:
    cluster = shop.capability(CLUSTER)
    seen: set[str] = set()
    for _ in range(10):
        cluster.renew()
        objects = found(kubectl, "deployments,replicasets,pods")
        uids = {
            kind: {one["metadata"]["uid"] for one in objects if one["kind"] == kind} for kind in (*OWNED, "Deployment")
        }
        assert {kind: len(some) for kind, some in uids.items()} == dict.fromkeys(uids, len(WORKLOADS))
        for one in objects:
            if one["kind"] in OWNED:
                assert one["metadata"]["ownerReferences"][0]["uid"] in uids[OWNED[one["kind"]]]
        assert not seen & set.union(*uids.values())
        seen |= set.union(*uids.values())
        assert not any(one["status"].get("collisionCount") for one in objects)


def test_events_are_those_of_the_last_pods(shop: Any, kubectl: Kubectl) -> None:
    shop.capability(CLUSTER).renew()
    pods = {one["metadata"]["name"] for one in found(kubectl, "pods")}

    def named() -> set[str]:
        return {
            one["involvedObject"]["name"] for one in found(kubectl, "events") if one["involvedObject"]["kind"] == "Pod"
        }

    wait_until(lambda: named() == pods)


def test_a_changed_object_looks_like_all_others(shop: Any, kubectl: Kubectl) -> None:
    cluster = shop.capability(CLUSTER)
    cluster.create(POLICY)
    other = {**POLICY["spec"], "podSelector": {"matchLabels": {"app": "front"}}}
    cluster.create({**POLICY, "metadata": {"name": "front", "namespace": SPACE}, "spec": other})
    cluster.replace({**POLICY, "spec": {**POLICY["spec"], "ingress": []}})
    objects = [one for one in found(kubectl) if one["kind"] in ("Deployment", "NetworkPolicy")]
    assert len(objects) == len(WORKLOADS) + 2
    assert {one["metadata"]["generation"] for one in objects} == {1}
    born = [datetime.fromisoformat(one["metadata"]["creationTimestamp"]) for one in objects]
    assert (max(born) - min(born)).total_seconds() <= 1
    changed = next(one for one in objects if one["kind"] == "NetworkPolicy" and one["metadata"]["name"] == "store")
    assert "ingress" not in changed["spec"]


def test_policies_are_made_anew_alone_if_only_they_can_be_wrong(shop: Any, kubectl: Kubectl) -> None:
    cluster = shop.capability(CLUSTER)
    before = {one["metadata"]["uid"]: one for one in found(kubectl)}
    cluster.renews(["NetworkPolicy"])
    try:
        for allowed in (True, False):
            cluster.replace({**POLICY, "spec": {**POLICY["spec"], "ingress": [{}] if allowed else []}})
            probe = Probe(source="front", target="pod", protocol="tcp", port=9002, listen_on="store", listen_port=9002)
            assert shop.prober.probe([probe])[0].delivered is allowed
        objects = found(kubectl)
        new = [one for one in objects if one["metadata"]["uid"] not in before]
        assert [one["kind"] for one in new] == ["NetworkPolicy"] * 2
        assert len(objects) == len(before)
        born = [datetime.fromisoformat(one["metadata"]["creationTimestamp"]) for one in new]
        assert (max(born) - min(born)).total_seconds() <= 1
        assert len({(one["metadata"]["generation"], writers(one)) for one in new}) == 1
    finally:
        cluster.renews(["Deployment", "NetworkPolicy"])


def writers(one: dict[str, Any]) -> str:
    """Who wrote an object, and how."""
    return str([(each["manager"], each["operation"]) for each in one["metadata"]["managedFields"]])


def test_a_policy_is_in_force_once_its_change_is_answered(shop: Any, kubectl: Kubectl) -> None:
    closed = {**POLICY, "metadata": {**POLICY["metadata"], "name": "closed"}, "spec": {**POLICY["spec"], "ingress": []}}
    manifest = json.dumps(closed).encode()
    probe = Probe(
        source="front", target="pod", protocol="tcp", port=9002, listen_on="store", listen_port=9002, timeout_s=1.0
    )
    kubectl("delete", "networkpolicy", "--all")
    for _ in range(5):
        for verb, passes in (("create", False), ("delete", True)):
            kubectl(verb, "-f", "-", input=manifest)
            (result,) = shop.prober.probe([probe])
            assert result.delivered is passes, (verb, result)
