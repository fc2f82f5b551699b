"""``benchmarks/equal_results.py`` finds each difference between two checkouts, and names it."""

from __future__ import annotations

import copy
import re
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.checkouts import Broken, Checkout
from benchmarks.differences import ALLOWED, MISSING, differences, first_difference, flat, table
from benchmarks.equal_results import recorded_in
from pytest_netbench.model.trial import TrialResult
from pytest_netbench.taskfile import load_task
from pytest_netbench.taskfile.solutions import load_solutions, solutions_path
from tests.support.task_list import files

ROOT = Path(__file__).parents[2]
ITEM = "tasks/a.task.yaml::a[oracle] trial 1"
RESULT = {
    "family": "configure",
    "status": "passed",
    "started_at": "2026-11-28T08:03:35.442+00:00",
    "duration_s": 10.0,
    "environment": {"git_commit": "8728a336", "time_scale": 20.0},
    "scores": [
        {"metric": "command", "value": 0.3, "explanation": "3 of 10 lines", "evidence": {"matched": 3}},
        {"metric": "latency", "value": 0.57, "explanation": "0.6 s, 3 commands in 2 requests", "evidence": {}},
        {"metric": "safety", "value": 1.0, "explanation": "no flow was lost", "evidence": {}},
    ],
    "testcase_results": [
        {"name": "ping", "under": None, "status": "pass", "actual": "answered after 1.0 ms", "duration_s": 0.2},
        {"name": "rate", "under": None, "status": "pass", "actual": "2 Mbit/s received (84 of 331 packets)"},
        {"name": "far", "status": "fail", "actual": "no answer (after 300 ms); tried 8 times in 0.6 s (11.6 lab s)"},
    ],
}


def changed(*steps: str | int, value: object, result: dict = RESULT) -> dict:
    """A copy of a result in which the value at ``steps`` is another one."""
    made = copy.deepcopy(result)
    inner = made
    for step in steps[:-1]:
        inner = inner[step]
    inner[steps[-1]] = value
    return made


def paths(other: dict, here: dict) -> list[str]:
    return [one.path for one in differences({ITEM: other}, {ITEM: here})]


@pytest.mark.parametrize(
    ("steps", "value", "path"),
    [
        (("status",), "failed", "status"),
        (("scores", 0, "value"), 0.1 + 0.2, "scores.command.value"),
        (("scores", 0, "value"), None, "scores.command.value"),
        (("scores", 0, "evidence", "matched"), 3.0, "scores.command.evidence.matched"),
        (("scores", 0, "explanation"), "4 of 10 lines", "scores.command.explanation"),
        (("scores", 1, "explanation"), "0.6 s, 4 commands in 2 requests", "scores.latency.explanation"),
        (("scores", 2, "value"), 0.5, "scores.safety.value"),
        (("testcase_results", 0, "status"), "fail", "testcase_results.ping.status"),
        (("testcase_results", 0, "actual"), "no answer after 1.0 ms", "testcase_results.ping.actual"),
        (("testcase_results", 1, "actual"), "2 Mbit/s sent (84 of 331 packets)", "testcase_results.rate.actual"),
        (("environment", "time_scale"), 10.0, "environment.time_scale"),
    ],
)
def test_a_changed_value_is_named_by_its_path(steps, value, path):
    assert paths(RESULT, changed(*steps, value=value)) == [path]


@pytest.mark.parametrize(
    ("steps", "value"),
    [
        (("started_at",), "2026-11-28T09:00:00.000+00:00"),
        (("duration_s",), 11.0),
        (("environment", "git_commit"), "8afd8ee3"),
        (("environment", "isolation"), {"read_only": "not enforced"}),
        (("scores", 1, "value"), 0.35),
        (("scores", 1, "explanation"), "0.3 s, 3 commands in 2 requests"),
        (("testcase_results", 0, "actual"), "answered after 1.2 ms"),
        (("testcase_results", 0, "duration_s"), 0.3),
        (("testcase_results", 2, "actual"), "no answer (after 300 ms); tried 7 times in 0.5 s (10.7 lab s)"),
        (("testcase_results", 1, "actual"), "986 kbit/s received (42 of 286 packets)"),
    ],
)
def test_times_commits_and_measured_rates_may_differ(steps, value):
    assert changed(*steps, value=value) != RESULT
    assert paths(RESULT, changed(*steps, value=value)) == []


def test_a_refusal_may_be_told_or_not_but_what_arrived_is_none():
    silent, told = "no answer in 0.15 s (2 tries)", "administratively prohibited (from 10.1.20.1)"
    other = changed("testcase_results", 0, "actual", value=silent)
    assert paths(other, changed("testcase_results", 0, "actual", value=told)) == []
    arrived = changed("testcase_results", 0, "actual", value=f"{silent}, but it arrived at Border")
    assert paths(other, arrived) == ["testcase_results.ping.actual"]


def test_clocks_and_counters_of_what_devices_print_may_differ_but_no_metric_and_no_next_hop():
    shown = (
        "O 10.2.0.0/24 [110/20] via 10.0.0.2, 00:00:09\n  age 7   of 0x80000003 from 10.255.0.2, 3 times in 0.614 secs"
    )
    result = changed("testcase_results", 0, value={"name": "[a]", "kind": "show", "actual": shown})
    at = ("testcase_results", 0, "actual")

    def other(old: str, new: str) -> list[str]:
        return paths(result, changed(*at, value=shown.replace(old, new), result=result))

    for old, new in (
        ("00:00:09", "00:01:10"),
        ("age 7", "age 12"),
        ("0x80000003", "0x8000000b"),
        ("3 times", "4 times"),
        ("0.614 secs", "1.9 secs"),
        ("age 7   of", "age 12  of"),
    ):
        assert other(old, new) == []
    assert other("  age", " age") == ["testcase_results.[a].actual:2"], "lines are indented as before"
    assert other("110/20", "110/30") == ["testcase_results.[a].actual:1"]
    assert other("via 10.0.0.2", "via 10.0.1.2") == ["testcase_results.[a].actual:1"]
    assert other("10.255.0.2", "10.255.0.3") == ["testcase_results.[a].actual:2"]

    result = changed("testcase_results", 0, "kind", value="reference", result=result)
    assert other("age 7", "age 12") == ["testcase_results.[a].actual:2"]


def test_only_plan_may_gain_safety():
    plan = changed("family", value="plan")
    without = changed("scores", value=RESULT["scores"][:2], result=plan)
    assert paths(without, plan) == []
    assert "scores.safety.value" in paths(changed("family", value="configure", result=without), RESULT)


def test_a_trial_that_only_one_checkout_has_differs():
    (only,) = differences({}, {ITEM: RESULT})
    assert only == (ITEM, "status", MISSING, "passed")
    (only,) = differences({ITEM: RESULT}, {})
    assert only == (ITEM, "status", "passed", MISSING)


def test_testcases_are_compared_by_name_and_event():
    twice = [{"name": "ping", "under": None, "status": "pass"}, {"name": "ping", "under": "cut", "status": "pass"}]
    other = changed("testcase_results", value=twice)
    here = changed("testcase_results", 1, "status", value="fail", result=other)
    assert paths(other, here) == ["testcase_results.ping under cut.status"]


def test_every_allowed_difference_is_a_field_of_results_and_has_a_reason():
    for one in ALLOWED:
        assert one.path.partition(".")[0] in TrialResult.model_fields
        assert one.reason


def test_the_first_differing_line_of_a_task_is_named():
    other, here = {"configs": {"R1": "hostname R1\nno ip routing\nend\n"}}, {"configs": {"R1": "hostname R1\nend\n"}}
    assert first_difference("draw", other, here) == ("draw", "configs.R1:2", '"no ip routing"', '"end"')
    assert first_difference("draw", other, other) is None


def test_a_text_of_lines_is_no_list():
    assert list(flat("a\nb")) != list(flat(["a", "b"]))


def test_the_table_shows_status_and_value_first_and_the_place_where_texts_differ():
    other = changed("task_digest", value="a" * 16)
    here = changed("scores", 0, "value", value=0.4, result=changed("status", value="failed", result=other))
    here["error"] = "x" * 100 + "right"
    other["error"] = "x" * 100 + "wrong"
    lines = table(differences({ITEM: other}, {ITEM: here}))
    assert lines[0] == ITEM
    assert [line.strip() for line in lines[1::3]] == ["status", "scores.command.value", "error"]
    assert lines[-1].endswith('xright"')


def test_the_recorded_solutions_are_those_that_the_package_reads():
    found = recorded_in(ROOT)
    expected = {}
    for path in files():
        task = load_task(path)
        if solutions_path(path, task.slug).is_file():
            solutions = load_solutions(solutions_path(path, task.slug), task)
            expected[task.task_name] = [
                (one.name, {node: list(lines) for node, lines in one.configs.items()}, task.slug)
                for one in (*solutions.right, *solutions.wrong)
            ]
    assert {
        name: [(one["name"], one["configs"], one["slug"]) for one in solutions] for name, solutions in found.items()
    } == expected


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """A checkout without ``.venv`` that has this package, but registers only two of its generators."""
    root = tmp_path / "other"
    (root / "pytest_netbench").mkdir(parents=True)
    for place in (ROOT / "pytest_netbench").iterdir():
        (root / "pytest_netbench" / place.name).symlink_to(place)
    (root / "pyproject.toml").symlink_to(ROOT / "pyproject.toml")
    table = root / "pytest_netbench/builtin.py"
    left_out = r'^ +"(plan|troubleshoot|diagnose|[\w-]+-kubernetes)": "generators\..*\n'
    without = re.sub(left_out, "", table.read_text(), flags=re.MULTILINE)
    table.unlink()
    table.write_text(without)
    return root


def test_a_checkout_without_an_environment_runs_its_own_parts(other: Path, tmp_path: Path):
    (tmp_path / "scratch").mkdir()
    checkout = Checkout(other, "other", tmp_path / "scratch")
    assert checkout.draw() == ["repair-network repair-routing"]
    with pytest.raises(Broken, match=r"(?s)^other: plan:n=1: .*unknown generator 'plan'"):
        checkout.draw("plan:n=1")


def test_the_note_of_the_newest_run_stays_as_it_is(tmp_path: Path):
    (tmp_path / ".venv/bin").mkdir(parents=True)
    (tmp_path / ".venv/bin/python").symlink_to(sys.executable)
    checkout, note = Checkout(tmp_path, "other", tmp_path), tmp_path / ".netbench/cache/newest-run.txt"
    with checkout.unnoted():
        note.parent.mkdir(parents=True)
        note.write_text("a run in here")
    assert not (tmp_path / ".netbench").exists()
    note.parent.mkdir(parents=True)
    note.write_text("an earlier run")
    with checkout.unnoted():
        note.write_text("a run in here")
    assert note.read_text() == "an earlier run"


def compare(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    script = ROOT / "benchmarks/equal_results.py"
    return subprocess.run([sys.executable, script, *arguments], check=False, capture_output=True, text=True)


def test_the_script_compares_draws_and_names_the_generators_that_one_lacks(other: Path):
    done = compare(other, "--only", "draws", "--draws", "2")
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("draws: 4 compared, 6 differ\n  generator diagnose\n")
    assert done.stdout.count("lacks it") == 6


def test_the_script_refuses_an_unknown_part(other: Path):
    done = compare(other, "--only", "draws,oracles")
    assert done.returncode == 2
    assert "unknown part 'oracles' (known: draws, oracle, nop, solutions, drawn)" in done.stderr
