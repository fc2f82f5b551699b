"""What ``netbench validate`` says of recorded solutions."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from pytest_netbench.cli.main import main

TASKS = Path(__file__).parents[3] / "tasks"


@pytest.fixture
def copied(tmp_path):
    task = tmp_path / "static-floating-backup.task.yaml"
    shutil.copy(TASKS / "routing" / task.name, task)
    solutions = tmp_path / ".solutions" / "static-floating-backup.yaml"
    solutions.parent.mkdir()
    shutil.copy(TASKS / "routing" / ".solutions" / solutions.name, solutions)
    return task, solutions


def test_recorded_solutions_are_counted(copied, capsys):
    assert main(["validate", str(copied[0])]) == 0
    assert re.search(r"\d+ right and \d+ wrong solutions", capsys.readouterr().out)


def test_a_right_solution_that_is_the_truth_in_another_order_is_an_error_with_its_place(copied, capsys):
    task, solutions = copied
    text = solutions.read_text()
    truth = text[: text.index("  - name: distances and tags")]
    for port in ("eth1", "eth2", "eth3", "eth4"):
        truth = truth.replace(f" {port}", "")
    solutions.write_text(truth + text[text.index("  - name: distances and tags") :])
    assert main(["validate", str(task)]) == 1
    error = capsys.readouterr().err
    assert error.startswith(f"{solutions}:2:5: solution 'next hops with their interfaces': it is the ground truth ")
