"""The tasks on Kubernetes without its programs: they are skipped with one sentence, and have the records they need."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_netbench.evaluation.behaviour.problems import problems_of
from pytest_netbench.generators.variants.skins import variant_of
from pytest_netbench.model.objects import POD
from pytest_netbench.results.reference import ReferenceStore, is_held
from pytest_netbench.taskfile import load_task
from tests.support.task_list import TASKS, cluster_files


def test_tasks_on_kubernetes_are_skipped_with_the_fix_where_its_programs_are_missing(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "pytest",
        "tasks/kubernetes",
        "--agent=oracle",
        "-q",
        "-rs",
        "-p",
        "no:cacheprovider",
    ]
    command.append(f"--netbench-results={tmp_path / 'results'}")
    environment = {**os.environ, "NETBENCH_KUBE_ASSETS": str(tmp_path)}
    done = subprocess.run(command, cwd=TASKS.parent, env=environment, capture_output=True, text=True, check=False)
    skipped = [line for line in done.stdout.splitlines() if line.startswith("SKIPPED")]
    assert (done.returncode, len(skipped)) == (0, len(cluster_files())), done.stdout
    assert all(line.count("no Kubernetes control plane") == 1 and "(fix: " in line for line in skipped), skipped


@pytest.mark.parametrize(
    "path", [one for one in cluster_files() if is_held(load_task(one))], ids=lambda path: path.name.partition(".")[0]
)
def test_a_variant_has_the_record_of_its_task_under_its_own_names(path: Path) -> None:
    task, store = load_task(path), ReferenceStore.around(path.parent, root=TASKS)
    for one in (task, variant_of(task, 3)):
        behaviour = store.load(one)
        assert behaviour is not None
        pods = {node.name for node in one.network.topology.nodes if node.role == POD}
        assert {held.flow.source for held in behaviour.held()} == pods
        assert {held.flow.target_node for held in behaviour.held()} == pods
        assert problems_of(one, behaviour, path=path) == []
