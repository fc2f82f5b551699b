"""Drawn repairs on a cluster: the oracle repairs each, and who leaves, opens or closes everything repairs none.

One of them runs here, and 200 with ``NETBENCH_WHOLE_CORPUS=1`` (``make selftest`` does that).
"""

from __future__ import annotations

import os
from typing import Any

import pytest

from pytest_netbench.agents.nop import Nop
from pytest_netbench.agents.oracle import Oracle
from pytest_netbench.faults.reasoning import known
from pytest_netbench.generators.series import read_series
from pytest_netbench.kubernetes.applications.connectivity import Connectivity
from pytest_netbench.kubernetes.applications.writing import as_yaml
from pytest_netbench.model.objects import Object, objects_of
from pytest_netbench.model.repair import repair_of
from pytest_netbench.model.task import Task
from tests.support.repair_trials import Typist, attempted, scores

WHOLE = bool(os.environ.get("NETBENCH_WHOLE_CORPUS"))
SERIES = "repair-kubernetes:n=200,seed=1"
CLOSED = {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}
SPECS = {"delete": None, "close": CLOSED, "open": {**CLOSED, "ingress": [{}], "egress": [{}]}}
"""What stands in the place of all policies of a namespace."""

pytestmark = pytest.mark.usefixtures("binaries")


@pytest.fixture(scope="module", params=range(200) if WHOLE else (3,))
def task(request: pytest.FixtureRequest) -> Task:
    return read_series(SERIES).source(request.param).load()


def broken(task: Task) -> list[Object]:
    objects = objects_of(task.network.startup_configs["workstation"])
    for fault, parameters in map(known, repair_of(task).faults):
        objects = fault.edit(parameters).applied(objects)
    return objects


def instead(objects: list[Object], spec: Any) -> list[Object]:
    """One policy in the place of all of each namespace that has any, or none."""
    homes = {one["metadata"]["namespace"] for one in objects if one["kind"] == "NetworkPolicy"}
    return [
        {
            "apiVersion": "networking.k8s.io/v1",
            "kind": "NetworkPolicy",
            "metadata": {"name": "all", "namespace": home},
            "spec": spec,
        }
        for home in sorted(homes)
        if spec is not None
    ] + [one for one in objects if one["kind"] != "NetworkPolicy"]


def commands(objects: list[Object], spec: Any) -> list[str]:
    policies = [one for one in instead(objects, spec) if one["kind"] == "NetworkPolicy"]
    homes = {one["metadata"]["namespace"] for one in objects if one["kind"] == "NetworkPolicy"}
    lines = [f"kubectl delete networkpolicy --all -n {home}" for home in sorted(homes)]
    return [*lines, *(f"kubectl apply -f - <<'EOF'\n{as_yaml([one])}\nEOF" for one in policies)]


def test_the_oracle_repairs_it_and_breaks_nothing(task: Task) -> None:
    got = scores(attempted(task, Oracle()))
    assert (got["correctness"], got["safety"], got["netarena.correctness"], got["netarena.safety"]) == (1.0,) * 4


def test_doing_nothing_repairs_nothing(task: Task) -> None:
    record = attempted(task, Nop())
    assert record.watch is not None
    assert set(record.watch.wrong_after) == set(repair_of(task).symptom or ()), "packets say what paper says"
    assert scores(record)["correctness"] == 0.0


@pytest.mark.parametrize("spec", SPECS.values(), ids=SPECS)
def test_what_is_done_to_all_policies_is_no_repair(task: Task, spec: Any) -> None:
    objects, payload = broken(task), repair_of(task)
    agent = Typist(*commands(objects, spec))
    record = attempted(task, agent)
    on_paper = set(Connectivity(instead(objects, spec)).wrong(payload.all_flows))
    assert record.watch is not None
    assert set(record.watch.wrong_after) == on_paper, agent.seen
    got = scores(record)
    assert got["correctness"] == 0.0
    if not on_paper <= set(payload.symptom or ()):
        assert got["safety"] == 0.0, "flows that were right are wrong now"
