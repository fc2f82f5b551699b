"""What ``netbench serve`` prints on stderr, which a host may show to the agent."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize("task", ["branches:n=5,seed=1", "tasks/access/filter-on-edge.task.yaml"])
def test_serve_does_not_name_the_task_which_may_name_its_faults(bench, task):
    bench.task("filter-on-edge", tags=["acl"])
    command = [sys.executable, "-m", "pytest_netbench.cli", "serve", task, "--backend=memory"]
    ended = subprocess.run(
        command, cwd=bench.path, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=200, check=False
    )
    assert ended.stderr == "netbench: deploying the task …\n"
    assert bench.labs()
