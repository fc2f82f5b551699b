"""Trajectories in the version of ATIF that Harbor's own classes have, which need a newer Python than this project."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from pytest_netbench.exports.atif import VERSIONS, trajectory
from pytest_netbench.model.trial import AgentInfo, Step
from pytest_netbench.taskfile import load_task
from tests.integration.harbor import VERSION, python
from tests.support.programs import Build, Program
from tests.support.records import record, result
from tests.support.task_list import TASKS

TASK = TASKS / "routing/bgp-two-providers.task.yaml"
CHECK = """
import sys
from harbor.models.trajectories import Trajectory
for text in sys.stdin:
    one = Trajectory.model_validate_json(text)
    print(one.schema_version, len(one.steps), one.steps[-1].llm_call_count)
"""


def _make(build: Build) -> None:
    # its classes for trajectories alone: all that it depends on is hundreds of megabytes
    build.run(python(), "-m", "venv", build.folder / "venv")
    build.run(build.folder / "venv/bin/pip", "install", "-q", "--no-deps", f"harbor=={VERSION}")
    build.run(build.folder / "venv/bin/pip", "install", "-q", "pydantic")


CLASSES = Program(name="harbor-classes", version=VERSION, make=_make, within_s=300)


def test_trajectories_are_what_harbors_classes_accept(obtain) -> None:
    asked = Step(
        kind="ani",
        at_s=1.0,
        data={"method": "get-topology", "params": {}, "result": {"topology": {}}, "duration_s": 0.1, "budget_left": {}},
    )
    made = record(task=load_task(TASK), trace=(asked,), agent=AgentInfo(id="mine", strategy="program"))
    texts = [json.dumps(trajectory(made, result({"testcase": 1.0}), version=version)) for version in VERSIONS]
    python = Path(obtain(CLASSES)) / "venv/bin/python"
    done = subprocess.run([python, "-c", CHECK], input="\n".join(texts), capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == [f"ATIF-v{version} 2 0" for version in VERSIONS], done.stderr
