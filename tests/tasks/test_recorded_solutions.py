"""The recorded solutions of the shipped tasks: each file is sound, and no task loses its file."""

from __future__ import annotations

import pytest

from pytest_netbench.families.configure.renaming import renaming_of_truth
from pytest_netbench.results.truth import TruthStore
from pytest_netbench.taskfile import load_task
from pytest_netbench.taskfile.solutions import FOLDER, load_solutions, solutions_path
from tests.support.task_list import TASKS, files

RECORDED = (TASKS.parent / "tests" / "tasks" / "recorded_solutions.txt").read_text().split()
"""Slugs of the tasks whose solutions are recorded, one a line. A task is added when its file is written."""


@pytest.mark.parametrize("path", files(), ids=lambda path: path.name.partition(".")[0])
def test_the_recorded_solutions_of_a_task_are_sound(path):
    task = load_task(path)
    recorded = solutions_path(path, task.slug)
    assert recorded.is_file() == (task.slug in RECORDED), f"{recorded}: list the task in recorded_solutions.txt"
    if recorded.is_file():
        load_solutions(recorded, task, judge=lambda one: renaming_of_truth(task.payload, one.configs))


def test_every_file_of_solutions_belongs_to_a_task():
    slugs = {load_task(path).slug for path in files()}
    assert sorted(path.stem for path in TASKS.glob(f"*/{FOLDER}/*")) == sorted(set(RECORDED) & slugs)
    assert len(RECORDED) == len(set(RECORDED))


@pytest.mark.parametrize("slug", RECORDED)
def test_what_the_right_solutions_of_a_task_leave_is_recorded_for_the_scores(slug):
    (path,) = [path for path in files() if path.name.partition(".")[0] == slug]
    task = load_task(path)
    right = load_solutions(solutions_path(path, slug), task).right
    truth = TruthStore.around(path.parent, root=TASKS.parent).load(task)
    assert truth is not None
    remedy = f"record them: pytest {path} --netbench-selftest"
    assert set(truth.right) == {one.name for one in right}, remedy
    assert truth.right_reasoning == {one.name: one.reasoning for one in right if one.reasoning}, remedy
