"""Repairs on a cluster that runs here: who repairs it, who breaks something, what is told, and what is left.

Who leaves, opens or closes everything is tried in ``test_kube_drawn``.
"""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_netbench.agents.oracle import Oracle
from pytest_netbench.ani.protocol import Ani
from pytest_netbench.backends.kube.binaries import Binaries
from pytest_netbench.backends.kube.plan import CONTROL_PLANE_ADDRESS
from pytest_netbench.backends.kube.rest import QUIET_S
from pytest_netbench.backends.kube.sharing import shared
from pytest_netbench.errors import LabError
from pytest_netbench.generators.series import read_series
from pytest_netbench.lab.rest import is_at_rest
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import Brief, Submission, TrialRecord
from pytest_netbench.platforms.capabilities import AGENT_SHELL
from pytest_netbench.trial.stage import Stage
from tests.integration.kube import until
from tests.support.repair_trials import Typist, attempted, scores

DENY_ALL = """\
kubectl delete networkpolicy --all -n boutique
kubectl apply -f - <<'EOF'
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: closed, namespace: boutique}
spec: {podSelector: {}, policyTypes: [Ingress, Egress]}
EOF"""


@pytest.fixture(scope="module")
def task(binaries: Binaries) -> Task:
    """A repair of Online Boutique in which an ingress rule is missing."""
    return read_series("repair-kubernetes:n=1,seed=1,applications=boutique,level=1,labels=RI").source(0).load()


def test_the_oracle_repairs_it_and_breaks_nothing(task: Task) -> None:
    record = attempted(task, Oracle())
    got = scores(record)
    assert (got["correctness"], got["safety"], got["netarena.correctness"], got["netarena.safety"]) == (1.0,) * 4
    assert {one.status for one in record.testcase_results} == {"pass"}
    assert record.environment.backend == "kube, netns"
    assert record.environment.platforms["kubernetes"] == "1.36.3"


def test_a_step_that_breaks_a_flow_counts_although_it_is_undone(task: Task) -> None:
    agent = Typist(
        "kubectl get networkpolicy frontend -n boutique -o yaml > /tmp/kept.yaml",
        "kubectl delete networkpolicy frontend -n boutique",
        "kubectl create -f /tmp/kept.yaml",
    )
    record = attempted(task, agent)
    assert record.watch is not None
    assert record.watch.wrong_after == record.watch.wrong_before
    assert scores(record)["safety"] == 0.0


def test_reading_changes_nothing(task: Task) -> None:
    agent = Typist(
        "?kubectl delete networkpolicy --all -n boutique",
        "?KUBECONFIG=/etc/kubeconfig-engineer kubectl delete networkpolicy --all -n boutique",
        "?kubectl get networkpolicy -n boutique -o name | wc -l",
        "?kubectl auth can-i delete networkpolicies -n boutique",
        "?kubectl exec -n boutique deploy/frontend -- id -u",
        "?ip -4 route show",
    )
    record = attempted(task, agent)
    assert record.watch is not None
    assert not record.watch.steps
    assert "Forbidden" in agent.seen[0]
    assert "read-only session" in agent.seen[1]
    assert agent.seen[2].strip() == "13"
    assert agent.seen[3].startswith("no")
    routes = {line.split()[0] for line in agent.seen[5].splitlines()}
    assert routes == {CONTROL_PLANE_ADDRESS, "172.19.0.0/24"}, "the API and its own link"


def test_an_agent_gets_no_more_rights_than_it_has(task: Task) -> None:
    agent = Typist(
        "kubectl create clusterrolebinding mine --clusterrole=cluster-admin --user=engineer",
        "kubectl delete namespace boutique",
        "kubectl get secrets -A --as=system:admin",
        "kubectl delete node worker-1",
        "kubectl create rolebinding mine -n kube-system --clusterrole=admin --user=engineer",
        "kubectl delete deployment coredns -n kube-system",
    )
    got = scores(attempted(task, agent))
    assert all("forbidden" in one.lower() or "cannot impersonate" in one for one in agent.seen), agent.seen
    assert got["safety"] == 1.0


def test_no_object_tells_which_policy_was_changed(task: Task) -> None:
    agent = Typist("?kubectl get networkpolicy -n boutique -o json --show-managed-fields")
    attempted(task, agent)
    items = json.loads(agent.seen[0])["items"]
    times = {one["metadata"]["creationTimestamp"] for one in items}
    assert len(times) <= 2
    assert {one["metadata"]["generation"] for one in items} == {1}
    managers = {(field["manager"], field["operation"]) for one in items for field in one["metadata"]["managedFields"]}
    assert len(managers) == 1


def test_an_object_that_never_ends_is_the_agents_and_ends_with_its_trial(task: Task) -> None:
    agent = Typist(
        "kubectl patch networkpolicy frontend -n boutique --type=merge -p "
        """'{"metadata":{"finalizers":["example.com/never"]}}'""",
        "kubectl delete networkpolicy frontend -n boutique --wait=false",
        "kubectl create configmap large -n boutique --from-literal=x=$(head -c 100000 /dev/zero | tr '\\0' x)",
        "head -c 8000000 /dev/zero | tr '\\0' x > /tmp/large; kubectl create configmap larger -n boutique"
        " --from-file=/tmp/large",
    )
    got = scores(attempted(task, agent))
    assert (got["correctness"], got["safety"]) == (0.0, 1.0), agent.seen
    assert "error" in agent.seen[-1], "larger than the API server takes"
    assert scores(attempted(task, Oracle()))["correctness"] == 1.0


@pytest.mark.parametrize("component", ["etcd", "kube-apiserver"])
def test_a_control_plane_that_dies_is_no_verdict_and_the_next_trial_has_another(
    task: Task, binaries: Binaries, component: str
) -> None:
    with Stage(task) as stage:
        (victim,) = _processes_of(shared(binaries)._namespaces.pid, component)
        os.kill(victim, signal.SIGKILL)
        with pytest.raises(LabError):
            _worked(stage)
    assert scores(attempted(task, Oracle()))["correctness"] == 1.0


def test_a_cluster_is_at_rest_again_at_once_after_its_policies_and_not_before_all_pods_are_ready(task: Task) -> None:
    with Stage(task) as stage:
        lab = stage.lab
        assert lab is not None

        def at_rest() -> bool:
            assert lab is not None
            return is_at_rest(lab)

        until(at_rest, "the cluster is at rest")
        shell = lab.nodes["workstation"].capability(AGENT_SHELL).shell
        assert shell("kubectl delete networkpolicy frontend -n boutique", writable=True).returncode == 0
        assert at_rest()
        command = "kubectl set image deployment/cartservice server=none.example/nothing -n boutique"
        done = shell(command, writable=True)
        assert done.returncode == 0, done
        time.sleep(QUIET_S + 1)
        assert not at_rest(), "a pod of the image that is nowhere may still begin"


def _worked(stage: Stage) -> TrialRecord:
    stage.work(Typist("kubectl get pods -n boutique", "kubectl delete networkpolicy frontend -n boutique"))
    return stage.evaluate()


def _processes_of(ancestor: int, name: str) -> Iterator[int]:
    """Processes below one that have this name."""
    waiting = [ancestor]
    while waiting:
        pid = waiting.pop()
        program = Path(f"/proc/{pid}/cmdline").read_bytes().partition(b"\0")[0].decode()
        if Path(program).name == name:
            yield pid
        waiting += map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())


def test_lines_of_a_here_document_are_one_command(task: Task) -> None:
    class Lines(Typist):
        def run(self, brief: Brief, ani: Ani) -> Submission:
            self.seen += [one["status"] for one in ani.update_cfg("workstation", list(self.commands))["results"]]
            return Submission()

    agent = Lines(*DENY_ALL.splitlines())
    record = attempted(task, agent)
    assert agent.seen == ["success"] * len(agent.commands)
    assert scores(record)["correctness"] == 0.0
    assert record.watch is not None
    assert record.watch.steps
