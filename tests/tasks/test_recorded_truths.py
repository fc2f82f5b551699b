"""The folders of recorded ground truths and reference behaviours hold those of the shipped tasks and nothing else."""

from __future__ import annotations

import pytest

from pytest_netbench.taskfile import load_task
from tests.support.task_list import TASKS, files


def test_every_recorded_ground_truth_belongs_to_a_shipped_task():
    digests = [load_task(path).truth_digest for path in files()]
    recorded = [path.stem.rpartition("-")[2] for path in (TASKS / ".truth").iterdir()]
    assert sorted(recorded) == sorted(digests)


def test_every_recorded_reference_behaviour_belongs_to_a_shipped_task():
    tasks = [load_task(path) for path in files()]
    digests = [
        task.reference_digest for task in tasks if any(one.kind == "reference" for one in task.payload.testcases)
    ]
    recorded = [path.stem.rpartition("-")[2] for path in (TASKS / ".reference").iterdir()]
    assert sorted(recorded) == sorted(digests)


@pytest.mark.parametrize("name", [".truth", ".reference"])
def test_there_is_one_such_folder(name):
    assert [str(path) for path in TASKS.glob(f"*/{name}")] == []
