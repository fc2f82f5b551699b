"""The self-test on real labs: recorded solutions, one that tampers, mutants that survive, explained ones."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

pytest_plugins = ["pytester"]

REPOSITORY = Path(__file__).parents[2]

TASK = """
task_name: Two offices reach each other
intents: Computers of both offices reach each other.
topology:
  nodes: [r1, r2, {name: h1, platform: linux, control: observed}, {name: h2, platform: linux, control: observed}]
  links: [r1 eth0 <-> r2 eth0, h1 eth0 <-> r1 eth1, h2 eth0 <-> r2 eth1]
startup_configs:
  r1: [interface eth0, ip address 10.0.0.1/30, interface eth1, ip address 10.1.0.1/24]
  r2: [ip route 0.0.0.0/0 10.0.0.1, interface eth0, ip address 10.0.0.2/30, interface eth1, ip address 10.2.0.1/24]
  h1: [ip address add 10.1.0.10/24 dev eth0, ip route add default via 10.1.0.1]
  h2: [ip address add 10.2.0.10/24 dev eth0, ip route add default via 10.2.0.1]
ground_truth_configs:
  r1: [ip route 10.2.0.0/24 10.0.0.2]
testcases:
  - {name: h1 reaches h2, kind: reachability, from: h1, to: h2, within: 2s}
"""


def entry(name: str, configs: dict[str, list[str]], **more: object) -> dict[str, object]:
    return {"name": name, "reason": "for this test", "configs": configs, **more}


RIGHT = [
    entry("a default route", {"r1": ["ip route 0.0.0.0/0 10.0.0.2"]}),
    entry("two halves", {"r1": ["ip route 10.2.0.0/25 10.0.0.2", "ip route 10.2.0.128/25 10.0.0.2"]}),
]
WRONG = [
    entry("another office", {"r1": ["ip route 10.3.0.0/24 10.0.0.2"]}),
    entry("the wrong half", {"r1": ["ip route 10.2.0.128/25 10.0.0.2"]}),
    entry("into nothing", {"r1": ["ip route 10.2.0.0/24 Null0"]}),
    entry("to a host", {"r1": ["ip route 10.2.0.0/24 10.1.0.10"]}),
    entry("the host's own route", {"h1": ["ip route add 10.2.0.0/24 via 10.1.0.1"]}, tampers=True),
]


@pytest.fixture
def author(pytester, monkeypatch):
    """An author's folder with the task; runs its self-test with what is recorded beside it."""
    monkeypatch.setenv("COLUMNS", "200")
    folder = pytester.path / "tasks" / "offices"
    (folder / ".solutions").mkdir(parents=True)
    (folder / "two.task.yaml").write_text(TASK)

    def run(*options: str, **recorded: object) -> pytest.RunResult:
        content = {"right": RIGHT, "wrong": WRONG, **recorded}
        (folder / ".solutions" / "two.yaml").write_text(yaml.safe_dump(content))
        every = ("--netbench-selftest", "--netbench-selftest-repeats=1", *options)
        return pytester.runpytest_subprocess("tasks", *every, timeout=200)

    return run


def test_recorded_solutions_are_judged_and_the_ani_refuses_one_that_tampers(author):
    result = author("--netbench-selftest-claims=solutions")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["two *2 of 2 *5 of 5 *ok"])
    result.stdout.fnmatch_lines(['  two "the host\'s own route": *h1 reaches h2*'])


def test_a_solution_that_does_not_tamper_with_a_host_is_told_from_one_that_does(author):
    more = entry("the host again", {"h2": ["ip route add 10.1.0.0/24 via 10.2.0.1"]})
    result = author("--netbench-selftest-claims=solutions", wrong=[*WRONG, more])
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*'the host again': h2 is observed, so the ANI refuses it*"])


def test_a_mutant_that_survives_is_reported_until_it_is_explained(author):
    options = ("--netbench-selftest-claims=mutants", "--netbench-selftest-mutants=0")
    result = author(*options)
    result.assert_outcomes(failed=1)
    line, mutant = "ip route 10.2.0.0/24 10.0.0.2", "ip route 10.2.0.10/32 10.0.0.2"
    assert result.ret == 1
    result.stdout.fnmatch_lines([f"*mutant r1: '{line}' as '{mutant}' fails no testcase (r1: route 10.2.0.*"])
    result.stdout.fnmatch_lines(["task *mutants *refused *equal *caught *explained *survivors *"])
    survived = [text for text in result.outlines if text.startswith("  two r") and "not explained" in text]
    assert len(survived) > 1

    explained = []
    for text in survived:
        node, quoted = text.removeprefix("  two ").split(": ", 1)
        _, line, _, mutant, _ = quoted.split("'", 4)
        explained.append({"node": node, "line": line, "mutant": mutant, "reason": "only one host is there"})
    again = author(*options, mutants=explained)
    again.assert_outcomes(passed=1)
    again.stdout.fnmatch_lines([f"two *{len(explained)} *0 *1 *0 *ok"])  # no lab: the verdicts were kept
    again.stdout.fnmatch_lines(["mutants that no testcase catches:", "  two r*: only one host is there"])
