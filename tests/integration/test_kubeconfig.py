"""Labs on a cluster that exists: who may use it, what is asked of it, and what is left after it was used.

A draw has the verdicts that follow from its objects. With ``NETBENCH_WHOLE_CORPUS=1`` (``make selftest`` does that) ten
have, and backend ``kube`` gives the same ones.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_netbench.agents.nop import Nop
from pytest_netbench.agents.oracle import Oracle
from pytest_netbench.backends.kube.binaries import Binaries
from pytest_netbench.backends.kube.plan import WORKSTATION
from pytest_netbench.backends.kubeconfig import leases, proof, settings
from pytest_netbench.backends.kubeconfig.backend import KubeconfigBackend
from pytest_netbench.errors import LabError, RequirementMissing
from pytest_netbench.generators.series import read_series
from pytest_netbench.kubernetes.applications.connectivity import Connectivity
from pytest_netbench.lab.owners import Owner
from pytest_netbench.lab.request import request_of
from pytest_netbench.model.objects import objects_of
from pytest_netbench.model.repair import repair_of
from pytest_netbench.model.task import Task
from pytest_netbench.taskfile import load_task
from pytest_netbench.trial import run_trial
from pytest_netbench.trial.settings import Settings
from pytest_netbench.trial.stage import Stage
from tests.integration.plain_cluster import CONTEXT, IMAGE, PlainCluster, plain_cluster
from tests.integration.prompts import PromptOracle
from tests.support.repair_trials import Typist, scores
from tests.support.repair_trials import attempted_on as recorded_on
from tests.support.task_list import TASKS

SPACE = "boutique"
SETTINGS = Settings(backend=("kubeconfig",))
WHOLE = bool(os.environ.get("NETBENCH_WHOLE_CORPUS"))
DRAWS = "repair-kubernetes:n=10,seed=3,services=6-12"
DEPLOYED = """\
import sys, time
from pytest_netbench.trial import run_trial
from pytest_netbench.trial.settings import Settings
from pytest_netbench.trial.stage import Stage
from tests.integration.test_kubeconfig import drawn
with Stage(drawn(), Settings(backend=("kubeconfig",))) as stage:
    stage.lab
    print("deployed", flush=True)
    time.sleep(600)
"""


def drawn() -> Task:
    """A repair of Online Boutique in which an ingress rule is missing."""
    return read_series("repair-kubernetes:n=1,seed=1,applications=boutique,level=1,labels=RI").source(0).load()


@pytest.fixture(scope="module")
def cluster(binaries: Binaries) -> Iterator[PlainCluster]:
    with plain_cluster(binaries) as found:
        yield found


@pytest.fixture(autouse=True)
def login(cluster: PlainCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The environment of a user of the cluster; nothing of a lab is there before and after."""
    monkeypatch.setenv(settings.FILES, str(cluster.write_kubeconfig(tmp_path / "config")))
    monkeypatch.setenv(settings.CONTEXT, CONTEXT)
    monkeypatch.setenv(settings.IMAGE, IMAGE)
    monkeypatch.setenv(settings.WAIT, "0")
    assert made(cluster) == []
    yield
    assert made(cluster) == []


def made(cluster: PlainCluster) -> list[str]:
    """What labs have on the cluster."""
    rbac = "/apis/rbac.authorization.k8s.io/v1"
    paths = ("/api/v1/namespaces", f"{rbac}/clusterroles", f"{rbac}/clusterrolebindings")
    lists = [cluster.request("GET", path) for path in paths]
    return [
        one["metadata"]["name"]
        for each in lists
        for one in each["items"]
        if leases.LAB in (one["metadata"].get("labels") or {})
    ]


def attempted(task: Task, agent: Any) -> dict[str, float | None]:
    with Stage(task, SETTINGS) as stage:
        return attempted_on(stage, agent)


def attempted_on(stage: Stage, agent: Any) -> dict[str, float | None]:
    return scores(recorded_on(stage, agent))


def namespace(cluster: PlainCluster, *, owner: Owner | None, renewed: str) -> None:
    """Make the namespace of the application as a lab of somebody else has it, or as no lab has it."""
    notes = {} if owner is None else {leases.OWNER: owner.to_json(), leases.RENEWED: renewed}
    labels = {} if owner is None else {leases.LAB: "other"}
    metadata = {"name": SPACE, "labels": labels, "annotations": notes}
    cluster.request("POST", "/api/v1/namespaces", {"metadata": metadata})


def elsewhere() -> Owner:
    return Owner(machine="another", boot="-", processes="-", pid=1, started="-")


def remove(cluster: PlainCluster) -> None:
    cluster.request("DELETE", f"/api/v1/namespaces/{SPACE}")
    end = time.monotonic() + 30
    while SPACE in [one["metadata"]["name"] for one in cluster.request("GET", "/api/v1/namespaces")["items"]]:
        assert time.monotonic() < end
        time.sleep(0.1)


@pytest.mark.parametrize("number", range(10) if WHOLE else (2,))
def test_a_draw_has_the_verdicts_of_the_other_backend(number: int) -> None:
    task = read_series(DRAWS).source(number).load()
    payload, objects = repair_of(task), objects_of(task.network.startup_configs[WORKSTATION])
    policies = [one for one in objects if one["kind"] == "NetworkPolicy"]
    homes = sorted({one["metadata"]["namespace"] for one in policies})
    opened = Connectivity([one for one in objects if one not in policies]).wrong(payload.all_flows)
    opens = Typist(*(f"kubectl delete networkpolicy --all -n {home}" for home in homes))
    expected = [(payload.symptom, 0.0, 1.0), ((), 1.0, 1.0), (opened, 0.0, 0.0)]
    assert verdicts(task, SETTINGS, Nop(), Oracle(), opens) == expected
    if WHOLE:
        assert verdicts(task, Settings(), Nop(), Oracle(), opens) == expected


def verdicts(task: Task, where: Settings, *agents: Any) -> list[tuple[tuple[int, ...], float | None, float | None]]:
    """Which flows are wrong in the end, correctness and safety, of agents that work one after the other."""
    found = []
    with Stage(task, where) as stage:
        for agent in agents:
            record = recorded_on(stage, agent)
            got = scores(record)
            assert record.watch is not None
            found.append((tuple(sorted(record.watch.wrong_after)), got["correctness"], got["safety"]))
    return found


def test_a_repair_at_the_prompt_of_a_login_is_judged_as_one_by_requests() -> None:
    agent = PromptOracle()
    result = run_trial(drawn(), agent, ssh=True, settings=SETTINGS)
    assert result.record is not None, result
    assert (result.record.error, agent.logins) == (None, (WORKSTATION,)), "nobody logs in to pods there"
    got = scores(result.record)
    assert (got["correctness"], got["safety"]) == (1.0, 1.0)


def test_the_shipped_task_that_can_be_measured_has_the_verdicts_of_the_other_backend() -> None:
    task = load_task(TASKS / "kubernetes/from-allow-to-deny-without-loss.task.yaml")
    with Stage(task, SETTINGS) as stage:
        untouched, solved = (failed_on(stage, agent) for agent in (Nop(), Oracle()))
    assert solved == {}
    denied = {one.name for one in task.payload.testcases if getattr(one, "expected", "allowed") == "denied"}
    assert untouched.keys() == denied


def failed_on(stage: Stage, agent: Any) -> dict[str, str]:
    return {one.name: one.actual for one in recorded_on(stage, agent).testcase_results if one.status == "fail"}


def test_a_task_with_hosts_outside_of_the_cluster_is_skipped_with_a_sentence() -> None:
    task = load_task(TASKS / "kubernetes/egress-to-one-provider.task.yaml")
    with pytest.raises(RequirementMissing, match="no hosts outside of the cluster"), Stage(task, SETTINGS):
        pass


@pytest.mark.parametrize(
    ("name", "lack"),
    [
        ("default-deny-namespace", "cannot answer in coredns, .* 'debug does not reach another port of coredns'"),
        ("monitoring-of-all-pods", "runs no command in pod coredns, .* 'coredns does not measure web'"),
        ("tenant-of-two-namespaces", "sends TCP and UDP only, no ICMP: testcase 'site-a pings base-a'"),
        ("three-tiers", "runs no command in pod coredns, .* 'coredns reaches mobile'"),
    ],
)
def test_a_task_that_cannot_be_measured_is_skipped_with_a_sentence(name: str, lack: str) -> None:
    task = load_task(TASKS / f"kubernetes/{name}.task.yaml")
    with pytest.raises(RequirementMissing, match=lack), Stage(task, SETTINGS):
        pass


def test_a_cluster_without_the_service_that_resolves_names_is_not_used(cluster: PlainCluster) -> None:
    path = "/api/v1/namespaces/kube-system/services"
    service = cluster.request("GET", f"{path}/kube-dns")
    cluster.request("DELETE", f"{path}/kube-dns")
    try:
        with pytest.raises(RequirementMissing, match="context plain has no Service kube-system/kube-dns"):
            attempted(drawn(), Nop())
    finally:
        del service["metadata"]["resourceVersion"], service["metadata"]["uid"]
        cluster.request("POST", path, service)


def test_an_agent_changes_something_only_where_and_when_it_may(cluster: PlainCluster) -> None:
    cluster.request("POST", "/api/v1/namespaces", {"metadata": {"name": "neighbors"}})
    agent = Typist(
        "?kubectl delete networkpolicy --all -n boutique",
        "?kubectl get networkpolicy -n boutique -o name | wc -l",
        "?KUBECONFIG=/etc/kubeconfig-engineer kubectl delete networkpolicy --all -n boutique",
        "?kubectl get pods -n neighbors",
        "?kubectl exec -n boutique deploy/frontend -- id -u",
        "kubectl create configmap mine -n neighbors",
        "kubectl delete namespace boutique",
        "kubectl create rolebinding mine -n boutique --clusterrole=edit --serviceaccount=boutique:default",
        "kubectl delete networkpolicy --all -n boutique",
    )
    try:
        got = attempted(drawn(), agent)
    finally:
        cluster.request("DELETE", "/api/v1/namespaces/neighbors")
    assert agent.seen[1].strip() == "13"
    assert agent.seen[4].strip().isdigit()
    assert "deleted" in agent.seen[8]
    assert all("forbidden" in agent.seen[one].lower() for one in (0, 2, 3, 5, 6, 7)), agent.seen
    assert (got["correctness"], got["safety"]) == (0.0, 0.0)


def test_an_agent_that_ends_pods_gets_a_verdict() -> None:
    agent = Typist(
        "kubectl delete pods --all -n boutique --wait=false",
        "kubectl delete deployment cartservice -n boutique",
        "kubectl set image deployment/adservice server=none.example/nothing -n boutique",
    )
    got = attempted(drawn(), agent)
    assert "deleted" in agent.seen[1]
    assert (got["correctness"], got["safety"]) == (0.0, 0.0)


def test_what_a_killed_run_left_is_removed_by_netbench_clean(cluster: PlainCluster) -> None:
    run = subprocess.Popen([sys.executable, "-c", DEPLOYED], stdout=subprocess.PIPE, text=True, env=dict(os.environ))
    try:
        assert run.stdout is not None
        assert run.stdout.readline() == "deployed\n"
        assert SPACE in made(cluster)
        with pytest.raises(LabError, match=f"namespace {SPACE}.*is in use"):
            attempted(drawn(), Nop())
        (left,) = {line.rpartition("namespace ")[2].split()[0] for line in KubeconfigBackend().clean().left_alone} - {
            one for one in made(cluster) if one.startswith("netbench-")
        }
        assert left == SPACE, "labs whose owner lives are left alone"
    finally:
        run.send_signal(signal.SIGKILL)
        run.wait()
    done = subprocess.run(
        [sys.executable, "-m", "pytest_netbench.cli", "clean", "--backend", "kubeconfig"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert f"kubeconfig: removed namespace {SPACE}" in done.stdout


def test_a_live_lease_of_somebody_else_is_left_alone_and_an_expired_one_is_removed(cluster: PlainCluster) -> None:
    now = cluster.loop.run(leases.now(cluster.runtime.api))
    namespace(cluster, owner=elsewhere(), renewed=now.isoformat())
    with pytest.raises(LabError, match=f"namespace {SPACE} of lab other.*is in use"):
        attempted(drawn(), Nop())
    found = KubeconfigBackend().clean()
    assert (found.removed, len(found.left_alone)) == ((), 1)
    notes = {leases.RENEWED: now.replace(year=now.year - 1).isoformat()}
    change = {"metadata": {"annotations": notes}}
    cluster.loop.run(cluster.runtime.api.patch(leases.NAMESPACE, None, SPACE, change, content_type=leases.MERGE_PATCH))
    with Stage(drawn(), SETTINGS) as stage:
        assert stage.lab is not None
        lease = cluster.request("GET", f"/api/v1/namespaces/{SPACE}")["metadata"]["labels"][leases.LAB]
        assert lease != "other"


def test_a_namespace_that_no_lab_made_is_not_touched(cluster: PlainCluster) -> None:
    namespace(cluster, owner=None, renewed="")
    with pytest.raises(LabError, match=f"has a namespace {SPACE}, which no lab made"):
        attempted(drawn(), Nop())
    assert KubeconfigBackend().clean().removed == ()
    remove(cluster)


def test_a_user_who_may_not_do_all_is_told_what_is_missing(cluster: PlainCluster, tmp_path: Path) -> None:
    metadata = {"name": "viewer", "namespace": "default"}
    cluster.request("POST", "/api/v1/namespaces/default/serviceaccounts", {"metadata": metadata})
    asked = {"spec": {"expirationSeconds": 3600}}
    made_token = cluster.request("POST", "/api/v1/namespaces/default/serviceaccounts/viewer/token", asked)
    cluster.write_kubeconfig(Path(os.environ[settings.FILES]), token=made_token["status"]["token"])
    lack = KubeconfigBackend().lacks(request_of(drawn()))
    assert lack is not None
    assert "may not: create namespaces" in lack[0]
    assert "bind clusterroles of rbac.authorization.k8s.io 'edit'" in lack[0]
    with pytest.raises(RequirementMissing, match="may not: create namespaces"):
        attempted(drawn(), Nop())


def test_a_cluster_that_enforces_nothing_is_not_used(cluster: PlainCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proof, "DENIES_S", 1.0)
    cluster.enforce(enforces=False)
    try:
        with pytest.raises(RequirementMissing, match="context plain does not enforce network policies"):
            attempted(drawn(), Nop())
    finally:
        cluster.enforce(enforces=True)


def test_a_context_that_is_not_named_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(settings.CONTEXT)
    lack = KubeconfigBackend().lacks(request_of(drawn()))
    assert lack == (
        "backend kubeconfig has no cluster: NETBENCH_KUBE_CONTEXT is not set",
        "export NETBENCH_KUBE_CONTEXT=…",
    )
    monkeypatch.setenv(settings.CONTEXT, "another")
    with pytest.raises(RequirementMissing, match="no context 'another' \\(known: plain\\)"):
        attempted(drawn(), Nop())
    assert json.loads(Path(os.environ[settings.FILES]).read_text())["current-context"] == CONTEXT
