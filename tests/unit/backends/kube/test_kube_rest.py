"""When a cluster is at rest: nothing has changed for some seconds of which something follows."""

from __future__ import annotations

import contextlib
from typing import Any, cast

import pytest

from pytest_netbench.backends.kube import rest
from pytest_netbench.backends.kube.gateway.deeds import Deeds
from pytest_netbench.backends.kube.rest import is_at_rest
from pytest_netbench.backends.kube.view import View
from pytest_netbench.lab.kubernetes.client import ENDPOINT_SLICE, NETWORK_POLICY, POD, SERVICE, Api, Kind

POLICIES = "/apis/networking.k8s.io/v1/namespaces/shop/networkpolicies"


def pod(version: str = "2", *, ready: bool = True, ends: bool = False) -> dict[str, Any]:
    conditions = [{"type": "Ready", "status": str(ready)}]
    ending = {"deletionTimestamp": "2026-01-01T00:00:00Z"} if ends else {}
    return {
        "metadata": {"namespace": "shop", "name": "cart", "resourceVersion": version, **ending},
        "status": {"conditions": conditions},
    }


class Cluster:
    """A cluster whose pod is ready, and in which nothing has changed for longer than anything takes to follow."""

    def __init__(self, *, started_ago_s: float = rest.QUIET_S + 1) -> None:
        self.deeds = Deeds()
        self.view = View(cast("Api", None))  # nothing is asked
        self.has(POD, pod())
        self.deeds.ended_at -= started_ago_s
        for store in self.view.stores.values():
            store.changed_at -= started_ago_s

    def has(self, kind: Kind, one: dict[str, Any]) -> None:
        """As after a list of the kind, which has one object."""
        self.view.stores[kind]._replace({("shop", "cart"): one})

    @property
    def is_at_rest(self) -> bool:
        return is_at_rest(self.view, self.deeds)


def test_a_cluster_is_at_rest_once_nothing_has_changed_for_some_seconds():
    assert Cluster().is_at_rest
    assert not Cluster(started_ago_s=rest.QUIET_S - 1).is_at_rest


@pytest.mark.parametrize("kind", [SERVICE, ENDPOINT_SLICE], ids=lambda kind: kind.name)
def test_machines_may_still_act_on_what_has_just_changed(kind):
    cluster = Cluster()
    cluster.has(kind, {"metadata": {"namespace": "shop", "name": "cart", "resourceVersion": "3"}})
    assert not cluster.is_at_rest


def test_a_list_that_says_nothing_new_is_no_change():
    cluster = Cluster()
    cluster.has(POD, pod())
    assert cluster.is_at_rest


def test_of_policies_nothing_follows():
    cluster = Cluster()
    cluster.has(NETWORK_POLICY, {"metadata": {"namespace": "shop", "name": "cart", "resourceVersion": "3"}})
    for path in (POLICIES, f"{POLICIES}/cart"):
        with cluster.deeds.deed(path):
            assert not cluster.is_at_rest, "the machines may not act on it yet"
    assert cluster.is_at_rest


@pytest.mark.parametrize(
    "path",
    [
        "/apis/apps/v1/namespaces/shop/deployments/cart",
        "/api/v1/namespaces/shop/pods/cart/exec",
        "/api/v1/namespaces/shop/services/networkpolicies",
        f"{POLICIES}/cart/status",
    ],
)
def test_of_what_an_agent_does_otherwise_something_may_follow(path):
    cluster = Cluster()
    with contextlib.suppress(TimeoutError), cluster.deeds.deed(path):
        raise TimeoutError
    assert not cluster.is_at_rest


@pytest.mark.parametrize("state", [{"ready": False}, {"ends": True}])
def test_a_pod_that_is_not_ready_may_still_become_so(state):
    cluster = Cluster()
    cluster.has(POD, pod("3", **state))
    cluster.view.stores[POD].changed_at -= rest.QUIET_S + 1
    assert not cluster.is_at_rest
