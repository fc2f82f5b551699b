"""The folder of recorded ground truths holds those of the shipped tasks and nothing else."""

from __future__ import annotations

from pytest_netbench.taskfile import load_task
from tests.support.task_list import TASKS, files


def test_every_recorded_ground_truth_belongs_to_a_shipped_task():
    digests = [load_task(path).truth_digest for path in files()]
    recorded = [path.stem.rpartition("-")[2] for path in (TASKS / ".truth").iterdir()]
    assert sorted(recorded) == sorted(digests)


def test_there_is_one_such_folder():
    assert [str(path) for path in TASKS.glob("*/.truth")] == []
