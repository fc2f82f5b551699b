"""Trials that have begun and have no result: they are kept as open, told, never averaged in, and repeated."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import pytest

from pytest_netbench.results.store import ResultsDir
from tests.support.ios import eventually

LONG = 240
SLOW = """
import os, time
from pytest_netbench.model.trial import AgentInfo, Submission

class Slow:
    info = AgentInfo(id="slow", strategy="own")
    def run(self, brief, ani):
        if brief.task_name == "slow" and not os.path.exists("go"):
            open("slow-began", "w").close()
            while not os.path.exists("go"):
                time.sleep(0.02)
        ani.update_cfg("edge", ["no deny tcp 80 any", "route 10.9.0.0/16 via 10.0.2.10"])
        return Submission()
"""


@pytest.fixture
def slow(bench):
    bench.task("aaa", task_name="aaa")
    bench.task("slow", task_name="slow")
    (bench.path / "slow.py").write_text(SLOW)
    return bench


def cut_off(bench, end, *options):
    """Begin a run, end it by ``end`` in the middle of the second task, and return what it has left."""
    argv = [sys.executable, "-m", "pytest", "tasks", "--agent=slow:Slow", "--netbench-results=run", *options]
    run = subprocess.Popen(
        argv, cwd=bench.path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    files = bench.path / "run"

    def is_done():
        return any('"task_name": "aaa"' in path.read_text() for path in files.glob("results-[mg]*.jsonl"))

    assert eventually(lambda: (bench.path / "slow-began").exists() and is_done(), within_s=90)
    end(run)
    run.wait(60)
    return ResultsDir(bench.path / "run").read()


ENDS = {
    "Ctrl-C": lambda run: os.killpg(run.pid, signal.SIGINT),
    "cancelled job": lambda run: os.kill(run.pid, signal.SIGTERM),
    "kill -9": lambda run: os.kill(run.pid, signal.SIGKILL),
}


@pytest.mark.parametrize("end", ENDS)
def test_a_trial_that_is_cut_off_is_open_and_is_repeated_by_resume(slow, workers, end):
    left = cut_off(slow, ENDS[end], *workers)
    assert [one.node_id.partition("::")[2] for one in left.open] == ["slow[slow.Slow]"]
    assert [(one.task_name, one.status) for one in left.results] == [("aaa", "passed")]
    told = subprocess.run(
        [sys.executable, "-m", "pytest_netbench.cli", "summarize", "run"],
        cwd=slow.path,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "open, begun and not finished: 1 (to run them again: pytest … --netbench-resume DIR)" in told
    assert "1/1" in told
    (slow.path / "go").touch()
    # with xdist the first trial may be repeated, too: its last score is made by the process that was ended
    resumed = slow.run("--agent=slow:Slow", "--netbench-resume=run", *workers, timeout=LONG)
    assert resumed.ret == 0
    assert resumed.parseoutcomes()["passed"] in ((1, 2) if workers else (1,))
    closed = ResultsDir(slow.path / "run").read()
    assert closed.open == ()
    assert [one.status for one in closed.results] == ["passed", "passed"]


def test_a_trial_that_is_done_failed_skipped_or_broken_is_not_open(bench):
    bench.task("aaa")
    bench.task("broken", requirements=["lab-breaks"])
    bench.task("lacks", requirements=["unobtainium"])
    bench.run("--agent=oracle", "--agent=nop", "--netbench-results=run", timeout=LONG)
    assert ResultsDir(bench.path / "run").read().open == ()
    lines = [json.loads(line) for line in (bench.path / "run" / "results-main.jsonl").read_text().splitlines()]
    assert sum("open" in one and not one.get("closed") for one in lines) == 6
    merged = [json.loads(line) for line in (bench.path / "run" / "results.jsonl").read_text().splitlines()]
    assert not any("open" in one for one in merged)
