"""``--agent=replay:DIR``: what an agent did, done again on fresh labs."""

from __future__ import annotations

import pytest


@pytest.fixture
def recorded(bench):
    for name in ("a", "b", "c"):
        bench.task(name, task_name=name)
    bench.run("--agent=oracle", "--agent=mine:Half", "--agent=nop", "--netbench-results=run", timeout=300)
    return bench


def outcomes(bench, folder, agent):
    found = [one for one in bench.results(folder) if one["agent"]["id"] == agent]
    return {
        one["task_name"]: (one["status"], [(case["name"], case["status"]) for case in one["testcase_results"]])
        for one in found
    }


def test_each_trial_ends_as_it_did(recorded, workers):
    replayed = recorded.run(
        *("--agent=replay:run@oracle", "--agent=replay:run@mine.Half", "--agent=replay:run@nop"),
        *("--netbench-results=again", *workers),
    )
    replayed.assert_outcomes(passed=3, failed=6)
    for agent in ("oracle", "mine.Half", "nop"):
        assert outcomes(recorded, "again", f"replay-{agent}") == outcomes(recorded, "run", agent)
    reasons = {one["agent"]["id"]: one["commands"] for one in recorded.results("again")}
    assert [one["command"] for one in reasons["replay-mine.Half"]] == ["no deny tcp 80 any"]


def test_a_replay_of_other_tasks_is_refused_before_the_first_lab_and_names_them(recorded, workers):
    recorded.task("d", task_name="d")
    recorded.task("b", task_name="b", difficulty="hard", budget={"calls": 7})
    deployed = len(recorded.labs())
    refused = recorded.run("--agent=replay:run@oracle", *workers, timeout=300)
    assert refused.ret == 4
    refused.stderr.fnmatch_lines(
        [
            "ERROR: --agent=replay:run@oracle: 2 of 4 tasks have no record:",
            "  tasks/access/b.task.yaml::b (recorded at digest *, now *)",
            "  tasks/access/d.task.yaml::d (no trial of oracle in *run)",
            "Give a run of these tasks, or leave them out*",
        ]
    )
    assert len(recorded.labs()) == deployed
    left = recorded.run("--agent=replay:run@oracle", "-k", "a.task or c.task", *workers, timeout=300)
    left.assert_outcomes(passed=2)


def test_a_replay_of_nothing_is_said(recorded):
    for spec, words in (
        ("replay:run", "*run: has several agents; add @AGENT (agents: mine.Half, nop, oracle)*"),
        ("replay:run@nobody", "*run: has no results of 'nobody' (agents: mine.Half, nop, oracle)*"),
        ("replay:nowhere", "*nowhere: no such results directory*"),
        ("replay:tasks", "*tasks: is empty (agents: none)*"),
    ):
        refused = recorded.run(f"--agent={spec}")
        assert refused.ret == 4
        refused.stderr.fnmatch_lines([words])
