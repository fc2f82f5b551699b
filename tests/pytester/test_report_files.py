"""``--netbench-ctrf`` and ``--junitxml``: files that are valid by the schemas of those who read them."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from tests.pytester.test_unsafe_texts import AGENTS as UNSAFE
from tests.support.report_files import junit_errors, valid_ctrf

OTHERS = """
import pytest

def test_passes(record_property):
    record_property("mine", "1")

def test_fails():
    assert 1 == 2

@pytest.fixture
def broken():
    raise OSError("no disk")

def test_errs(broken):
    pass

@pytest.mark.skip(reason="not today")
def test_skipped():
    pass

@pytest.mark.xfail(reason="known")
def test_known():
    assert 0
"""


@pytest.fixture
def mixed(bench):
    bench.task("reach")
    (bench.path / "unsafe.py").write_text(UNSAFE)
    (bench.path / "tasks" / "test_other.py").write_text(OTHERS)
    return bench


MIXED = ("--agent=oracle", "--agent=mine:Half", "--agent=mine:NotPrepared", "--agent=unsafe:Speaks")


def test_both_reports_have_every_item_with_the_scores_of_trials(mixed, workers):
    ended = mixed.run(
        *MIXED, "--netbench-ctrf=ctrf.json", "--junitxml=out.xml", "-ojunit_logging=all", *workers, timeout=240
    )
    ended.stdout.fnmatch_lines(["CTRF report: ctrf.json"])
    report = valid_ctrf(mixed.path / "ctrf.json")
    results = report["results"]
    raw = {one["name"]: one["rawStatus"] for one in results["tests"]}
    assert raw == {
        "reach[oracle]": "passed",
        "reach[mine.Half]": "failed",
        "reach[mine.NotPrepared]": "error",
        "reach[unsafe.Speaks]": "failed",
        "test_passes": "passed",
        "test_fails": "failed",
        "test_errs": "error",
        "test_skipped": "skipped",
        "test_known": "xfailed",
    }
    counts = {name: results["summary"][name] for name in ("tests", "passed", "failed", "skipped", "pending", "other")}
    assert counts == {"tests": 9, "passed": 2, "failed": 3, "skipped": 2, "pending": 0, "other": 2}
    assert results["extra"]["netbench"] | {"results": ""} == {
        "complete": True,
        "errors": 2,
        "exit_status": ended.ret,
        "results": "",
    }
    tests = {one["name"]: one for one in results["tests"]}
    half = tests["reach[mine.Half]"]
    assert half["message"] == "1 of 3 testcases failed: dc-route"
    assert "expected:" in half["trace"]
    assert half["filePath"] == "tasks/access/reach.task.yaml"
    assert [one["status"] for one in half["steps"]].count("failed") == 1
    about = half["extra"]["netbench"]
    assert about["scores"]["testcase"]["value"] == pytest.approx(2 / 3)
    assert about["scores"]["testcase"]["scorer"].startswith("testcase/")
    assert about["scores"]["reasoning"]["value"] is None or about["scores"]["reasoning"]["value"] <= 1
    assert (about["agent"], about["budget_used"]["commands"]) == ("mine.Half", 1)
    assert tests["reach[mine.NotPrepared]"]["extra"]["netbench"]["scores"] == {}, "an error is no measurement"
    assert tests["test_skipped"]["message"] == "not today"
    assert tests["test_errs"]["message"] == "OSError: no disk"
    assert "extra" not in tests["test_passes"]
    assert ("threadId" in half) == bool(workers)
    assert "\x1b" not in (mixed.path / "ctrf.json").read_text()
    for one in results["tests"]:
        assert results["summary"]["start"] <= one["start"] <= one["stop"] <= results["summary"]["stop"]
    found = {element.tag for element in ET.parse(mixed.path / "out.xml").iter()}
    assert found >= {"failure", "error", "skipped", "system-out", "properties"}
    errors = junit_errors(mixed.path / "out.xml")
    assert errors, "the schema knows no properties in test cases: if it does now, the how-to page is wrong"
    assert [error for error in errors if "'properties': This element is not expected" not in error] == []


def test_what_was_run_until_the_first_failure_is_reported(bench, workers):
    for name in ("a", "b", "c", "d"):
        bench.task(name)
    bench.run("--agent=nop", "-x", "--netbench-ctrf=ctrf.json", *workers)
    report = valid_ctrf(bench.path / "ctrf.json")
    assert not report["results"]["extra"]["netbench"]["complete"]
    assert 1 <= report["results"]["summary"]["tests"] < 4


def test_what_was_run_until_ctrl_c_is_reported(bench):
    bench.task("a")
    (bench.path / "tasks" / "test_then.py").write_text(
        "import os, signal, time\n\n\ndef test_then():\n    os.kill(os.getpid(), signal.SIGINT)\n    time.sleep(9)\n"
    )
    assert bench.run("--agent=oracle", "--netbench-ctrf=ctrf.json").ret == 2
    results = valid_ctrf(bench.path / "ctrf.json")["results"]
    assert [one["status"] for one in results["tests"]] == ["passed", "pending"], "what was cut off has not passed"
    assert results["extra"]["netbench"] | {"results": ""} == {
        "complete": False,
        "errors": 0,
        "exit_status": 2,
        "results": "",
    }


def test_an_attempt_that_is_repeated_is_a_retry(bench):
    bench.task("reach")
    bench.run("--agent=mine:Flaky", "--reruns=2", "--netbench-ctrf=ctrf.json").assert_outcomes(passed=1)
    (one,) = valid_ctrf(bench.path / "ctrf.json")["results"]["tests"]
    assert (one["status"], one["retries"], one["flaky"]) == ("passed", 1, True)


def test_a_self_test_and_a_run_without_an_agent_are_reported_too(bench):
    bench.task("reach")
    bench.run("--netbench-selftest", "--netbench-selftest-repeats=1", "--netbench-ctrf=ctrf.json")
    assert valid_ctrf(bench.path / "ctrf.json")["results"]["tests"][0]["name"] == "reach[selftest]"
    bench.run("--netbench-ctrf=ctrf.json")
    assert valid_ctrf(bench.path / "ctrf.json")["results"]["summary"]["skipped"] == 1


def test_a_file_that_cannot_be_collected_is_reported(bench):
    (bench.path / "tasks").mkdir()
    (bench.path / "tasks" / "test_wrong.py").write_text("import nothing_like_this\n")
    bench.run("--agent=oracle", "--netbench-ctrf=ctrf.json")
    (one,) = valid_ctrf(bench.path / "ctrf.json")["results"]["tests"]
    assert (one["status"], one["rawStatus"], one["name"]) == ("other", "error", "tasks/test_wrong.py")


@pytest.mark.parametrize("name", ["none/ctrf.json", "tasks"])
def test_what_cannot_be_written_is_said_before_the_run(bench, name):
    bench.task("reach")
    ended = bench.run("--agent=oracle", f"--netbench-ctrf={name}")
    assert ended.ret == 4
    ended.stderr.fnmatch_lines([f"*--netbench-ctrf={name}: *folder*"])


def test_without_properties_junit_is_valid_by_the_schema_of_jenkins(mixed):
    (mixed.path / "tasks" / "test_other.py").write_text(OTHERS.replace('record_property("mine", "1")', "pass"))
    mixed.run(*MIXED, "--junitxml=out.xml", "-onetbench_junit_properties=false", "-ojunit_logging=all", timeout=240)
    assert len(list(ET.parse(mixed.path / "out.xml").iter("testcase"))) == 9
    assert junit_errors(mixed.path / "out.xml") == []
