"""Ctrl-C and SIGTERM: how far the run came, and the command that goes on with it."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time

import pytest

SLOW = """
import pathlib, time

from pytest_netbench.model.trial import AgentInfo, Submission


class Slow:
    @property
    def info(self):
        return AgentInfo(id="slow", strategy="own")

    def run(self, brief, ani):
        with open("begun.txt", "a") as file:
            file.write(brief.task_name + "\\n")
        while brief.task_name >= pathlib.Path("from.txt").read_text():
            time.sleep(0.02)
        ani.update_cfg("edge", ["no deny tcp 80 any", "route 10.9.0.0/16 via 10.0.2.10"])
        return Submission()
"""


@pytest.fixture
def five(bench):
    """Five tasks; the agent hangs at those from the one on that ``from.txt`` names."""
    for number in range(5):
        bench.task(f"t{number}", task_name=f"t{number}")
    (bench.path / "slow.py").write_text(SLOW)
    return bench


def cut_off(bench, *options, hangs_from: str, begun: int, number: int = signal.SIGINT) -> list[str]:
    """The output of a run that is interrupted when ``begun`` trials have begun and those that do not hang are over."""
    (bench.path / "from.txt").write_text(hangs_from)
    argv = [sys.executable, "-m", "pytest", "tasks", "--agent=slow:Slow", *options]
    child = subprocess.Popen(
        argv, cwd=bench.path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )
    file, ends_at = bench.path / "begun.txt", time.monotonic() + 120
    done = int(hangs_from[1])
    while time.monotonic() < ends_at and not (
        file.exists() and len(file.read_text().split()) >= begun and len(bench.labs("destroy")) >= done
    ):
        time.sleep(0.05)
    time.sleep(0.5)  # what ended must have been reported
    if number == signal.SIGINT:
        os.killpg(child.pid, number)
    else:
        child.send_signal(number)
    out, _ = child.communicate(timeout=60)
    assert child.returncode == pytest.ExitCode.INTERRUPTED, out
    return out.splitlines()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_says_how_many_of_how_many_and_the_command_that_goes_on_works(five, workers, number):
    lines = cut_off(five, "--netbench-results", "my run", *workers, hangs_from="t3", begun=4, number=number)
    assert "3 of 5 trials done" in lines
    (go_on,) = (line.removeprefix("go on with: ") for line in lines if line.startswith("go on with: "))
    words = shlex.split(go_on)
    assert words == ["python", "-m", "pytest", "tasks", "--agent=slow:Slow", *workers, "--netbench-resume=my run"]
    (five.path / "from.txt").write_text("t9")
    resumed = five.run(*words[4:], timeout=120)
    resumed.assert_outcomes(passed=2, deselected=0 if workers else 3)
    resumed.stdout.fnmatch_lines(["resumed: 3 of its trials were done before"])


def test_a_resumed_run_that_is_cut_off_again_counts_what_was_done_before(five):
    cut_off(five, "--netbench-results=out", hangs_from="t1", begun=2)
    lines = cut_off(five, "--netbench-resume", "out", hangs_from="t3", begun=5)
    assert "3 of 5 trials done" in lines
    assert any(line.endswith("--agent=slow:Slow --netbench-resume=out") for line in lines)


def test_a_resume_before_the_first_trial_ended_starts_from_nothing(five, workers):
    lines = cut_off(five, *workers, hangs_from="t0", begun=1)
    assert "0 of 5 trials done" in lines
    (go_on,) = (line.removeprefix("go on with: ") for line in lines if line.startswith("go on with: "))
    (five.path / "from.txt").write_text("t9")
    resumed = five.run(*shlex.split(go_on)[4:], timeout=120)
    resumed.assert_outcomes(passed=5)
    assert resumed.ret == 0


def test_a_run_that_ends_by_itself_says_nothing_of_it(five):
    (five.path / "from.txt").write_text("t9")
    result = five.run("--agent=slow:Slow", "-k", "t0")
    result.assert_outcomes(passed=1, deselected=4)
    result.stdout.no_fnmatch_line("*trials done*")
