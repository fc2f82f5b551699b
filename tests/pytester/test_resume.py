"""Going on with a run that was cut off: nothing is run twice, and the end is as if it had not been cut off."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

TIMES = {
    "started_at",
    "duration_s",
    "deploy_s",
    "agent_s",
    "evaluate_s",
    "budget_used",
    "testcase_results",
    "environment",
}
SLOW = """
import pathlib, time

from pytest_netbench.model.trial import AgentInfo, Submission


class Slow:
    @property
    def info(self):
        return AgentInfo(id="slow", strategy="own", settings={"prompt": pathlib.Path("prompt.txt").read_text()})

    def run(self, brief, ani):
        with open("runs.txt", "a") as file:
            file.write(brief.task_name + "\\n")
        time.sleep(0.1)
        if brief.task_name == "t1":
            return Submission()
        if brief.task_name in pathlib.Path("dies.txt").read_text():
            ani.execute_cmd("edge", "die")
        ani.update_cfg("edge", ["no deny tcp 80 any", "route 10.9.0.0/16 via 10.0.2.10"])
        return Submission(reasoning="port 80 was dropped")
"""
RUN = ("--agent=slow:Slow", "-q")


@pytest.fixture
def eight(bench):
    for number in range(8):
        bench.task(f"t{number}", task_name=f"t{number}")
    (bench.path / "slow.py").write_text(SLOW)
    (bench.path / "prompt.txt").write_text("first")
    (bench.path / "dies.txt").write_text("")
    return bench


def runs(bench: Any) -> list[str]:
    path = bench.path / "runs.txt"
    return path.read_text().split() if path.exists() else []


def end(folder: Path) -> list[dict[str, Any]]:
    """The final file without times."""
    lines = [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]
    for one in lines:
        for name in TIMES:
            one.pop(name)
        for score in one["scores"]:
            if score["metric"] == "latency":
                score.clear()
    return lines


def kill_in_the_middle(bench: Any, folder: str, *options: str, after: int) -> None:
    argv = [sys.executable, "-m", "pytest", "tasks", *options]
    before = len(runs(bench))
    process = subprocess.Popen(argv, cwd=bench.path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    ends_at = time.monotonic() + 60
    while len(runs(bench)) < before + after and process.poll() is None and time.monotonic() < ends_at:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert len(runs(bench)) >= before + after


def test_a_run_that_is_killed_twice_ends_as_one_that_was_not(eight, workers):
    whole = eight.run(*RUN, "--netbench-results=whole", *workers)
    (eight.path / "runs.txt").unlink()
    kill_in_the_middle(eight, "cut", *RUN, "--netbench-results=cut", *workers, after=3)
    done = len(list((eight.path / "cut").glob("transcripts/*.json")))
    kill_in_the_middle(eight, "cut", *RUN, "--netbench-resume=cut", *workers, after=2)
    resumed = eight.run(*RUN, "--netbench-resume=cut", *workers)
    resumed.stdout.fnmatch_lines(["*7/8*", "resumed: * of its trials were done before"])
    assert resumed.ret == whole.ret == 1, "t1 fails, whenever it was run"
    assert end(eight.path / "cut") == end(eight.path / "whole")
    # at most what was under way was run again: a task per worker and kill
    assert done >= 1
    assert len(runs(eight)) <= 8 + 2 * max(1, len(workers) * 2)


def test_a_trial_whose_transcript_was_not_kept_any_more_is_run_again(eight):
    eight.run(*RUN, "--netbench-results=whole", "-k", "t2 or t3")
    eight.run(*RUN, "--netbench-results=cut", "-k", "t2 or t3")
    cut = eight.path / "cut"
    (cut / "results.jsonl").unlink()
    (lines,) = (one for one in cut.glob("results-*.jsonl") if one.name != "results-controller.jsonl")
    kept = [line for line in lines.read_text().splitlines(keepends=True) if json.loads(line).get("task_name") == "t3"]
    lines.write_text("".join(kept))
    assert len(kept) == 1
    assert len((cut / "results-controller.jsonl").read_text().splitlines()) == 2, "it was scored"
    resumed = eight.run(*RUN, "--netbench-resume=cut", "-k", "t2 or t3")
    resumed.assert_outcomes(passed=1, deselected=7)
    assert end(cut) == end(eight.path / "whole")


def test_when_all_is_done_nothing_runs_and_the_status_is_that_of_the_run(eight):
    assert eight.run(*RUN, "--netbench-results=run").ret == 1
    again = eight.run(*RUN, "--netbench-resume=run")
    assert again.ret == 1
    again.stdout.fnmatch_lines(["*7/8*", "*8 deselected*"])
    assert len(runs(eight)) == 8
    assert eight.run(*RUN, "--netbench-resume=run", "-k", "t2 or t3").ret == 1, "the run is the whole run"


def test_infrastructure_errors_and_changed_tasks_are_run_again(eight):
    (eight.path / "dies.txt").write_text("t3")
    broken = eight.run(*RUN, "--netbench-results=run")
    broken.assert_outcomes(passed=6, failed=1, errors=1)
    (eight.path / "dies.txt").write_text("")
    eight.task("t5", task_name="t5 with another text")
    mended = eight.run(*RUN, "--netbench-resume=run")
    mended.assert_outcomes(passed=2, deselected=6)
    assert sorted(runs(eight)[8:]) == ["another", "t3", "t5", "text", "with"]
    assert [one["status"] for one in end(eight.path / "run")].count("passed") == 7


def test_more_trials_are_added_to_a_run(eight):
    eight.run(*RUN, "--netbench-results=run", "-k", "t0 or t2")
    more = eight.run(*RUN, "--netbench-resume=run", "-k", "t0 or t2", "--netbench-trials=2")
    more.assert_outcomes(passed=2, deselected=14)
    assert more.ret == 0
    assert len(end(eight.path / "run")) == 4


def test_results_of_another_agent_are_not_mixed(eight):
    eight.run(*RUN, "--netbench-results=run", "-k", "t0")
    (eight.path / "prompt.txt").write_text("second")
    mixed = eight.run(*RUN, "--netbench-resume=run", "-k", "t0 or t2")
    assert mixed.ret == 1
    mixed.stdout.fnmatch_lines(
        ["netbench: agent slow.Slow was changed since *: the results are of two agents; begin anew*"]
    )


def test_a_resumed_run_is_judged_and_saved_whole(eight):
    eight.run(*RUN, "--netbench-results=run", "-k", "t0 or t2 or t3")
    saved = eight.run(*RUN, "--netbench-resume=run", "--netbench-save-baseline=b.json")
    saved.stdout.fnmatch_lines(["baseline of 8 trials: b.json"])
    judged = eight.run(*RUN, "--netbench-resume=run", "--netbench-baseline=b.json")
    assert judged.ret == 0
    judged.stdout.fnmatch_lines(["    0.875, was 0.875 (8 tasks; 8 trials, were 8)"])


def test_wrong_options_are_refused(eight):
    (eight.path / "junk").mkdir()
    (eight.path / "junk" / "results.jsonl").write_text('{"node_id": 1}\n')
    for options, words in (
        (("--netbench-resume=nowhere", "--agent=oracle"), "*no such results directory*"),
        (("--netbench-resume=junk", "--agent=oracle"), "*not a result that netbench*"),
        (("--netbench-resume=junk", "--netbench-results=b", "--agent=oracle"), "*leave --netbench-results out*"),
        (("--netbench-resume=junk", "--netbench-selftest"), "*is for agents*"),
    ):
        refused = eight.run(*options)
        assert refused.ret == 4
        refused.stderr.fnmatch_lines([words])
    assert not (eight.path / "nowhere").exists()
