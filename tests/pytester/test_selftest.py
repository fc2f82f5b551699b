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
    assert [path.name for path in (bench.path / ".netbench").iterdir()] == ["cache"]
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
    bench.task("broken", requirements=["lab-breaks"])
    bench.run("--netbench-selftest").assert_outcomes(errors=1)


def test_what_the_machine_lacks_skips_the_self_test(bench):
    bench.task("exotic", requirements=["unobtainium"])
    bench.run("--netbench-selftest").assert_outcomes(skipped=1)


def solutions(bench, **content: object) -> None:
    folder = bench.path / "tasks" / "access" / ".solutions"
    folder.mkdir(exist_ok=True)
    (folder / "reach.yaml").write_text(json.dumps(content))


def one(name: str, *lines: str) -> dict[str, object]:
    return {"name": name, "reason": "a reason", "configs": {"edge": lines}}


RIGHT = [
    one("named", "policy x", "no deny tcp 80 any", "route 10.9.0.0/16 via 10.0.2.10"),
    one("twice", "route 10.9.0.0/16 via 10.0.2.10", "route 10.9.0.0/16 via 10.0.2.10", "no deny tcp 80 any"),
]
WRONG = [one(f"wrong {n}", f"policy w{n}") for n in range(5)]


def test_recorded_solutions_are_run_and_the_table_says_what_fails(bench, workers):
    bench.task("reach")
    solutions(bench, right=RIGHT, wrong=WRONG)
    result = bench.run("--netbench-selftest", "--netbench-selftest-repeats=1", *workers)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["task *right pass *wrong fail *", "reach *2 of 2 *5 of 5 *11 *ok"])
    result.stdout.fnmatch_lines(["what fails with wrong solutions:", "  reach 'wrong 0': '*'"])


def test_a_file_of_solutions_that_cannot_be_used_is_an_error_with_its_line(bench):
    bench.task("reach")
    solutions(bench, right=RIGHT, wrong=WRONG[:4])
    result = bench.run("--netbench-selftest", "--netbench-selftest-repeats=1")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*.solutions/reach.yaml:1:*: 4 wrong solutions; a task needs 5"])


def test_only_the_claims_that_are_asked_for_are_measured(bench):
    bench.task("reach")
    result = bench.run("--netbench-selftest", "--netbench-selftest-claims=nop,oracle", "--netbench-selftest-repeats=1")
    result.assert_outcomes(passed=1)
    assert len(bench.labs()) == 2
    assert not (bench.path / "tasks" / "access" / ".truth").exists()


def test_an_unknown_claim_ends_the_run_before_any_lab(bench):
    bench.task("reach")
    result = bench.run("--netbench-selftest", "--netbench-selftest-claims=oracel")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*unknown claim 'oracel' (known: oracle, nop, omissions, solutions, mutants)"])
    assert bench.labs() == []


def test_kept_verdicts_are_reused_until_the_task_changes(bench):
    bench.task("reach")
    solutions(bench, right=RIGHT, wrong=WRONG)
    options = ("--netbench-selftest", "--netbench-selftest-claims=omissions,solutions", "--netbench-selftest-repeats=1")

    def opened(*more: str) -> int:
        before = len(bench.labs())
        bench.run(*options, *more).assert_outcomes(passed=1)
        return len(bench.labs()) - before

    assert opened() == 9
    assert opened() == 0
    assert opened("--netbench-selftest-fresh") == 9
    solutions(bench, right=RIGHT, wrong=[*WRONG[:4], one("another", "policy z")])
    assert opened() == 1
    bench.task("reach", time_scale=50)
    assert opened() == 9


def test_a_share_of_the_solutions_is_drawn_by_the_seed(bench):
    bench.task("reach")
    solutions(bench, right=RIGHT, wrong=WRONG)
    options = ("--netbench-selftest", "--netbench-selftest-claims=solutions", "--netbench-selftest-repeats=1")
    for seed in (1, 2, 3):
        bench.run(*options, "--netbench-selftest-share=3", f"--netbench-selftest-seed={seed}").assert_outcomes(passed=1)
    assert 0 < len(bench.labs()) < 21
