"""The tasks in ``tasks/kubernetes`` on a cluster that runs here: who solves them, who does not, and what is told."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_netbench.agents.oracle import Oracle
from pytest_netbench.ani.protocol import Ani
from pytest_netbench.families.configure import ConfigureFamily
from pytest_netbench.families.configure.mutation import mutants
from pytest_netbench.families.configure.proof.judging import Judge
from pytest_netbench.families.configure.proof.proof_labs import ProofLabs
from pytest_netbench.families.proof import Extent
from pytest_netbench.families.protocol import Scene
from pytest_netbench.kubernetes.applications.addresses import WORKSTATION
from pytest_netbench.model.configure import configuration_of
from pytest_netbench.model.solutions import Solutions
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import AgentInfo, Brief, Submission, TrialRecord
from pytest_netbench.scorers.apply import apply_scorers
from pytest_netbench.taskfile import load_task
from pytest_netbench.taskfile.solutions import load_solutions, solutions_path
from pytest_netbench.trial.selftest import selftest
from pytest_netbench.trial.settings import Settings
from pytest_netbench.trial.stage import Stage
from tests.end_to_end.test_no_leak import secrets, words
from tests.support.repair_trials import attempted_on
from tests.support.sampling import number_of_commit
from tests.support.task_list import TASKS, cluster_files

pytestmark = pytest.mark.usefixtures("binaries")
SETTINGS = Settings(where=TASKS)
of_each_task = pytest.mark.parametrize("path", cluster_files(), ids=lambda path: path.name.partition(".")[0])

ECHO = """\
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: echo, namespace: bank}
spec: {podSelector: {}, policyTypes: [Ingress], ingress: [{ports: [{protocol: TCP, port: 7}]}]}"""


class Enters:
    """Enters the given commands at the workstation, and looks at all that it may."""

    info = AgentInfo(id="enters", strategy="enters")

    def __init__(self, commands: Sequence[str] = ()) -> None:
        self.commands = commands
        self.refused: list[str] = []
        self.told: list[str] = []

    def run(self, brief: Brief, ani: Ani) -> Submission:
        self.told += [brief.model_dump_json(), str(ani.get_topology())]
        self.told.append(ani.get_running_cfg(WORKSTATION)["running_config"])
        for command in self.commands:
            (result,) = ani.update_cfg(WORKSTATION, [command])["results"]
            self.refused += [result["message"]] if result["status"] == "error" else []
        return Submission()


def attempted(task: Task, agent: object) -> TrialRecord:
    with Stage(task, SETTINGS) as stage:
        return attempted_on(stage, agent)


@contextmanager
def staged(task: Task) -> Iterator[Scene]:
    """A fresh cluster of a task, as a self-test opens it."""
    with Stage(task, SETTINGS) as stage:
        yield stage.scene


def scores(record: TrialRecord) -> dict[str, float | None]:
    return {one.metric: one.value for one in apply_scorers(record, ConfigureFamily.scorers, where="worker")}


def failed(record: TrialRecord) -> list[str]:
    return [one.name for one in record.testcase_results if one.status == "fail"]


def named(name: str) -> Task:
    return load_task(TASKS / f"kubernetes/{name}.task.yaml")


def truth_of(task: Task) -> tuple[str, ...]:
    return configuration_of(task).truth_of(WORKSTATION)


@of_each_task
def test_who_only_looks_fails_and_the_oracle_passes(path: Path) -> None:
    with Stage(load_task(path), SETTINGS) as stage:
        who_only_looks_fails_what_the_task_asks_for_and_is_not_told_how_it_is_solved_or_judged(stage)
        the_oracle_passes_with_the_commands_of_the_record(stage)


def the_oracle_passes_with_the_commands_of_the_record(stage: Stage) -> None:
    record = attempted_on(stage, Oracle())
    assert failed(record) == []
    got = scores(record)
    assert (got["testcase"], got["command"]) == (1.0, 1.0)
    assert set(record.final_configs) == {WORKSTATION}, "the configs of pods are nobody's work"
    assert "kind: NetworkPolicy" in record.final_configs[WORKSTATION], "also where there was none before"


def who_only_looks_fails_what_the_task_asks_for_and_is_not_told_how_it_is_solved_or_judged(stage: Stage) -> None:
    task, agent = stage.task, Enters()
    record = attempted_on(stage, agent)
    wanted = {one.name for one in record.testcase_results if one.role == "intent" or one.kind == "reference"}
    assert set(failed(record)) == wanted
    *told, public = map(words, agent.told)
    assert all(words(one.text) in told[0] for one in configuration_of(task).intents)
    asked = words(" ".join(one.text for one in configuration_of(task).intents))
    hidden = [one for one in secrets(task) if words(one) not in public and words(one) not in asked]
    assert len(hidden) > 10
    assert [one for one in hidden if any(words(one) in text for text in told)] == []


def test_right_solutions_pass_and_wrong_ones_fail() -> None:
    # a third of one task's, others on each commit; make selftest tries all
    files = cluster_files()
    turn, number = divmod(number_of_commit(TASKS) or 0, len(files))
    path = files[number]
    task = load_task(path)
    found = load_solutions(solutions_path(path, task.slug), task)
    recorded = Solutions(right=found.right[turn % 3 :: 3], wrong=found.wrong[turn % 3 :: 3])
    report = selftest(task, SETTINGS, Extent(repeats=1, claims=("solutions",), solutions=recorded))
    assert report.problems == ()
    right, wrong = len(recorded.right), len(recorded.wrong)
    assert min(right, wrong) > 0
    assert report.shown["right pass"] == f"{right} of {right}"
    assert report.shown["wrong fail"] == f"{wrong} of {wrong}"


def test_a_mutant_is_told_from_the_ground_truth_by_flows_that_no_testcase_tries() -> None:
    task = named("three-tiers")
    stripped = task.model_copy(update={"payload": configuration_of(task).model_copy(update={"testcases": ()})})
    labs = ProofLabs(stripped, lambda: staged(stripped), Extent(repeats=1))
    judge = Judge(labs)
    judge.prepare()
    truth = configuration_of(task).ground_truth_configs
    mutant = next(one for one in mutants(configuration_of(task)) if one.operator == "keyword")
    renamed = [re.sub(r"(metadata: \{name: )", r"\1other-", one) for one in reversed(truth_of(task))]
    found = {}
    for name, configs in {"mutant": mutant.configs(truth), "renamed": {WORKSTATION: renamed}}.items():
        with labs.network() as network:
            assert labs.apply(network, configs).refused == ()
            found[name] = [str(one) for each in judge.differences(network) for one in each]
    assert found["renamed"] == []
    assert any("/8080" in one or "/9000" in one or "/6379" in one for one in found["mutant"]), mutant


def test_a_port_that_no_testcase_tries_is_compared_with_what_is_recorded() -> None:
    task = named("three-tiers")
    agent = Enters([*truth_of(task), f"kubectl apply -f - <<'EOF'\n{ECHO}\nEOF"])
    record = attempted(task, agent)
    assert agent.refused == []
    assert failed(record) == ["everything else is as before"]
    (said,) = (one.actual for one in record.testcase_results if one.kind == "reference")
    assert re.search(r"^\w+ -> \w+ tcp/7 is allowed; expected denied, as intent [34] asks$", said, re.MULTILINE), said


def test_policies_with_other_names_in_another_order_have_the_same_commands() -> None:
    task = named("default-deny-namespace")
    renamed = [re.sub(r"(metadata: \{name: )", r"\1other-", one) for one in reversed(truth_of(task))]
    agent = Enters(renamed)
    record = attempted(task, agent)
    assert (agent.refused, failed(record)) == ([], [])
    assert scores(record)["command"] == 1.0


def test_another_right_solution_is_nearly_as_good_as_the_ground_truth() -> None:
    task = named("monitoring-of-all-pods")
    ranges = Enters(solution(task, "ranges of ports"))
    record = attempted(task, ranges)
    assert (ranges.refused, failed(record)) == ([], [])
    assert scores(record)["command"] == 1.0, "it is one of the recorded ones"


def solution(task: Task, name: str) -> tuple[str, ...]:
    recorded = load_solutions(solutions_path(TASKS / f"kubernetes/{task.slug}.task.yaml", task.slug), task)
    (found,) = [one for one in (*recorded.right, *recorded.wrong) if one.name == name]
    return found.configs[WORKSTATION]


@pytest.mark.parametrize("name", ["denied first", "all in one file after the old policy is gone", "DNS comes later"])
def test_what_is_right_at_the_end_and_was_broken_in_between_fails(name: str) -> None:
    task = named("from-allow-to-deny-without-loss")
    agent = Enters(solution(task, name))
    record = attempted(task, agent)
    kinds = {one.name: one.kind for one in record.testcase_results}
    assert failed(record)
    assert {kinds[one] for one in failed(record)} == {"unbroken"}
    said = next(one.actual for one in record.testcase_results if one.name in failed(record))
    assert re.match(r"not delivered after '[A-Z]+ /apis/networking\.k8s\.io/v1/namespaces/plant/", said)


def test_the_same_commands_in_the_right_order_break_nothing() -> None:
    task = named("from-allow-to-deny-without-loss")
    agent = Enters(sorted(truth_of(task), key=lambda one: "delete" in one))
    assert (failed(attempted(task, agent)), agent.refused) == ([], [])


def test_a_pod_that_the_agent_removed_is_its_failure() -> None:
    task = named("three-tiers")
    agent = Enters([*truth_of(task), "kubectl scale deployment portal -n bank --replicas=0"])
    record = attempted(task, agent)
    assert agent.refused == []
    assert "portal reaches accounts" in failed(record)


def test_solutions_that_are_claimed_to_be_wrong_are_found_to_be_right() -> None:
    """The test of solutions can fail."""
    task = named("three-tiers")
    path = TASKS / "kubernetes/three-tiers.task.yaml"
    recorded = load_solutions(solutions_path(path, task.slug), task)
    swapped = Solutions(wrong=recorded.right[:1], right=recorded.wrong[:1])
    report = selftest(task, SETTINGS, replace(Extent(), repeats=1, claims=("solutions",), solutions=swapped))
    assert len(report.problems) == 2
