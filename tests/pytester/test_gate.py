"""The gate of a run: exit statuses, verdicts and files, as a CI system sees them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTED = """
import pathlib

from pytest_netbench.model.trial import AgentInfo, Submission


class Scripted:
    info = AgentInfo(id="scripted", strategy="own")

    def run(self, brief, ani):
        words = pathlib.Path("prompt.txt").read_text().split()
        if f"unreachable:{brief.task_name}" in words:
            ani.execute_cmd("edge", "die")
        if brief.task_name not in words:
            ani.update_cfg("edge", ["no deny tcp 80 any", "route 10.9.0.0/16 via 10.0.2.10"])
        return Submission()
"""
GATED = ("--agent=scripted", "--netbench-baseline=baseline.json")


@pytest.fixture
def ten(bench):
    """Ten tasks, and an agent that does not work on those whose names its prompt has."""
    for number in range(10):
        bench.task(f"t{number:02}", task_name=f"t{number:02}")
    (bench.path / "scripted.py").write_text(SCRIPTED)
    (bench.path / "agents").mkdir()
    (bench.path / "agents" / "scripted.agent.yaml").write_text("strategy: scripted:Scripted\n")
    (bench.path / "prompt.txt").write_text("")
    return bench


def test_a_changed_prompt_turns_ci_red_and_the_same_agent_stays_green(ten):
    saved = ten.run("--agent=scripted", "--netbench-trials=3", "--netbench-save-baseline=baseline.json", "-n2", "-q")
    saved.stdout.fnmatch_lines(["*netbench gate*", "baseline of 30 trials: baseline.json"])
    assert saved.ret == 0
    (ten.path / "prompt.txt").write_text("t03 t07 t08")
    red = ten.run(*GATED, "--netbench-trials=3", "--netbench-markdown=summary.md", "-n2", "-q")
    assert red.ret == 10
    red.stdout.fnmatch_lines(
        [
            "THE GATE IS NOT PASSED",
            "  REGRESSED: scripted, passed, all tasks",
            "    0.700, was 1.000 (10 tasks; 30 trials, were 30)",
            "    worse by at least 0.??? (95% sure); a loss of 0.02 is accepted",
            "    lost: tasks/access/t03.task.yaml::t03: 0 of 3, was 3 of 3",
        ]
    )
    assert "REGRESSED" in (ten.path / "summary.md").read_text()
    # one failure in a single trial of each is not sure
    (ten.path / "prompt.txt").write_text("t07")
    one = ten.run(*GATED, "-n2", "-q")
    one.stdout.fnmatch_lines(["the gate is passed", "  inconclusive: scripted, passed, all tasks"])
    assert one.ret == 0, "trials may fail as often as the policy accepts"


def test_statuses_tell_a_regression_from_a_broken_machine_and_from_other_tests(bench, monkeypatch):
    for name in ("a", "b", "c", "d"):
        bench.task(name, task_name=name)
    (bench.path / "scripted.py").write_text(SCRIPTED)
    (bench.path / "prompt.txt").write_text("")
    agent = "--agent=scripted:Scripted"
    assert bench.run(agent, "--netbench-save-baseline=baseline.json").ret == 0
    gated = (agent, "--netbench-baseline=baseline.json")
    (bench.path / "prompt.txt").write_text("unreachable:a unreachable:b")
    broken = bench.run(*gated)
    assert broken.ret == 11
    broken.stdout.fnmatch_lines(["NOT JUDGED: too many infrastructure errors", "  2 of 4 trials ended in an infra*"])
    (bench.path / "prompt.txt").write_text("")
    (bench.path / "tasks" / "test_other.py").write_text("def test_other():\n    assert False\n")
    assert bench.run(*gated).ret == 1, "the gate excuses trials, not other tests"
    (bench.path / "tasks" / "test_other.py").unlink()
    (bench.path / "prompt.txt").write_text("a b c d")
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    red = bench.run(*gated)
    assert red.ret == 10
    red.stdout.fnmatch_lines(["::error title=netbench gate::REGRESSED: scripted.Scripted, passed, all tasks; *"])


def test_the_policy_may_stand_in_the_ini_file_and_wrong_options_are_refused(bench):
    bench.task("a")
    assert bench.run("--agent=oracle", "--netbench-save-baseline=b.json").ret == 0
    (bench.path / "gate.yaml").write_text("rules: [{inconclusive: fail}]\n")
    ini = bench.path / "tox.ini"
    ini.write_text(ini.read_text() + "\nnetbench_policy = gate.yaml\n")
    one = bench.run("--agent=oracle", "--netbench-baseline=b.json")
    assert one.ret == 10, one.stderr.str()
    for options, words in (
        (("--netbench-baseline=none.json",), "*none.json: cannot be read*--netbench-save-baseline*"),
        (("--netbench-baseline=gate.yaml",), "*gate.yaml: not a baseline*"),
        (("--netbench-save-baseline=no/such/b.json",), "*there is no such folder*"),
        (("--netbench-policy=gate.yaml",), "*give --netbench-baseline FILE, too*"),
        (("--netbench-markdown=x.md",), "*give --netbench-baseline FILE, too*"),
        (("--netbench-baseline=b.json", "--netbench-policy=tasks"), "*tasks: *"),
    ):
        refused = bench.run("--agent=oracle", *options)
        assert refused.ret == 4
        refused.stderr.fnmatch_lines([words])
    alone = bench.run("--netbench-baseline=b.json")
    assert alone.ret == 4, "without an agent nothing would be judged, and that must not be green"
    alone.stderr.fnmatch_lines(["*--netbench-baseline is about an agent: give --agent, too*"])


def test_a_run_that_was_cut_off_is_neither_judged_nor_saved(bench):
    bench.task("a")
    (bench.path / "tasks" / "conftest.py").write_text(
        "import pytest\n\n\ndef pytest_netbench_result(result):\n    raise KeyboardInterrupt\n"
    )
    cut = bench.run("--agent=oracle", "--netbench-save-baseline=b.json")
    assert cut.ret == 2
    assert not (bench.path / "b.json").exists()
    (bench.path / "tasks" / "conftest.py").unlink()
    bench.task("b")
    stopped = bench.run("--agent=nop", "-x", "--netbench-save-baseline=b.json")
    assert stopped.ret == 1
    stopped.stdout.fnmatch_lines(["the run did not end by itself: neither judged nor saved"])
    assert not (bench.path / "b.json").exists(), "what -x leaves is not the agent's share"


def test_stored_runs_are_judged_by_the_command(ten):
    ten.run("--agent=scripted", "--netbench-trials=2", "--netbench-save-baseline=b.json", "-q")
    (ten.path / "prompt.txt").write_text(" ".join(f"t{number:02}" for number in range(6)))
    for folder in ("one", "two"):
        ten.run("--agent=scripted", f"--netbench-results={folder}", "--netbench-trials=2", "-q")
    netbench = Path(sys.executable).with_name("netbench")

    def gate(*arguments: str) -> subprocess.CompletedProcess[str]:
        argv = [str(netbench), "gate", "b.json", *arguments]
        return subprocess.run(argv, cwd=ten.path, capture_output=True, text=True, check=False, env=os.environ)

    once, twice = gate("one"), gate("one", "two", "--markdown")
    assert (once.returncode, twice.returncode) == (1, 1)
    assert "REGRESSED: scripted" in once.stdout
    assert "### netbench: THE GATE IS NOT PASSED" in twice.stdout
    assert "40 trials, were 20" in twice.stdout, "the trials of both runs count"
    missing = gate("nowhere")
    assert missing.returncode == 2
    assert "no such results directory" in missing.stderr
    assert json.loads((ten.path / "b.json").read_text())["format"] == 1


@pytest.mark.parametrize("processes", ["-n0", "-n2"])
def test_a_run_in_which_nothing_could_be_a_regression_says_so_before_the_first_trial(bench, processes):
    bench.task("a", task_name="a")
    saved = bench.run("--agent=oracle", "--netbench-trials=3", "--netbench-save-baseline=b.json", "-q")
    saved.stdout.fnmatch_lines(
        ["warning: oracle passes 1.00; a gate with 1 task of 3 trials finds * netbench gate --plan *"]
    )
    run = bench.run("--agent=oracle", "--netbench-baseline=b.json", processes)
    said = "netbench gate: oracle, passed, all tasks: with 1 task of 1 trial, 3 in the baseline, nothing can be called*"
    run.stdout.fnmatch_lines([said, "*1 passed*"])
    assert run.stdout.str().count("nothing can be called REGRESSED") == 1
    place = run.stdout.str().index("nothing can be called REGRESSED")
    assert place < run.stdout.str().index("[100%]")
    enough = bench.run("--agent=oracle", "--netbench-baseline=b.json", "--netbench-trials=3", processes)
    assert "nothing can be called" not in enough.stdout.str()
