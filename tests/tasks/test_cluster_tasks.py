"""The tasks on Kubernetes where its programs are missing: each is skipped with one sentence, and none fails."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

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
