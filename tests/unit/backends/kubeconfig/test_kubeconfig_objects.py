"""Objects of a task as a cluster that exists gets them, and who has its namespaces."""

from __future__ import annotations

import copy
from datetime import UTC, datetime, timedelta

import pytest

from pytest_netbench.backends.kubeconfig import leases, translation
from pytest_netbench.backends.kubeconfig.accounts import roles
from pytest_netbench.backends.kubeconfig.leases import Held
from pytest_netbench.generators.series import read_series
from pytest_netbench.kubernetes.objects import Object, parse
from pytest_netbench.lab.owners import Owner

NOW = datetime(2026, 11, 29, tzinfo=UTC)


@pytest.fixture(scope="module")
def objects() -> list[Object]:
    task = read_series("repair-kubernetes:n=1,seed=1,applications=boutique,level=1,labels=RI").source(0).load()
    return parse(task.network.startup_configs["workstation"])


def test_services_get_addresses_of_the_cluster_and_policies_stay_as_they_are(objects: list[Object]) -> None:
    before = copy.deepcopy(objects)
    found = translation.for_cluster(objects, image="python:3.12")
    assert objects == before
    assert not [one for one in found if one["kind"] == "Service" and "clusterIP" in one["spec"]]
    kept = ("NetworkPolicy", "Namespace")
    assert [one for one in found if one["kind"] in kept] == [one for one in objects if one["kind"] in kept]


def test_pods_run_the_program_of_a_config_map_without_privileges(objects: list[Object]) -> None:
    found = translation.for_cluster(objects, image="python:3.12")
    pods = [one["spec"]["template"]["spec"] for one in found if one["kind"] == "Deployment"]
    containers = [one for pod in pods for one in pod["containers"]]
    assert len(containers) == 12
    for one in containers:
        assert one["image"] == "python:3.12"
        assert one["command"][-1].startswith(one["volumeMounts"][0]["mountPath"])
        assert one["securityContext"]["readOnlyRootFilesystem"]
        assert "grpc" not in one.get("readinessProbe", {})


def test_agents_are_bound_in_namespaces_of_the_application_alone() -> None:
    found = roles("1a2b", ["boutique"])
    wide = [one for one in found if one["kind"] == "ClusterRoleBinding"]
    assert [one["roleRef"]["name"] for one in wide] == ["netbench-1a2b"]
    rules = [rule for one in found if one["metadata"]["name"] == "netbench-1a2b" for rule in one.get("rules", ())]
    assert {verb for rule in rules for verb in rule["verbs"]} == {"get", "list", "watch"}
    assert {one["metadata"]["namespace"] for one in found if one["kind"] == "RoleBinding"} == {"boutique"}
    assert all(leases.LAB in one["metadata"]["labels"] for one in found if one["kind"].startswith("Cluster"))


@pytest.mark.parametrize(
    ("owner", "age_s", "expired"),
    [
        ("here", 10_000, False),
        ("ended", 0, True),
        ("elsewhere", leases.LEASE_S - 1, False),
        ("elsewhere", leases.LEASE_S + 1, True),
        (None, leases.LEASE_S - 1, False),
        (None, leases.LEASE_S + 1, True),
    ],
)
def test_a_lease_ends_with_its_owner_or_if_that_is_not_seen_with_time(
    owner: str | None, age_s: float, expired: bool
) -> None:
    here = Owner.here()
    owners = {
        "here": here,
        "ended": Owner(**{**vars(here), "started": "1"}),
        "elsewhere": Owner(**{**vars(here), "machine": "another"}),
    }
    held = Held("shop", "lab", None if owner is None else owners[owner], NOW - timedelta(seconds=age_s), False)
    assert held.is_expired(NOW) is expired


def test_a_lease_without_a_readable_time_is_never_taken_for_expired() -> None:
    assert not Held("shop", "lab", None, None, False).is_expired(NOW)
