from __future__ import annotations

from types import SimpleNamespace

import pytest

from pytest_netbench.cli.harbor import rewards
from pytest_netbench.cli.main import main


def result(status: str, **scores: float | None) -> SimpleNamespace:
    return SimpleNamespace(
        status=status, scores=[SimpleNamespace(metric=name, value=value) for name, value in scores.items()]
    )


@pytest.mark.parametrize(("status", "reward"), [("passed", 1.0), ("failed", 0.0)])
def test_the_reward_is_the_verdict_and_what_was_not_measured_is_left_out(status, reward):
    assert rewards(result(status, testcase=2 / 3, command=0.0, reasoning=None)) == {
        "reward": reward,
        "testcase": 0.666667,
        "command": 0.0,
    }


def test_a_folder_of_something_else_is_refused(tmp_path, capsys):
    assert main(["harbor", str(tmp_path)]) == 2
    assert "this is no folder environment/lab of an exported task" in capsys.readouterr().err
