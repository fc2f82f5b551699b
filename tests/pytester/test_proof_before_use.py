"""Drawn tasks that cannot be proven are dropped and counted."""

from __future__ import annotations

import pytest

# draws 0 and 3 have no solution
SERIES = "--netbench-generate=branches:n=5,flaw=3"


@pytest.fixture
def drawn(bench):
    def run(*arguments: str) -> pytest.RunResult:
        return bench.pytester.runpytest_subprocess(*arguments, timeout=60)

    return run


def test_what_cannot_be_proven_is_dropped_for_every_agent_and_counted_once(drawn, bench, workers):
    result = drawn(SERIES, "--agent=oracle", "--agent=nop", "-rs", *workers)
    result.assert_outcomes(passed=3, failed=3, skipped=4)
    result.stdout.fnmatch_lines(["netbench: 2 drawn tasks were dropped: they could not be proven"])
    result.stdout.fnmatch_lines(["SKIPPED *branches:n=5,flaw=3*: not proven: the oracle fails testcase 'never'*"])
    assert len(bench.results()) == 6


def test_a_verdict_is_measured_once_and_kept_by_the_contents_of_the_task(drawn, bench):
    drawn(SERIES, "--agent=nop").assert_outcomes(failed=3, skipped=2)
    first = len(bench.labs())
    drawn(SERIES, "--agent=nop").assert_outcomes(failed=3, skipped=2)
    assert len(bench.labs()) == first + 3
    drawn(f"{SERIES},host=20", "--agent=nop").assert_outcomes(failed=3, skipped=2)
    assert len(bench.labs()) == 2 * first + 3


def test_a_self_test_is_a_proof(drawn, bench):
    drawn(SERIES, "--netbench-selftest", "--netbench-selftest-repeats=1").assert_outcomes(passed=3, failed=2)
    before = len(bench.labs())
    drawn(SERIES, "--agent=oracle").assert_outcomes(passed=3, skipped=2)
    assert len(bench.labs()) == before + 3


def test_without_proof_all_are_used(drawn, bench):
    result = drawn(SERIES, "--agent=oracle", "--netbench-unproven")
    result.assert_outcomes(passed=3, failed=2)
    assert len(bench.labs()) == 5
    result.stdout.no_fnmatch_line("*could not be proven*")


def test_a_lab_that_breaks_during_a_proof_is_an_error_and_no_verdict(drawn, bench, monkeypatch):
    drawn("--netbench-generate=branches:n=1,breaks=true", "--agent=oracle").assert_outcomes(errors=1)
    drawn("--netbench-generate=branches:n=1,breaks=true", "--agent=oracle").assert_outcomes(errors=1)
    assert not list((bench.path / ".netbench").glob("cache/selftest/branches-*"))


def test_tasks_of_files_are_used_without_proof(drawn, bench):
    bench.task("reach")
    drawn("--agent=oracle", "tasks").assert_outcomes(passed=1)
    assert len(bench.labs()) == 1
