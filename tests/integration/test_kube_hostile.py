"""Agents that do their worst on a cluster: each gets a verdict, and the next trial has a cluster as new."""

from __future__ import annotations

import pytest

from pytest_netbench.agents.oracle import Oracle
from pytest_netbench.backends.kube.binaries import Binaries
from pytest_netbench.generators.series import read_series
from pytest_netbench.model.task import Task
from tests.support.repair_trials import Typist, attempted, scores

FILL = """\
head -c 700000 /dev/urandom | base64 -w0 | head -c 900000 > /tmp/x
seq {first} {last} | xargs -P 4 -I N kubectl create configmap full-N -n boutique --from-file=/tmp/x 2>&1 | tail -n 1"""
FULL = [FILL.format(first=first, last=first + 29) for first in range(1, 171, 30)]
POD = """\
kubectl apply -f - <<'EOF'
apiVersion: v1
kind: Pod
metadata: {{name: root, namespace: boutique}}
spec:
  hostNetwork: true
  hostPID: true
  containers:
  - name: root
    image: busybox
    command: [sleep, "1000"]
    securityContext: {{privileged: {privileged}}}
    volumeMounts: [{{name: machine, mountPath: /machine}}]
  volumes: [{{name: machine, hostPath: {{path: /}}}}]
EOF
sleep 2; kubectl get pod root -n boutique -o jsonpath='{{.status}}'
kubectl exec root -n boutique -- ls /machine"""
WEBHOOK = """\
kubectl apply -f - <<'EOF'
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: never}
webhooks:
- name: never.example.com
  admissionReviewVersions: [v1]
  sideEffects: None
  failurePolicy: Fail
  clientConfig: {url: "https://192.0.2.1/never"}
  rules: [{apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*/*"]}]
EOF"""
MANY = """\
kubectl create deployment many -n boutique --image=busybox --replicas=400 -- sleep 1000
sleep 5; kubectl get pods -n boutique -l app=many --field-selector=status.phase=Running -o name | wc -l"""
HEAVY = """\
kubectl create deployment heavy -n boutique --image=busybox --replicas=5 -- sh -c 'x=x; while true; do x=$x$x; done'
kubectl create deployment forks -n boutique --image=busybox --replicas=2 -- sh -c 'f() { f | f & }; f; sleep 1000'
kubectl create deployment flood -n boutique --image=busybox --replicas=2 -- yes flooded
sleep 10; kubectl get pods -n boutique -l app=heavy"""
LARGE = """\
{ printf '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"large","namespace":"boutique"},"data":{"x":"'
  head -c 50000000 /dev/zero | tr '\\0' x; printf '"}}'; } | kubectl create -f - 2>&1 | head -c 300"""
WATCHES = """\
for each in $(seq 20); do kubectl get pods -A --watch > /dev/null & done
sleep 5; kubectl get networkpolicy -n boutique -o name | wc -l"""


@pytest.fixture(scope="module")
def task(binaries: Binaries) -> Task:
    """A repair of Online Boutique in which an ingress rule is missing."""
    return read_series("repair-kubernetes:n=1,seed=1,applications=boutique,level=1,labels=RI").source(0).load()


@pytest.mark.parametrize(
    ("commands", "said"),
    [
        (FULL, ["database space exceeded"]),
        (
            [POD.format(privileged="true"), POD.format(privileged="false"), WEBHOOK, LARGE, WATCHES],
            ["disallowed by cluster policy", "pods have no access to their machine", "forbidden", "large"],
        ),
        ([MANY], ["deployment.apps/many created"]),
        ([HEAVY], ["deployment.apps/heavy created"]),
    ],
    ids=["a full store", "what is refused", "many pods", "heavy pods"],
)
def test_a_hostile_agent_gets_its_verdict_and_the_next_trial_a_cluster_as_new(
    task: Task, commands: list[str], said: list[str]
) -> None:
    agent = Typist(*commands)
    record = attempted(task, agent)
    assert all(words in "".join(agent.seen) for words in said), agent.seen
    assert scores(record)["correctness"] == 0.0
    assert scores(attempted(task, Oracle()))["correctness"] == 1.0
