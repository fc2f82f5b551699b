"""What every task file under ``tasks/`` guarantees before any lab runs. The self-test shows that it can be solved."""

from __future__ import annotations

import re
from pathlib import Path

import jsonschema
import pytest

from pytest_netbench.documents.reading import read
from pytest_netbench.errors import TaskFileError
from pytest_netbench.kubernetes.applications.addresses import WORKSTATION
from pytest_netbench.model.task import Task
from pytest_netbench.results.truth import Truth, TruthStore
from pytest_netbench.taskfile import load_task
from pytest_netbench.taskfile.schema import task_schema

CORPUS = Path(__file__).parents[2] / "tasks"
FILES = sorted(CORPUS.glob("*/*.task.yaml"))
VALIDATOR = jsonschema.Draft202012Validator(task_schema())
TOOLS = re.compile(
    r"\b(?:nft|nftables|iptables|tc|u32|htb|tbf|sysctl|rp_filter|iproute2?|vtysh|bash|configure terminal|show"
    r" (?:ip|run))\b"
)

pytestmark = pytest.mark.parametrize(
    "path", FILES, ids=lambda path: f"{path.parent.name}/{path.name.partition('.')[0]}"
)


@pytest.fixture
def task(path: Path) -> Task:
    return load_task(path)


@pytest.fixture
def truth(path: Path, task: Task) -> Truth:
    found = TruthStore.around(path.parent, root=CORPUS).load(task)
    assert found is not None, (
        f"the task's truth digest is {task.truth_digest}, and no ground truth is recorded for it: "
        f"pytest {path.relative_to(CORPUS.parent)} --netbench-selftest"
    )
    return found


def intent_texts(task: Task) -> list[str]:
    return [
        text for intent in task.payload.intents for text in (intent.text, *(sub.text for sub in intent.sub_intents))
    ]


def test_a_shipped_task_fits_the_published_schema(path: Path):
    VALIDATOR.validate(read(path, error=TaskFileError, example="task_name: …").plain())


def test_a_shipped_task_lies_in_the_folder_of_its_domain_under_its_slug(path: Path, task: Task):
    assert (task.domain, f"{task.slug}.task.yaml") == (path.parent.name, path.name)


def test_a_shipped_task_says_what_it_is_about_and_guesses_no_difficulty_of_what_nobody_measured(task: Task):
    assert task.difficulty in {None, "easy", "medium", "hard"}
    assert task.tags


def test_a_shipped_task_has_two_or_more_intents_each_with_its_part_per_node(task: Task):
    assert len(task.payload.intents) >= 2
    assert [intent.text for intent in task.payload.intents if not intent.sub_intents] == []


def test_every_node_that_is_configured_is_told_its_part(task: Task):
    told = {sub.node for intent in task.payload.intents for sub in intent.sub_intents}
    assert set(task.payload.ground_truth_configs) <= told


def test_every_intent_is_judged_by_a_testcase(task: Task):
    judged = {testcase.intent for testcase in task.payload.testcases if testcase.kind != "reference"}
    assert judged == set(range(1, len(task.payload.intents) + 1))


def test_a_shipped_task_also_guards_what_must_not_be_broken(task: Task):
    assert {testcase.role for testcase in task.payload.testcases} == {"intent", "regression"}


def test_a_shipped_task_is_judged_by_packets_and_not_by_words_of_a_config_alone(task: Task):
    assert {"reachability", "path", "throughput", "marking"} & {testcase.kind for testcase in task.payload.testcases}


def test_the_reasoning_is_an_explanation_and_not_a_list_of_commands(task: Task):
    words = task.ground_truth_reasoning.split()
    assert 120 <= len(words) <= 330, len(words)
    lines = {
        line.strip() for lines in task.payload.ground_truth_configs.values() for line in lines if len(line.split()) > 3
    }
    assert [line for line in lines if line in task.ground_truth_reasoning] == []


def test_intents_say_what_is_wanted_and_name_no_command(task: Task):
    texts = "\n".join(intent_texts(task))
    assert TOOLS.findall(texts) == []
    lines = {
        line.strip() for lines in task.payload.ground_truth_configs.values() for line in lines if len(line.split()) > 1
    }
    assert [line for line in lines if line in texts] == []


def test_a_lab_of_a_shipped_task_is_small_and_has_hosts(task: Task):
    nodes = [node.name for node in task.network.topology.nodes]
    # a pod is one process, a router has several
    assert 2 <= len(nodes) <= (10 if WORKSTATION in nodes else 9)
    assert "linux" in {task.network.platform_of(node.name) for node in task.network.topology.nodes}


def test_every_node_of_a_shipped_task_says_what_an_agent_may_do_with_it(path: Path):
    nodes = read(path, error=TaskFileError, example="task_name: …").plain()["topology"]["nodes"]
    assert [node for node in nodes if not isinstance(node, dict) or "control" not in node] == []


def test_a_shipped_task_is_not_about_managed_nodes_alone(task: Task):
    assert {"managed"} < set(task.network.topology.controls.values())


def test_the_recorded_ground_truth_is_of_this_very_task_and_knows_its_nodes(task: Task, truth: Truth):
    # what a cluster has is at its workstation
    is_cluster = task.payload.resource == "cluster"
    nodes = {node.name for node in task.network.topology.nodes if not is_cluster or node.name == WORKSTATION}
    assert set(truth.configs) == set(truth.initial_configs) == nodes


def test_the_recorded_ground_truth_changes_the_nodes_it_configures_and_no_other(task: Task, truth: Truth):
    changed = {node for node in truth.configs if truth.configs[node] != truth.initial_configs[node]}
    assert changed == set(task.payload.ground_truth_configs)


def test_a_shipped_task_differs_from_all_others(path: Path, task: Task):
    others = [load_task(other) for other in FILES if other != path]
    assert task.digest not in {other.digest for other in others}
    assert task.slug not in {other.slug for other in others}
    assert task.task_name not in {other.task_name for other in others}


def test_a_shipped_task_passed_its_self_test_as_it_is_now(task: Task, truth: Truth, path: Path):
    again = f"pytest {path.relative_to(CORPUS.parent)} --netbench-selftest"
    assert truth.proved == task.proof_digest, f"network, ground truth or testcases changed since the self-test: {again}"
