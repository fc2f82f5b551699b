"""The tasks on P4 switches where there is no switch program: each is skipped with one sentence, and none fails."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.support.task_list import TASKS, p4_files


def test_tasks_on_p4_switches_are_skipped_with_the_fix_where_the_switch_is_missing(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pytest", "tasks/p4", "--agent=oracle", "-q", "-rs", "-p", "no:cacheprovider"]
    command.append(f"--netbench-results={tmp_path / 'results'}")
    path = [one for one in os.environ["PATH"].split(os.pathsep) if not (Path(one) / "simple_switch").exists()]
    environment = {**os.environ, "PATH": os.pathsep.join(path)}
    done = subprocess.run(command, cwd=TASKS.parent, env=environment, capture_output=True, text=True, check=False)
    skipped = [line for line in done.stdout.splitlines() if line.startswith("SKIPPED")]
    assert (done.returncode, len(skipped)) == (0, len(p4_files())), done.stdout
    assert all(line.count("simple_switch is not on the PATH") == 1 and "(fix: " in line for line in skipped), skipped
