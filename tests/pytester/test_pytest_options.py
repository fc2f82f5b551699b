"""pytest's own options, on tasks."""

from __future__ import annotations

import sys

import pytest


def test_lf_runs_what_failed(bench, workers):
    bench.task("reach")
    bench.task("other")
    bench.run("--agent=oracle", "--agent=mine:Half", *workers).assert_outcomes(passed=2, failed=2)
    result = bench.run("--agent=oracle", "--agent=mine:Half", "--lf", *workers)
    result.assert_outcomes(failed=2)


def test_lf_runs_what_erred(bench):
    bench.task("reach")
    bench.run("--agent=oracle", "--agent=mine:NotPrepared").assert_outcomes(passed=1, errors=1)
    bench.run("--agent=oracle", "--agent=mine:NotPrepared", "--lf").assert_outcomes(errors=1)


def test_ff_runs_what_failed_first(bench):
    bench.task("aaa")
    bench.task("zzz")
    bench.run("--agent=oracle", "-k", "aaa")
    bench.run("--agent=mine:Half", "-k", "zzz")
    result = bench.run("--agent=mine:Half", "--ff", "-v")
    names = [
        line.split("::")[1].split("[")[0] for line in result.outlines if line.startswith("tasks/") and "::" in line
    ]
    assert names == ["zzz", "aaa"]


def test_x_stops_at_the_first_failure(bench, workers):
    for name in ("a", "b", "c", "d", "e", "f"):
        bench.task(name)
    result = bench.run("--agent=nop", "-x", *workers)
    assert result.parseoutcomes()["failed"] < 4
    assert result.ret in {1, 2}
    assert len(bench.labs()) == len(bench.labs("destroy"))
    assert len(bench.results()) >= 1


def test_collect_only_starts_no_lab_and_writes_nothing(bench, workers):
    bench.task("reach")
    result = bench.run("--agent=oracle", "--collect-only", *workers)
    result.stdout.fnmatch_lines(["*<TaskFile reach.task.yaml>*", "*<TaskItem reach[[]oracle[]]>*"])
    assert not bench.labs()
    assert not (bench.path / ".netbench").exists()


def test_it_runs_without_the_cache(bench, workers):
    bench.task("reach")
    bench.run("--agent=oracle", "-p", "no:cacheprovider", *workers).assert_outcomes(passed=1)


def test_it_runs_without_xdist(bench):
    bench.task("reach")
    bench.run("--agent=oracle", "-p", "no:xdist").assert_outcomes(passed=1)


def test_it_runs_quietly_and_without_a_terminal(bench):
    bench.task("reach")
    assert bench.run("--agent=oracle", "-q").ret == 0
    assert bench.run("--agent=oracle", "-p", "no:terminal").ret == 0


def test_pdb_opens_on_a_failure_while_the_lab_is_up(bench):
    pytest.importorskip("pexpect")
    bench.task("reach")
    child = bench.pytester.spawn(
        f"{sys.executable} -m pytest tasks --agent=nop --pdb --netbench-results=out", expect_timeout=20
    )
    child.expect("3? of 3 testcases failed|testcases failed")
    child.expect("(Pdb)")
    assert bench.labs()
    assert not bench.labs("destroy")
    child.sendline("c")
    child.expect("1 failed")
    child.wait()
    assert bench.labs("destroy")


def test_reruns_repeat_a_trial_on_a_fresh_lab_and_count_it_once(bench, workers):
    bench.task("reach")
    result = bench.run("--agent=mine:Flaky", "--reruns=2", "--junitxml=out.xml", *workers)
    result.assert_outcomes(passed=1)
    assert result.parseoutcomes()["rerun"] == 1
    assert len(bench.labs()) == len(bench.labs("destroy")) == 2
    (entry,) = bench.results()
    assert entry["status"] == "passed"
    assert (bench.path / "out.xml").read_text().count("netbench.score.testcase") == 1


def test_a_rerun_that_fails_again_shows_its_sections_once(bench):
    bench.task("reach")
    result = bench.run("--agent=nop", "--reruns=1", "-v")
    assert result.parseoutcomes() == {"failed": 1, "rerun": 1}
    assert sum("netbench scores" in line for line in result.outlines) == 1


def test_an_expected_failure_is_an_xfail(bench):
    bench.task("reach")
    (bench.path / "conftest.py").write_text(
        "import pytest\n"
        "def pytest_collection_modifyitems(items):\n"
        "    for item in items: item.add_marker(pytest.mark.xfail(reason='known'))\n"
    )
    bench.run("--agent=nop").assert_outcomes(xfailed=1)
    assert bench.results()[0]["status"] == "failed"


def test_durations_names_the_setup_that_held_the_trial(bench):
    bench.task("reach")
    bench.run("--agent=oracle", "--durations=3", "--durations-min=0").stdout.fnmatch_lines(
        ["*s setup *reach[[]oracle[]]"]
    )
