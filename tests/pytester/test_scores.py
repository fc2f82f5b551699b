"""Scores in a run: right solutions that are recorded, the draft's formulas beside ours, and scoring again."""

from __future__ import annotations

import json
import sys

import pytest

RESCORE = "from pytest_netbench.cli.main import main; raise SystemExit(main(['rescore', 'out']))"
DRAFT = ("netconfbench.command", "netconfbench.reasoning")


@pytest.fixture
def recorded(bench):
    """A task with a recorded ground truth, and the half of it as another right solution."""
    bench.task("reach")
    bench.run("--netbench-selftest", "--netbench-selftest-repeats=1").assert_outcomes(passed=1)
    (path,) = (bench.path / "tasks" / "access" / ".truth").glob("reach-*.json")
    truth = json.loads(path.read_text())
    half = truth["initial_configs"]["edge"].replace("\ndeny tcp 80 any", "")
    assert half != truth["initial_configs"]["edge"]
    truth |= {"right": {"a half": {"edge": half}}, "right_reasoning": {"a half": "port 80 was dropped"}}
    path.write_text(json.dumps(truth))
    return bench


def values(entry: dict) -> dict[str, float]:
    return {one["metric"]: one["value"] for one in entry["scores"]}


def test_the_nearest_recorded_right_solution_counts_and_the_draft_knows_only_the_truth(recorded, workers):
    recorded.run("--agent=mine:Half", "--agent=oracle", *workers).assert_outcomes(passed=1, failed=1)
    found = {entry["agent"]["id"]: entry for entry in recorded.results()}
    half, oracle = values(found["mine.Half"]), values(found["oracle"])
    assert (half["command"], half["reasoning"]) == (1.0, 1.0)
    assert half["netconfbench.command"] == pytest.approx(2 / 3, abs=1e-6)
    assert {oracle["command"], oracle["netconfbench.command"]} == {1.0}
    command = next(one for one in found["mine.Half"]["scores"] if one["metric"] == "command")
    assert command["evidence"]["nearest"] == "a half"
    assert command["evidence"]["references"]["ground truth"] == half["netconfbench.command"]


def test_the_drafts_scores_are_in_results_junit_and_sections_and_in_a_verbose_summary(recorded):
    plain = recorded.run("--agent=mine:Half", "--junitxml=out.xml")
    (entry,) = recorded.results()
    assert set(DRAFT) < set(values(entry))
    text = (recorded.path / "out.xml").read_text()
    assert 'name="netbench.score.netconfbench.command" value="0.666667"' in text
    assert 'name="netbench.scorer.netconfbench.command" value="netconfbench.command/1"' in text
    plain.stdout.no_fnmatch_line("netconfbench.command: *")
    plain.stdout.fnmatch_lines(["domain passed * reasoning command testcase how it ended"])
    verbose = recorded.run("--agent=mine:Half", "-v").stdout
    verbose.fnmatch_lines(["netconfbench.command    0.67  1 of 1 changed lines are in the ground truth, *"])
    verbose.fnmatch_lines(["netconfbench.command: 0.67"])


def test_a_run_is_scored_again_with_the_right_solutions_that_it_knew(recorded):
    recorded.run("--agent=mine:Half", "--netbench-results=out")
    (path,) = (recorded.path / "tasks" / "access" / ".truth").glob("reach-*.json")
    path.unlink()
    again = recorded.pytester.run(sys.executable, "-c", RESCORE)
    assert again.ret == 0
    again.stdout.fnmatch_lines(["1 results, 5 scores equal, 0 different: *"])
    (line,) = (recorded.path / "out" / "results.rescored.jsonl").read_text().splitlines()
    assert values(json.loads(line))["command"] == 1.0
