"""The lab of a task that was exported to Harbor, without containers: the command ani, MCP, the checks, and its end."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_netbench.cli.main import main
from pytest_netbench.deadline import poll
from pytest_netbench.exports.harbor.layout import folder_of
from pytest_netbench.generators.series import read_series
from pytest_netbench.taskfile import load_task
from pytest_netbench.taskfile.solutions import load_solutions, solutions_path
from pytest_netbench.trial import TrialSpec, execute
from tests.support.task_list import TASKS

TASK = TASKS / "security/nat-port-forward.task.yaml"
DRAWS = {
    "repair": "repair-routing:n=1,seed=7,level=1",
    "diagnose": "diagnose:n=1,seed=7,level=1,size=1,hosts=1,shapes=line,healthy=0",
    "troubleshoot": "troubleshoot:n=1,seed=7,level=1,size=1,hosts=1,shapes=line,healthy=0",
    "plan": "plan:n=1,seed=7",
}
MEASURED_TIMES = {"latency", "netarena.latency", "outage"}
"""Scores that are times of the wall or depend on them: two runs never have the same."""


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as one:
        return int(one.getsockname()[1])


class Trial:
    def __init__(self, folder: Path, port: int, mcp_port: int) -> None:
        self.folder, self.port = folder, port
        words = ["--host", "127.0.0.1", "--port", str(port), "--mcp-port", str(mcp_port)]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "pytest_netbench.cli", "harbor", folder / "environment/lab", *words],
            stderr=subprocess.PIPE,
            text=True,
        )
        bin_folder = folder / "bin"
        bin_folder.mkdir()
        (bin_folder / "ani").symlink_to(folder / "environment/ani")
        self.environment = {
            **os.environ,
            "PATH": f"{bin_folder}:{os.environ['PATH']}",
            "NETBENCH_LAB": f"http://127.0.0.1:{port}",
        }

    def is_open(self) -> bool:
        try:
            return urllib.request.urlopen(f"http://127.0.0.1:{self.port}/health", timeout=5).status == 200
        except (urllib.error.URLError, OSError):
            return False

    def run(self, *words: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(words, env=self.environment, capture_output=True, text=True, check=False, timeout=240)


@pytest.fixture
def trial(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Trial]:
    """Of ``TASK``, or of the first draw of the series that a test is given."""
    monkeypatch.chdir(TASKS.parent)
    series = getattr(request, "param", None)
    words = [str(TASK)] if series is None else ["--generate", series]
    assert main(["export", "harbor", *words, "-o", str(tmp_path / "set")]) == 0
    (folder,) = (one for one in (tmp_path / "set").iterdir() if one.is_dir())
    one = Trial(folder, free_port(), free_port())
    try:
        assert poll(one.is_open, until=bool, within_s=90, pause_s=0.1)
        yield one
    finally:
        one.process.send_signal(signal.SIGTERM)
        _, errors = one.process.communicate(timeout=60)
        assert one.process.returncode == 130, errors
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", one.port), timeout=5)


def test_the_solution_gets_the_scores_that_the_oracle_gets(trial):
    done = trial.run("sh", trial.folder / "solution/solve.sh")
    assert done.returncode == 0, done.stdout + done.stderr
    judged = trial.run("ani", "check", trial.folder / "tests/checks.json")
    expected = execute(TrialSpec(task=load_task(TASK), agent="oracle"))
    scores = {one.metric: one.value for one in expected.scores if one.value is not None}
    assert json.loads(judged.stdout) == {"reward": 1.0, **{name: round(value, 6) for name, value in scores.items()}}
    late = trial.run("ani", "get-topology")
    assert (late.returncode, late.stderr) == (1, "ani: the trial is not open\n")


@pytest.mark.parametrize("trial", DRAWS.values(), ids=DRAWS, indirect=True)
def test_a_draw_of_each_family_is_solved_and_judged_as_under_pytest(trial, request):
    (source,) = read_series(DRAWS[request.node.callspec.id]).sources()
    task = source.load()
    assert trial.folder.name == folder_of(task)
    done = trial.run("sh", trial.folder / "solution/solve.sh")
    assert done.returncode == 0, done.stdout + done.stderr
    key = (trial.folder / "task.toml").read_text().partition("check-by-key ")[2].split()[0]
    judged = json.loads(trial.run("ani", "check-by-key", key).stdout)
    result = execute(TrialSpec(task=task, agent="oracle"))
    expected = {one.metric: round(one.value, 6) for one in result.scores if one.value is not None}
    assert judged.pop("reward") == 1.0
    assert judged.keys() == expected.keys()
    assert {name: one for name, one in judged.items() if name not in MEASURED_TIMES} == {
        name: one for name, one in expected.items() if name not in MEASURED_TIMES
    }


@pytest.mark.parametrize("trial", [DRAWS["plan"]], indirect=True)
def test_an_answer_is_handed_in_by_its_members(trial):
    program = trial.folder / "program.py"
    program.write_text("def process_graph(graph):\n    return {'data': len(graph)}\n")
    tried = json.loads(trial.run("ani", "call", "run-code", f"code=@{program}").stdout)
    assert tried["status"] == "done"
    assert int(tried["data"]) > 100
    assert trial.run("ani", "get-topology").returncode == 1
    assert "lacks 'code'" in trial.run("ani", "submit", "text=x").stderr
    assert "is not NAME=TEXT" in trial.run("ani", "submit", "code").stderr
    assert json.loads(trial.run("ani", "submit", f"code=@{program}").stdout) == {"ok": True}
    judged = json.loads(trial.run("ani", "check", trial.folder / "tests/checks.json").stdout)
    assert judged["reward"] == judged["plan.correctness"] == 0.0
    assert judged["plan.safety"] == 1.0


def test_without_work_there_is_no_reward_and_wrong_words_change_nothing(trial):
    assert trial.run("ani", "update-cfg", "Nowhere", "x").stderr.startswith("ani: unknown device 'Nowhere' (known: ")
    assert trial.run("ani", "execute-cmd").stderr == "ani: wrong words; ani --help says which there are\n"
    before = json.loads(trial.run("ani", "budget-left").stdout)
    (trial.folder / "own.json").write_text('{"task": {}}')
    refused = trial.run("ani", "check", trial.folder / "own.json")
    assert (refused.returncode, refused.stderr) == (1, "ani: these are not the checks of this task\n")
    assert json.loads(trial.run("ani", "budget-left").stdout) == before
    judged = json.loads(trial.run("ani", "check", trial.folder / "tests/checks.json").stdout)
    assert judged["reward"] == 0.0
    assert judged["testcase"] < 1.0


@pytest.mark.parametrize(("kind", "reward"), [("right", 1.0), ("wrong", 0.0)])
def test_a_recorded_solution_is_judged_as_under_pytest(trial, kind, reward):
    task = load_task(TASK)
    recorded = load_solutions(solutions_path(TASK, task.slug), task)
    for node, commands in getattr(recorded, kind)[0].configs.items():
        done = trial.run("ani", "update-cfg", node, *commands)
        assert done.returncode == 0, done.stdout + done.stderr
    judged = json.loads(trial.run("ani", "check", trial.folder / "tests/checks.json").stdout)
    assert judged["reward"] == reward, judged
