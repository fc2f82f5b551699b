"""``netbench compare``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from pytest_netbench.cli.main import main
from pytest_netbench.model.trial import AgentInfo
from pytest_netbench.results.store import ResultsDir
from pytest_netbench.stats.paired import Pair
from pytest_netbench.stats.regression import judge
from tests.support.records import result
from tests.unit.cli.test_cli_summarize import with_reasons

BOUNDS = (
    "these tasks: bounds of B - A if these tasks are run again, and the gate's verdict; each 95% sure, no loss accepted"
)


def stored(folder: Path, passes: Mapping[str, Sequence[int]], *, agent: str = "x", **changes: Any) -> Path:
    """A run: by task (``DOMAIN/SLUG``), whether each trial passed; 2 is an infrastructure error."""
    made = ResultsDir(folder) if folder.exists() else ResultsDir.create(folder)
    for task, trials in passes.items():
        for number, passed in enumerate(trials, start=1):
            one = result(
                {} if passed == 2 else {"testcase": passed / 2 + 0.5},
                node_id=f"tasks/{task}.task.yaml::{task}[{agent}{f'-{number}' if len(trials) > 1 else ''}]",
                agent=AgentInfo(id=agent, strategy=agent),
                domain=task.partition("/")[0],
                status=("failed", "passed", "error")[passed],
                trial=number,
                **{"task_digest": "0" * 16, **changes},
            )
            made.append(one, None, worker="main")
    return folder


def compared(capsys: Any, *argv: object) -> list[str]:
    assert main(["compare", *map(str, argv)]) == 0
    return capsys.readouterr().out.splitlines()


def test_two_runs_are_compared_task_by_task(tmp_path: Path, capsys: Any) -> None:
    tasks = {f"qos/{n}": [1] for n in range(8)} | {f"acl/{n}": [1] for n in range(4)}
    first = stored(tmp_path / "a", tasks)
    second = stored(tmp_path / "b", tasks | {f"qos/{n}": [0] for n in range(6)} | {"qos/new": [1]})
    lines = compared(capsys, first, second)
    assert lines[:2] == [f"A: x, 12 trials, {first}", f"B: x, 13 trials, {second}"]
    assert [" ".join(line.split()) for line in lines[2:6]] == [
        "domain tasks A passed B passed B - A these tasks verdict other tasks p test",
        "acl 4 1.00 1.00 +0.00 -0.56 to +0.56 inconclusive -0.49 to +0.49 1.000 McNemar",
        # 2 x 0.03125 by Holm
        "qos 8 1.00 0.25 -0.75 -0.93 to -0.26 regressed -1.00 to -0.38 0.062 McNemar",
        "all 12 1.00 0.50 -0.50 -0.76 to -0.13 regressed -0.75 to -0.25 0.031 McNemar",
    ]
    assert lines[6:] == [
        BOUNDS,
        "3 verdicts, each with its own level: at most 15% that any of them is wrong",
        "other tasks: 95% interval of B - A for tasks like these (bootstrap over tasks)",
        "p: the chance that equal agents differ as much on these tasks, in either direction",
        "p of the groups is adjusted for 2 comparisons (Holm)",
        "only in B: tasks/qos/new.task.yaml::qos/new",
    ]


def test_three_of_three_against_none_of_three_has_the_verdict_of_the_gate(tmp_path: Path, capsys: Any) -> None:
    first, second = stored(tmp_path / "a", {"qos/one": [1] * 3}), stored(tmp_path / "b", {"qos/one": [0] * 3})
    row = compared(capsys, first, second)[3].split()
    pair = Pair(first=(1.0,) * 3, second=(0.0,) * 3)
    verdict = judge([pair], tolerance=0.0)
    assert verdict.kind == "regressed"
    assert row[5:9] == [f"{-verdict.high:+.2f}", "to", f"{-verdict.low:+.2f}", "regressed"]
    assert row[9:12] == ["-1.00", "to", "-0.21"], "tasks that all differ alike have the interval of both sides"


def test_a_metric_that_is_no_share_has_no_verdict(tmp_path: Path, capsys: Any) -> None:
    run = ResultsDir.create(tmp_path / "a")
    for agent, value in (("x", 7.0), ("y", 3.0)):
        info = AgentInfo(id=agent, strategy=agent)
        run.append(
            result({"latency": value}, node_id=f"tasks/t.task.yaml::t[{agent}]", agent=info), None, worker="main"
        )
    lines = compared(capsys, tmp_path / "a", "--agents", "x", "y", "--metric", "latency")
    assert lines[3].split()[4:8] == ["-4.00", "–", "–", "–"]
    assert not [line for line in lines if line.startswith("these tasks")]


def test_several_trials_are_permuted_and_errors_left_out(tmp_path: Path, capsys: Any) -> None:
    first = stored(tmp_path / "a", {"qos/one": [1, 1, 1, 1, 2]})
    second = stored(tmp_path / "b", {"qos/one": [0, 0, 0, 0, 0]})
    lines = compared(capsys, first, second)
    assert "and 1 infrastructure errors that are not scored" in lines[0]
    row = lines[3].split()
    assert row[-1] == "permutation"
    assert float(row[-2]) == pytest.approx(1 / 126, abs=0.004)


def test_two_agents_of_one_run_are_compared(tmp_path: Path, capsys: Any) -> None:
    run = stored(tmp_path / "a", {"qos/one": [1]}, agent="x")
    stored(run, {"qos/one": [0]}, agent="y")
    lines = compared(capsys, run, "--agents", "x", "y", "--metric", "testcase")
    assert lines[3].split()[:5] == ["all", "1", "1.00", "0.50", "-0.50"]
    assert main(["compare", str(run), str(run)]) == 2
    assert "has several agents; name one (known: x, y)" in capsys.readouterr().err
    assert main(["compare", str(run), "--agents", "x"]) == 2
    assert "give two results directories, or two agents" in capsys.readouterr().err


def test_a_changed_task_is_reported_and_not_compared(tmp_path: Path, capsys: Any) -> None:
    first = stored(tmp_path / "a", {"qos/one": [1], "qos/two": [1]})
    second = stored(tmp_path / "b", {"qos/one": [1]})
    stored(second, {"qos/two": [0]}, task_digest="1" * 16)
    lines = compared(capsys, first, second)
    assert lines[-1] == "changed between the runs, so not compared: tasks/qos/two.task.yaml::qos/two"
    assert lines[3].split()[:2] == ["all", "1"]


def test_runs_without_a_common_task_are_status_1(tmp_path: Path, capsys: Any) -> None:
    first, second = (stored(tmp_path / name, {f"qos/{name}": [1]}) for name in "ab")
    assert main(["compare", str(first), str(second)]) == 1
    out = capsys.readouterr().out
    assert out.startswith("nothing can be compared:\nonly in A: tasks/qos/a.task.yaml")


def test_reasons_of_both_sides_stand_under_the_table(tmp_path: Path, capsys) -> None:
    first = with_reasons(tmp_path / "one", "a", ["wrong-type", "not-verified", None])
    second = with_reasons(tmp_path / "two", "a", ["not-verified", "not-verified", None])
    assert main(["compare", str(first), str(second)]) == 0
    lines = [line.split() for line in capsys.readouterr().out.partition("why trials failed")[2].splitlines()]
    assert lines[:4] == [["A", "B"], ["wrong-type", "1", "0"], ["not-verified", "1", "2"], ["all", "2/3", "2/3"]]
