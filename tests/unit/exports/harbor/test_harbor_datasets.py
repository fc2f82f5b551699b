from __future__ import annotations

import json
import os
import subprocess
import tomllib
from pathlib import Path

import pytest

from pytest_netbench.cli.main import main
from pytest_netbench.errors import UsageError
from pytest_netbench.exports.harbor import checks, dataset
from pytest_netbench.exports.harbor.layout import folder_of
from pytest_netbench.generators.series import read_series
from pytest_netbench.model.behaviour import Behaviour
from pytest_netbench.model.faulty import Faulty
from pytest_netbench.model.task import Task
from pytest_netbench.results.reference import ReferenceStore
from pytest_netbench.results.truth import TruthStore
from pytest_netbench.taskfile import load_task
from tests.support.task_list import TASKS

ROOT = TASKS.parent
SHOP = TASKS / "routing/default-route-for-a-shop.task.yaml"
CLUSTER = TASKS / "kubernetes/three-tiers.task.yaml"
NAT = TASKS / "security/nat-port-forward.task.yaml"
SERIES = (
    "repair-routing:n=1,seed=7,level=1",
    "repair-network:n=1,seed=7,level=2",
    "diagnose:n=1,seed=7,healthy=0",
    "troubleshoot:n=1,seed=7,healthy=0",
    "plan:n=1,seed=7",
)


def _draws() -> list[Task]:
    return [source.load() for text in SERIES for source in read_series(text).sources()]


def exported(folder: Path, *words: str) -> int:
    return main(["export", "harbor", *words, "-o", str(folder)])


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(ROOT)
    assert exported(tmp_path / "set", str(SHOP)) == 0
    return tmp_path / "set/default-route-for-a-shop"


def test_ground_truth_and_checks_lie_in_solution_and_tests_alone(shop):
    task = load_task(SHOP)
    secrets = [*task.payload.ground_truth_configs["Shop"], task.ground_truth_reasoning.splitlines()[0]]
    secrets += [one.name for one in task.payload.testcases]
    hidden = {secret.encode() for secret in secrets}
    assert len(hidden) > 5
    for path, text in content(shop).items():
        found = [secret for secret in hidden if secret in text]
        if path.startswith(("tests/", "solution/")):
            continue
        assert not found, path
    assert hidden == {
        secret for secret in hidden if secret in (shop / "tests/checks.json").read_bytes().replace(b"\\n", b"\n")
    }


def test_what_the_lab_gets_is_a_task_with_the_same_network(shop):
    whole, lab = load_task(SHOP), load_task(shop / "environment/lab/task.task.json")
    for field in ("topology", "startup_configs", "health_checks", "intents"):
        assert getattr(lab.payload, field) == getattr(whole.payload, field)
    assert lab.payload.testcases == ()
    assert not any(lab.payload.ground_truth_configs.values())
    assert lab.budget == whole.budget
    assert lab == checks.withheld(whole)


def test_the_checks_are_the_whole_task_with_its_records_and_are_known_by_their_digest(shop):
    text = (shop / "tests/checks.json").read_text()
    task, truth, reference = checks.opened(json.loads(text))
    whole = load_task(SHOP)
    assert task.digest == whole.digest
    assert truth == TruthStore.around(SHOP.parent, root=ROOT).load(whole)
    assert isinstance(reference, Behaviour)
    assert reference == ReferenceStore.around(SHOP.parent, root=ROOT).load(whole)
    assert (shop / "environment/lab/checks.sha256").read_text().split()[0] == checks.digest_of(text)


def test_the_same_tasks_give_the_same_bytes(shop, tmp_path):
    assert exported(tmp_path / "other/set", str(SHOP)) == 0
    assert content(tmp_path / "other/set") == content(tmp_path / "set")


def test_digests_in_the_dataset_are_those_of_the_folders(shop):
    listed = tomllib.loads((shop.parent / "dataset.toml").read_text())
    files = {path: text.decode() for path, text in content(shop).items()}
    assert listed["tasks"] == [
        {"name": "netbench/default-route-for-a-shop", "digest": f"sha256:{dataset.digest(files)}"}
    ]
    files["tests/test.sh"] += "\n"
    assert listed["tasks"][0]["digest"] != f"sha256:{dataset.digest(files)}"


def test_the_facts_of_a_task_are_in_its_toml(shop):
    told = tomllib.loads((shop / "task.toml").read_text())
    task = load_task(SHOP)
    assert told["schema_version"] == "1.4"
    assert told["task"]["name"] == "netbench/default-route-for-a-shop"
    assert told["metadata"]["task_digest"] == task.digest
    assert told["agent"]["timeout_sec"] == task.budget.wall_s
    assert told["verifier"]["environment_mode"] == "separate"
    assert told["environment"]["mcp_servers"][0]["transport"] == "streamable-http"


def test_the_solution_hands_over_each_command_as_it_is(shop, tmp_path):
    folder = tmp_path / "bin"
    folder.mkdir()
    stand_in = folder / "ani"
    stand_in.write_text('#!/bin/sh\necho "$1 $2" >>"$LOG"\n[ "$1" != update-cfg ] || cat >>"$LOG"\n')
    stand_in.chmod(0o755)
    log = tmp_path / "log"
    environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "LOG": str(log)}
    subprocess.run(["sh", shop / "solution/solve.sh"], env=environment, check=True)
    first, *commands = log.read_text().splitlines()[:3]
    assert first == "update-cfg Shop"
    assert tuple(commands) == load_task(SHOP).payload.ground_truth_configs["Shop"]


def test_a_task_that_cannot_be_exported_is_named_with_the_reason(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    assert exported(tmp_path / "set", str(CLUSTER)) == 1
    told = capsys.readouterr()
    assert "three-tiers: left out: it works on a cluster, which the image has no programs for" in told.err
    assert "left out 1: it works on a cluster" in told.out
    assert not (tmp_path / "set").exists()
    with pytest.raises(UsageError, match="three-tiers: it works on a cluster"):
        checks.withheld(load_task(CLUSTER))


@pytest.fixture(params=["compose", "single"])
def drawn(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A dataset with a draw of each family, in each layout."""
    monkeypatch.chdir(ROOT)
    series = [word for text in SERIES for word in ("--generate", text)]
    assert exported(tmp_path / "draws", *series, "--layout", request.param) == 0
    return tmp_path / "draws"


def test_what_was_drawn_is_in_the_labs_part_and_in_tests_and_solution_alone(drawn):
    tasks = {folder_of(task): task for task in _draws()}
    assert {path.name for path in drawn.iterdir() if path.is_dir()} == tasks.keys()
    for name, task in tasks.items():
        words = {task.slug, task.ground_truth_reasoning.splitlines()[0]}
        if isinstance(task.payload, Faulty):
            words |= {f'"{one.fault}"' for one in task.payload.faults} | {'"symptom"'}
        else:
            words = {task.slug, '"query"'}
        for path, text in content(drawn / name).items():
            if not path.startswith(("tests/", "solution/", "environment/lab/")):
                assert not [word for word in words if word.encode() in text], (name, path)


def test_of_a_plan_the_lab_has_the_graph_and_not_what_is_computed(drawn):
    (task,) = (one for one in _draws() if one.family == "plan")
    lab = load_task(drawn / folder_of(task) / "environment/lab/task.task.json")
    assert lab.payload.graph == task.payload.graph
    assert lab.payload.query != task.payload.query
    assert (lab.drawn, lab.ground_truth_reasoning) == (None, "")


def test_of_a_network_with_faults_the_lab_has_all_but_the_reasons(drawn):
    for task in _draws():
        if isinstance(task.payload, Faulty):
            lab = load_task(drawn / folder_of(task) / "environment/lab/task.task.json")
            assert lab.payload == task.payload
            assert lab.ground_truth_reasoning == ""
            assert lab.drawn == task.drawn, "the level says how time passes"


def test_only_the_checks_or_their_key_are_accepted(shop):
    accept = checks.acceptance(shop / "environment/lab")
    text = (shop / "tests/checks.json").read_bytes()
    key = (shop / "task.toml").read_text().partition("check-by-key ")[2].split()[0].encode()
    assert accept(text) == accept(key) == text
    for wrong in (b"", b"{}", text + b" ", b"0" * 64, key[:-1], key.upper(), "ä".encode()):
        assert accept(wrong) is None


def test_the_verifier_hands_on_rewards_and_writes_none_where_the_lab_broke(shop, tmp_path):
    text = (shop / "tests/test.sh").read_text()
    for place in ("/logs", "/run/netbench"):
        assert place in text
        text = text.replace(place, f"{tmp_path}{place}")
    environment = {"PATH": "/usr/bin:/bin"}
    rewards, handed_on = tmp_path / "run/netbench/rewards.json", tmp_path / "logs/verifier/reward.json"
    rewards.parent.mkdir(parents=True)
    for content in (None, ""):
        if content is not None:
            rewards.write_text(content)
        done = subprocess.run(["sh", "-c", text], env=environment, capture_output=True, check=False)
        assert done.returncode != 0
        assert not handed_on.exists()
    rewards.write_text('{"reward": 0.0}')
    subprocess.run(["sh", "-c", text], env=environment, check=True)
    assert json.loads(handed_on.read_text()) == {"reward": 0.0}


def test_nothing_is_written_over(shop, capsys):
    assert exported(shop.parent, str(NAT)) == 2
    assert "a dataset is written to a new or an empty folder" in capsys.readouterr().err


def test_without_tasks_it_says_what_to_name(tmp_path, capsys):
    assert exported(tmp_path / "set") == 2
    assert "name the tasks to export: netbench export harbor tasks/ -o DIR" in capsys.readouterr().err
