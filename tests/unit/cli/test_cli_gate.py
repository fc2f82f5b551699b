"""``netbench gate --plan``; verdicts of stored runs are in ``tests/pytester/test_gate.py``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pytest_netbench.cli.main import main
from pytest_netbench.regression_gate.baseline import save_baseline
from tests.unit.gating.test_gate_judging import tasks, trials


def test_a_plan_needs_no_baseline_and_follows_the_policy(tmp_path: Path, capsys: Any) -> None:
    assert main(["gate", "--plan"]) == 0
    default = capsys.readouterr().out.splitlines()
    assert default[0] == "passed, all tasks: the loss that is found in eight of ten gates, if the baseline has 0.80"
    assert default[2].split() == ["tasks", "1", "trial", "2", "trials", "3", "trials", "5", "trials", "10", "trials"]
    policy = tmp_path / "policy.yaml"
    policy.write_text("rules: [{tolerance: 0.1}, {domain: qos}]\n")
    assert main(["gate", "--plan", "--policy", str(policy), "--share", "0.5"]) == 0
    both = capsys.readouterr().out.split("\n\n")
    assert [one.split(":")[0] for one in both] == ["passed, all tasks", "passed, domain qos"]
    assert "a loss of 0.1 is accepted" in both[0]
    assert "the baseline has 0.50" in both[0]


def test_a_plan_of_a_baseline_has_its_tasks(tmp_path: Path, capsys: Any) -> None:
    save_baseline(tmp_path / "b.json", list(trials(tasks(7, [1, 0]))))
    assert main(["gate", "--plan", str(tmp_path / "b.json")]) == 0
    rows = [line for line in capsys.readouterr().out.splitlines() if line.endswith("(the baseline's)")]
    assert [row.split()[0] for row in rows] == ["7"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "give BASELINE, or --plan"),
        (["b.json"], "b.json: cannot be read: No such file or directory"),
        (["--plan", "b.json", "run"], "--plan judges nothing: give no results directory"),
        (["--share", "0.5", "b.json", "run"], "--share is about a plan"),
    ],
)
def test_wrong_arguments_are_refused(arguments: list[str], words: str, capsys: Any) -> None:
    assert main(["gate", *arguments]) == 2
    assert words in capsys.readouterr().err
