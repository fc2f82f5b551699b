"""Diagnoses on a cluster that runs here: what an agent sees of a fault, what it does not, and that all is proven.

A fault of each machine's kind and one of an object are proven here once. With ``NETBENCH_WHOLE_CORPUS=1`` (``make
selftest`` does that) every class of faults is, three times each.
"""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from typing import Any

import pytest

from pytest_netbench.agents.nop import Nop
from pytest_netbench.agents.oracle import Oracle
from pytest_netbench.ani.protocol import Ani
from pytest_netbench.errors import AniError, FaultHasNoEffect
from pytest_netbench.families.diagnose.family import DiagnoseFamily
from pytest_netbench.families.diagnose.scene import HISTORY_S, DiagnoseScene
from pytest_netbench.families.proof import Extent
from pytest_netbench.families.troubleshoot.family import TroubleshootFamily
from pytest_netbench.generators.kubernetes.labels import ALL, WORKER_FAULTS
from pytest_netbench.generators.series import read_series
from pytest_netbench.lab.capabilities import WORKERS
from pytest_netbench.model.diagnosis import diagnose_of
from pytest_netbench.model.faulty import fault_of
from pytest_netbench.model.objects import POD, objects_of
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import AgentInfo, Brief, Submission, TrialRecord
from pytest_netbench.scorers.apply import apply_scorers
from pytest_netbench.trial.selftest import selftest
from pytest_netbench.trial.stage import Stage
from tests.support.repair_trials import attempted, attempted_on

pytestmark = pytest.mark.usefixtures("binaries")
IS_WHOLE = bool(os.environ.get("NETBENCH_WHOLE_CORPUS"))
PROVEN = tuple(ALL) if IS_WHOLE else (*WORKER_FAULTS, "LABEL")
RESOLVER = "$(kubectl get pods -n kube-system -l k8s-app=kube-dns -o jsonpath='{.items[0].status.podIP}')"


def drawn(labels: str, *, seed: int = 1, family: str = "diagnose", **parameters: Any) -> Task:
    """One task with these labels, each of which occurs."""
    level = len(labels.split("+"))
    given = {"labels": labels, "level": level, "healthy": 0, "services": "6-7", "applications": "drawn", **parameters}
    words = ",".join(f"{name}={value}" for name, value in given.items())
    return read_series(f"{family}-kubernetes:n=1,seed={seed},{words}").source(0).load()


class Looker:
    """Gives commands to the workstation, and answers that nothing is wrong."""

    info = AgentInfo(id="looker", strategy="looker")

    def __init__(self, *commands: str) -> None:
        self.commands = commands
        self.seen: list[str] = []
        self.answers: dict[str, Any] = {}

    def run(self, brief: Brief, ani: Ani) -> Submission:
        self.seen = [str(ani.execute_cmd("workstation", command)["output"]) for command in self.commands]
        for name, call in {
            "reachable": ("check-reachability", {}),
            "counted": ("query-telemetry", {"sql": "SELECT DISTINCT node FROM interfaces"}),
            "rate": ("measure-rate", {"source": brief_pods(brief)[0], "target": "coredns"}),
            "captured": ("capture-packets", {"node": "coredns", "interface": "eth0"}),
            "machine": ("execute-cmd", {"device": "worker-1", "command": "nft list ruleset"}),
        }.items():
            try:
                self.answers[name] = ani.call(*call)
            except AniError as error:
                self.answers[name] = str(error)
        return Submission(answer={"is_anomaly": False})


def brief_pods(brief: Brief) -> list[str]:
    return [name for name in brief.devices if not name.startswith("worker") and name not in ("workstation", "coredns")]


def scores(record: TrialRecord, scorers: tuple[str, ...] = DiagnoseFamily.scorers) -> dict[str, float | None]:
    return {score.metric: score.value for score in apply_scorers(record, scorers, where="worker")}


@pytest.mark.parametrize("label", PROVEN)
def test_a_fault_is_in_force_is_seen_and_is_gone_once_it_is_taken_away(label: str) -> None:
    report = selftest(drawn(label, seed=3), extent=Extent(repeats=3 if IS_WHOLE else 1))
    assert report.problems == ()


def test_the_oracle_is_right_and_who_says_nothing_is_not() -> None:
    # telemetry ends with a trial: each has a cluster of its own
    silent, got = (scores(attempted(drawn("SVC"), agent)) for agent in (Nop(), Oracle()))
    assert silent["root_cause"] == 0.0
    assert (got["detection"], got["localization"], got["root_cause"], got["nika.root_cause_f1"]) == (1.0,) * 4


def test_what_is_repaired_is_right_again() -> None:
    task = drawn("RI", family="troubleshoot")
    got = scores(attempted(task, Oracle()), TroubleshootFamily.scorers)
    assert (got["root_cause"], got["correctness"], got["safety"]) == (1.0, 1.0, 1.0)


def test_a_machine_that_is_cut_off_is_seen_by_what_it_does_not_do_while_its_pods_serve() -> None:
    task = drawn("CUT", seed=2)
    (cause,) = diagnose_of(task).causes
    worker = cause.resources[0].removeprefix("node/")
    with Stage(task) as stage:
        it_is_seen_by_what_it_does_not_do(stage, worker)
        its_pods_still_serve(stage, worker)


def it_is_seen_by_what_it_does_not_do(stage: Stage, worker: str) -> None:
    items = '{range .items[*]}-n {.metadata.namespace} {.metadata.name}{"\\n"}{end}'
    pod = f"$(kubectl get pods -A --field-selector spec.nodeName={worker} -o jsonpath='{items}' | head -n 1)"
    agent = Looker(
        "kubectl get nodes --no-headers",
        f"kubectl logs {pod} 2>&1",
        f"kubectl exec {pod} -- true 2>&1",
        "kubectl get nodes,pods,events -A -o json | grep -i -e drop -e cut-off | head",
    )
    record = attempted_on(stage, agent)
    states = {line.split()[0]: line.split()[1] for line in agent.seen[0].splitlines()}
    assert {name for name, state in states.items() if state == "NotReady"} == {worker}
    assert "i/o timeout" in agent.seen[1]
    assert "i/o timeout" in agent.seen[2]
    assert agent.seen[3].strip() == "", "an object tells"
    assert "foreign" in agent.answers["machine"]
    assert record.watch is not None
    assert record.watch.wrong_after
    assert scores(record)["detection"] == 0.0


def its_pods_still_serve(stage: Stage, worker: str) -> None:
    lab, scene = stage.lab, stage.scene
    assert lab is not None
    assert isinstance(scene, DiagnoseScene)
    workers, pods = lab.capability(WORKERS), set(lab.capability(WORKERS).pods(worker))
    assert pods
    flows = diagnose_of(stage.task).all_flows
    wrong = scene._look()
    to_pods = [number for number in wrong if flows[number].address == POD and flows[number].allowed]
    assert not to_pods
    assert {flows[number].target for number in wrong if flows[number].allowed} <= pods
    fault = fault_of("k8s-worker-cut-off")
    parameters = fault.parameters(node=worker)
    fault.undo(parameters, lab)
    assert workers.is_ready(worker)
    assert not scene._look()
    with pytest.raises(FaultHasNoEffect, match=f"{worker} is ready"):
        fault.observe(parameters, lab)


def test_pods_are_measured_and_looked_at() -> None:
    agent = Looker("true")
    task = drawn("SVC", healthy=1)
    attempted(task, agent)
    pods = {node.name for node in task.network.topology.nodes if node.role == "pod"}
    assert {row[0] for row in agent.answers["counted"]["rows"]} == pods
    assert agent.answers["reachable"]["tried"] > len(pods)
    assert agent.answers["rate"]["sent_packets"] > 0
    assert agent.answers["captured"]["packets"], "each pod looks names up each second"


def test_calls_of_services_are_in_the_telemetry_and_fail_where_a_fault_is() -> None:
    task = drawn("RI", seed=3)
    agent = Caller()
    attempted(task, agent)
    rows = agent.rows
    assert {(row["client"], row["url"]) for row in rows} == calls_of(task)
    assert {row["status"] for row in rows if row["url"].startswith("http:") and row["error"] is None} <= {200}
    assert len({(row["time_s"], row["client"], row["url"]) for row in rows}) == len(rows), "each call is there once"
    assert all(row["time_s"] >= 0 and 0 < row["total_ms"] < 10_000 for row in rows)
    last = {(row["client"], row["url"]): row["error"] for row in rows}
    flows = [diagnose_of(task).all_flows[number] for number in diagnose_of(task).symptom or ()]
    broken = {(flow.source, flow.target) for flow in flows if flow.address != POD}
    assert {key for key, error in last.items() if error} == {
        key for key in last if (key[0], served_by(key[1])) in broken
    }
    assert any(last.values())
    early = [row for row in rows if row["time_s"] < HISTORY_S - 1]
    assert early
    assert not any(row["error"] for row in early), "calls of the healthy application work"


def calls_of(task: Task) -> set[tuple[str, str]]:
    """Which Deployments call what, as their pods are told."""
    found = set()
    for one in objects_of(task.network.startup_configs["workstation"]):
        for container in one["spec"]["template"]["spec"]["containers"] if one["kind"] == "Deployment" else ():
            variables = {each["name"]: each["value"] for each in container.get("env", ())}
            for call in filter(None, variables.get("NETBENCH_CALLS", "").split(",")):
                place, _, protocol = call.partition("/")
                found.add((one["metadata"]["name"], f"{protocol}://{place}"))
    return found


def served_by(url: str) -> str:
    return url.partition("://")[2].partition(".")[0]


class Caller:
    """Reads the calls of the telemetry some seconds after it could begin: the first ones and the last ones."""

    info = AgentInfo(id="caller", strategy="caller")

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []

    def run(self, brief: Brief, ani: Ani) -> Submission:
        time.sleep(4)
        found = ani.call("query-telemetry", {"sql": "SELECT * FROM requests ORDER BY time_s"})
        assert not found["is_cut"]
        self.rows = [dict(zip(found["columns"], row, strict=True)) for row in found["rows"]]
        return Submission(answer={"is_anomaly": False})


def test_nothing_tells_which_objects_were_changed_or_whether_any_were() -> None:
    managers = "[.metadata.managedFields[] | select(.subresource == null) | [.manager, .operation]]"
    metadata = f"{{time: .metadata.creationTimestamp, generation: .metadata.generation, managers: {managers}}}"
    own = '[.items[] | select(.metadata.namespace != "kube-system") |'
    event = "{space: .metadata.namespace, reason, of: .involvedObject.name}"
    commands = (
        f"kubectl get deployments,networkpolicies -A -o json --show-managed-fields | jq -c '{own} {metadata}]'",
        f"kubectl get events -A -o json | jq -c '[.items[] | {event}]'",
    )
    looks: list[list[Any]] = []
    for label, healthy in (("RI", 0), ("LABEL", 0), ("RI", 1)):
        agent = Looker(*commands)
        attempted(drawn(label, healthy=healthy), agent)
        looks.append([json.loads(text) for text in agent.seen])
    for objects, events in looks:
        assert len({one["time"] for one in objects}) <= 4, "created one after the other"
        assert {one["generation"] for one in objects} == {1}
        assert len({json.dumps(one["managers"]) for one in objects}) == 1
        told = [one for one in events if one["space"] not in ("default", "kube-system")]
        started = {"Pulled", "Created", "Started"}
        assert {one["reason"] for one in told} <= {"Scheduled", "SuccessfulCreate", "ScalingReplicaSet", *started}
        assert max(Counter((one["of"], one["reason"]) for one in told if one["reason"] in started).values()) == 1
        scaled = [one["of"] for one in told if one["reason"] == "ScalingReplicaSet"]
        assert len(set(scaled)) == len(scaled), "each Deployment was scaled up once"
