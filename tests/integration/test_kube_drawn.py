"""Drawn repairs on a cluster: the oracle repairs each, and who leaves, opens or closes everything repairs none.

One of them runs here, and 200 with ``NETBENCH_WHOLE_CORPUS=1`` (``make selftest`` does that). All agents work on one
cluster. Before the next one begins its policies are put back as they were broken, which packets show.

By itself, a tenth of the draws, less those that passed at this commit: ``NETBENCH_WHOLE_CORPUS=1 NETBENCH_PART=1/10
NETBENCH_STAGE="drawn clusters" pytest -p tests.support.part_of_tests tests/integration/test_kube_drawn.py``.
"""

from __future__ import annotations

import os
from typing import Any, cast

import pytest

from pytest_netbench.agents.nop import Nop
from pytest_netbench.agents.oracle import Oracle
from pytest_netbench.backends.kube.lab import ClusterLab
from pytest_netbench.faults.reasoning import known
from pytest_netbench.generators.series import read_series
from pytest_netbench.kubernetes.applications.connectivity import Connectivity
from pytest_netbench.kubernetes.applications.writing import as_yaml
from pytest_netbench.lab.kubernetes.client import NETWORK_POLICY
from pytest_netbench.model.objects import Object, objects_of
from pytest_netbench.model.repair import repair_of
from pytest_netbench.model.task import Task
from pytest_netbench.trial.stage import Stage
from tests.support.repair_trials import Typist, attempted_on, scores

WHOLE = bool(os.environ.get("NETBENCH_WHOLE_CORPUS"))
SERIES = "repair-kubernetes:n=200,seed=1"
CLOSED = {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}
SPECS = {"delete": None, "close": CLOSED, "open": {**CLOSED, "ingress": [{}], "egress": [{}]}}
"""What stands in the place of all policies of a namespace."""

pytestmark = pytest.mark.usefixtures("binaries")


@pytest.fixture(params=range(200) if WHOLE else (3,))
def task(request: pytest.FixtureRequest) -> Task:
    return read_series(SERIES).source(request.param).load()


def test_the_oracle_repairs_it_and_nothing_that_is_done_to_all_policies_does(task: Task) -> None:
    with Stage(task) as stage:
        doing_nothing_repairs_nothing(stage)
        for name, spec in SPECS.items():
            it_is_no_repair(stage, name, spec)
            put_back(stage)
        the_oracle_repairs_it_and_breaks_nothing(stage)


def the_oracle_repairs_it_and_breaks_nothing(stage: Stage) -> None:
    got = scores(attempted_on(stage, Oracle()))
    assert (got["correctness"], got["safety"], got["netarena.correctness"], got["netarena.safety"]) == (1.0,) * 4


def doing_nothing_repairs_nothing(stage: Stage) -> None:
    record = attempted_on(stage, Nop())
    assert record.watch is not None
    assert set(record.watch.wrong_after) == set(repair_of(stage.task).symptom or ()), "packets say what paper says"
    assert scores(record)["correctness"] == 0.0


def it_is_no_repair(stage: Stage, name: str, spec: Any) -> None:
    objects, payload = broken(stage.task), repair_of(stage.task)
    agent = Typist(*commands(objects, spec))
    record = attempted_on(stage, agent)
    on_paper = set(Connectivity(instead(objects, spec)).wrong(payload.all_flows))
    assert record.watch is not None
    assert set(record.watch.wrong_after) == on_paper, (name, agent.seen)
    got = scores(record)
    assert got["correctness"] == 0.0, name
    if not on_paper <= set(payload.symptom or ()):
        assert got["safety"] == 0.0, f"{name}: flows that were right are wrong now"


def broken(task: Task) -> list[Object]:
    objects = objects_of(task.network.startup_configs["workstation"])
    for fault, parameters in map(known, repair_of(task).faults):
        objects = fault.edit(parameters).applied(objects)
    return objects


def policies(objects: list[Object]) -> list[Object]:
    return [one for one in objects if one["kind"] == "NetworkPolicy"]


def instead(objects: list[Object], spec: Any) -> list[Object]:
    """One policy in the place of all of each namespace that has any, or none."""
    homes = {one["metadata"]["namespace"] for one in policies(objects)}
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
    homes = sorted({one["metadata"]["namespace"] for one in policies(objects)})
    made = policies(instead(objects, spec))
    lines = [f"kubectl delete networkpolicy --all -n {home}" for home in homes]
    return [*lines, *([f"kubectl apply -f - <<'EOF'\n{as_yaml(made)}\nEOF"] if made else [])]


def put_back(stage: Stage) -> None:
    """Let the cluster have the policies that it had when it was broken, and wait until packets show the faults."""
    lab = cast("ClusterLab", stage.lab)
    control, wanted = lab._control, policies(broken(stage.task))
    homes = sorted({one["metadata"]["namespace"] for one in wanted})
    control.renews([NETWORK_POLICY.name])
    lab._control_plane.remove(*(f"{NETWORK_POLICY.plural}/{home}/" for home in homes))
    control.run(control._runtime.put(NETWORK_POLICY, wanted))
    stage.settle()
