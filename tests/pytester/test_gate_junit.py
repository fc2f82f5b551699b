"""The gate in a JUnit file, as a CI system reads it."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.pytester.test_gate import GATED, SCRIPTED


@pytest.fixture
def ten(bench):
    """Ten tasks, a baseline in which all pass, and another test."""
    for number in range(10):
        bench.task(f"t{number:02}", task_name=f"t{number:02}")
    (bench.path / "scripted.py").write_text(SCRIPTED)
    (bench.path / "agents").mkdir()
    (bench.path / "agents" / "scripted.agent.yaml").write_text("strategy: scripted:Scripted\n")
    (bench.path / "prompt.txt").write_text("")
    assert bench.run("--agent=scripted", "--netbench-save-baseline=baseline.json", "-q").ret == 0
    return bench


def cases(path: Path) -> dict[str, ET.Element]:
    suite = ET.parse(path).getroot().find("testsuite")
    assert suite is not None
    found = {f"{one.get('classname')}.{one.get('name')}": one for one in suite.iter("testcase")}
    assert suite.get("tests") == str(len(found))
    for name, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        assert suite.get(name) == str(sum(one.find(tag) is not None for one in found.values())), name
    return found


@pytest.mark.parametrize("processes", ["-n0", "-n2"])
def test_a_gate_that_is_passed_has_no_failed_trial(ten, processes):
    (ten.path / "prompt.txt").write_text("t07")
    run = ten.run(*GATED, "--junit-xml=junit.xml", processes)
    assert run.ret == 0
    run.stdout.fnmatch_lines(["*1 failed, 9 passed*"])
    found = cases(ten.path / "junit.xml")
    assert len(found) == 11
    assert not [name for name, one in found.items() if one.find("failure") is not None]
    (failed,) = [one for one in found.values() if "t07" in one.get("name", "")]
    assert {one.get("name"): one.get("value") for one in failed.iter("property")}["netbench.status"] == "failed"
    assert not [one for one in failed.iter("property") if one.get("name") == "netbench.gate.trial"]
    gate = found["netbench.gate"].find("skipped")
    assert gate is not None
    assert gate.get("message") == "inconclusive: scripted, passed, all tasks"
    assert "lost: tasks/access/t07.task.yaml::t07: 0 of 1, was 1 of 1" in (gate.text or "")


@pytest.mark.parametrize("processes", ["-n0", "-n2"])
def test_a_gate_that_fails_names_all_tasks_that_got_worse(ten, processes):
    (ten.path / "prompt.txt").write_text(" ".join(f"t{number:02}" for number in range(8)))
    (ten.path / "tasks" / "test_other.py").write_text("def test_other():\n    assert False\n")
    assert ten.run(*GATED, "--junit-xml=junit.xml", processes).ret == 10
    found = cases(ten.path / "junit.xml")
    gate = found["netbench.gate"].find("failure")
    assert gate is not None
    assert gate.get("message") == "REGRESSED: scripted, passed, all tasks"
    for number in range(8):
        assert f"t{number:02}: 0 of 1, was 1 of 1" in (gate.text or "")
    assert sum(one.find("failure") is not None for one in found.values()) == 10, "eight trials, the test, and the gate"


def test_other_tests_stay_failures_and_properties_can_be_off(ten):
    (ten.path / "prompt.txt").write_text("t07")
    (ten.path / "tasks" / "test_other.py").write_text("def test_other():\n    assert False\n")
    run = ten.run(*GATED, "--junit-xml=junit.xml", "-o", "netbench_junit_properties=false")
    assert run.ret == 1
    found = cases(ten.path / "junit.xml")
    assert [name for name, one in found.items() if one.find("failure") is not None] == ["tasks.test_other.test_other"]
    assert not [one for case in found.values() for one in case.iter("property")]


def test_errors_are_skipped_if_the_gate_is_passed_and_not_judged_is_an_error(ten):
    (ten.path / "prompt.txt").write_text("unreachable:t01")
    assert ten.run(*GATED, "--junit-xml=junit.xml").ret == 0
    (skipped,) = [one for name, one in cases(ten.path / "junit.xml").items() if "t01" in name]
    words = skipped.find("skipped")
    assert words is not None
    assert words.get("message", "").startswith("infrastructure error, not compared")
    (ten.path / "prompt.txt").write_text("unreachable:t01 unreachable:t02 unreachable:t03")
    assert ten.run(*GATED, "--junit-xml=junit.xml").ret == 11
    found = cases(ten.path / "junit.xml")
    gate = found["netbench.gate"].find("error")
    assert gate is not None
    assert gate.get("message") == "NOT JUDGED: too many infrastructure errors"
    assert sum(one.find("error") is not None for one in found.values()) == 4


def test_without_a_baseline_the_file_is_as_pytest_wrote_it(ten):
    (ten.path / "prompt.txt").write_text("t07")
    ten.run("--agent=scripted", "--junit-xml=junit.xml", "--netbench-save-baseline=other.json")
    found = cases(ten.path / "junit.xml")
    assert "netbench.gate" not in found
    assert [one.find("failure") is not None for one in found.values()].count(True) == 1
