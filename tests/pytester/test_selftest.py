from __future__ import annotations

import json


def test_a_sound_task_passes_and_its_truth_is_recorded(bench, workers):
    bench.task("reach")
    result = bench.run("--netbench-selftest", "--netbench-selftest-repeats=2", *workers)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["netbench: self-test · backend memory · *"])
    result.stdout.fnmatch_lines(["task *oracle passes *nop passes *", "reach *3 of 3 *0 of 2 *2 of 2 *8 *ok"])
    (path,) = (bench.path / "tasks" / "access" / ".truth").glob("reach-*.json")
    truth = json.loads(path.read_text())
    assert "deny tcp 80 any" in truth["initial_configs"]["edge"]
    assert "deny tcp 80 any" not in truth["configs"]["edge"]
    assert not (bench.path / ".netbench").exists()
    assert len(bench.labs()) == len(bench.labs("destroy")) == 8


def test_the_recorded_truth_is_what_the_command_score_compares_with(bench):
    bench.task("reach")
    bench.run("--netbench-selftest", "--netbench-selftest-repeats=1").assert_outcomes(passed=1)
    bench.run("--agent=oracle", "--agent=nop")
    scores = {
        entry["agent"]["id"]: next(one["value"] for one in entry["scores"] if one["metric"] == "command")
        for entry in bench.results()
    }
    assert scores == {"oracle": 1.0, "nop": 0.0}


def test_a_task_with_a_survivor_fails_and_the_table_lists_it(bench, workers):
    bench.task(
        "idle", ground_truth_configs={"edge": ["no deny tcp 80 any", "route 10.9.0.0/16 via 10.0.2.10", "policy x"]}
    )
    bench.task("reach")
    result = bench.run("--netbench-selftest", "--netbench-selftest-repeats=1", *workers)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        ["idle: 1 problem in the self-test", "  - edge: leaving out 'policy x' fails no testcase: *accepted_survivors"]
    )
    result.stdout.fnmatch_lines(["lines that no testcase misses:", "  idle edge: 'policy x': not explained"])
    result.stdout.no_fnmatch_line("*Traceback*")
    assert [path.name[:6] for path in (bench.path / "tasks" / "access" / ".truth").iterdir()] == ["reach-"]


def test_an_explained_survivor_passes_and_is_listed_with_its_reason(bench):
    bench.task(
        "idle",
        ground_truth_configs={"edge": ["no deny tcp 80 any", "route 10.9.0.0/16 via 10.0.2.10", "policy x"]},
        accepted_survivors={"edge": {"policy x": "a name for the operator"}},
    )
    result = bench.run("--netbench-selftest", "--netbench-selftest-repeats=1")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["  idle edge: 'policy x': a name for the operator"])


def test_a_lab_that_breaks_is_an_error_and_not_a_problem_of_the_task(bench):
    bench.task("broken", tags=["lab-breaks"])
    bench.run("--netbench-selftest").assert_outcomes(errors=1)


def test_what_the_machine_lacks_skips_the_self_test(bench):
    bench.task("exotic", requirements=["unobtainium"])
    bench.run("--netbench-selftest").assert_outcomes(skipped=1)
