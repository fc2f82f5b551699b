"""A run against a baseline: verdicts, their reasons, and what cannot be compared."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from pytest_netbench.model.trial import AgentInfo, TrialResult, Usage
from pytest_netbench.regression_gate.judging import Judgement, judge_run
from pytest_netbench.regression_gate.policy import Policy, Rule
from pytest_netbench.regression_gate.wording import lines, markdown, workflow_commands
from pytest_netbench.results.pairing import pair
from tests.support.records import ENVIRONMENT, ran, result


def trials(passes: dict[str, list[int]], *, agent: str = "mine", **changes: Any) -> Iterator[TrialResult]:
    """Trials of tasks: 1 passed, 0 failed, -1 an infrastructure error."""
    for task, outcomes in passes.items():
        for number, outcome in enumerate(outcomes, start=1):
            label = agent if number == 1 else f"{agent}-{number}"
            yield result(
                node_id=f"tasks/{task}.task.yaml::{task}[{label}]",
                trial=number,
                agent=AgentInfo(id=agent, strategy="own"),
                status={1: "passed", 0: "failed", -1: "error"}[outcome],
                **changes,
            )


def tasks(count: int, outcomes: list[int], start: int = 0) -> dict[str, list[int]]:
    return {f"t{number:02}": outcomes for number in range(start, start + count)}


def judged(
    before: dict[str, list[int]], now: dict[str, list[int]], policy: Policy | None = None, **options: Any
) -> Judgement:
    return judge_run(list(trials(now)), list(trials(before)), policy or Policy(), **options)


ALL = [1] * 5
NONE = [0] * 5
BEFORE = tasks(40, ALL)
TWO_LOST = {**tasks(38, ALL), **tasks(2, NONE, 38)}


def test_two_tasks_that_fail_five_times_turn_the_gate_red_and_are_named() -> None:
    found = judged(BEFORE, TWO_LOST)
    assert found.outcome == "failed"
    (ruling,) = found.rulings
    assert ruling.verdict is not None
    assert ruling.verdict.kind == "regressed"
    text = "\n".join(lines(found))
    assert text.startswith("THE GATE IS NOT PASSED\n  REGRESSED: mine, passed, all tasks\n")
    assert "0.950, was 1.000 (40 tasks; 200 trials, were 200)" in text
    assert "lost: tasks/t38.task.yaml::t38: 0 of 5, was 5 of 5" in text
    assert "a loss of 0.02 is accepted" in text


def test_one_trial_each_is_inconclusive_and_the_policy_says_what_that_means() -> None:
    before, now = tasks(40, [1]), {**tasks(38, [1]), **tasks(2, [0], 38)}
    found = judged(before, now)
    assert found.outcome == "passed"
    assert found.rulings[0].verdict is not None
    assert found.rulings[0].verdict.kind == "inconclusive"
    assert "more trials of each task, of both sides, would tell" in "\n".join(lines(found))
    assert judged(before, now, Policy(rules=(Rule(inconclusive="fail"),))).outcome == "failed"
    listed = judged(before, now, Policy(must_pass=("*::t38", "*::t01")))
    assert listed.outcome == "failed"
    assert dict(listed.must_pass) == {("tasks/t38.task.yaml::t38", "mine"): (1, 1)}


def test_an_agent_that_is_as_before_passes() -> None:
    found = judged(BEFORE, BEFORE)
    assert found.outcome == "passed"
    assert "ok: mine, passed, all tasks" in "\n".join(lines(found))
    assert not list(workflow_commands(found))


def test_a_rule_sees_its_own_trials_only() -> None:
    loses_elsewhere = Policy(rules=(Rule(task="*::t0?"), Rule(task="*::t1?", tolerance=1.0)))
    assert judged(BEFORE, TWO_LOST, loses_elsewhere).outcome == "passed"
    assert judged(BEFORE, TWO_LOST, Policy(rules=(Rule(task="*::t3?"),))).outcome == "failed"


def test_agents_are_compared_with_themselves() -> None:
    results = [*trials(BEFORE, agent="a"), *trials(tasks(40, NONE), agent="b")]
    found = judge_run(results, results, Policy())
    assert found.outcome == "passed"
    assert [one.agent for one in found.rulings] == ["a", "b"]
    crossed = judge_run(list(trials(BEFORE, agent="new")), list(trials(BEFORE, agent="old")), Policy())
    assert crossed.outcome == "failed", "what cannot be compared must not pass"
    assert "NOTHING TO COMPARE: new" in "\n".join(lines(crossed))


def test_a_changed_task_is_reported_and_not_compared() -> None:
    now = [*trials(tasks(39, ALL)), *trials(tasks(1, NONE, 39), task_digest="another")]
    found = judge_run(now, list(trials(BEFORE)), Policy())
    assert found.rulings[0].tasks == 39
    assert found.rulings[0].left_out == ("changed since the baseline: tasks/t39.task.yaml::t39",)


def test_a_pattern_that_fits_nothing_fails_the_gate() -> None:
    policy = Policy(rules=(Rule(domain="qso"),), must_pass=("*::nothing",))
    found = judged(BEFORE, BEFORE, policy)
    assert found.outcome == "failed"
    text = "\n".join(lines(found))
    assert "no trial fits the rule for domain qso" in text
    assert "no scored trial fits '*::nothing' of must_pass" in text


def test_too_many_infrastructure_errors_are_no_verdict() -> None:
    few = {**tasks(38, [1]), **tasks(2, [-1], 38)}
    many = {**tasks(30, [1]), **tasks(10, [-1], 30)}
    assert judged(tasks(40, [1]), few).outcome == "passed"
    found = judged(tasks(40, [1]), many)
    assert (found.outcome, found.rulings) == ("not judged", ())
    assert "10 of 40 trials ended in an infrastructure error" in "\n".join(lines(found))


def test_a_score_can_be_judged_unless_its_scorer_changed() -> None:
    def scored(value: float, version: int = 1) -> list[TrialResult]:
        every = []
        for one in trials(tasks(40, [1, 1, 1])):
            scores = result({"testcase": value}).scores
            changed = tuple(s.model_copy(update={"scorer": f"testcase/{version}"}) for s in scores)
            every.append(one.model_copy(update={"scores": changed}))
        return every

    policy = Policy(rules=(Rule(metric="testcase", tolerance=0.05),))
    assert judge_run(scored(0.7), scored(0.9), policy).outcome == "failed"
    assert judge_run(scored(0.9), scored(0.9), policy).outcome == "passed"
    other = judge_run(scored(0.9, version=2), scored(0.9), policy)
    assert other.outcome == "failed"
    assert "testcase was not measured from 0 to 1 by the same version of its scorer" in "\n".join(lines(other))
    unmeasured = judge_run(list(trials(BEFORE)), list(trials(BEFORE)), policy)
    assert unmeasured.outcome == "failed"


def test_limits_of_cost_and_time() -> None:
    usage = Usage(cost_usd=0.5)
    now = list(trials(BEFORE, usage=usage, agent_s=8.0))
    before = list(trials(BEFORE))
    assert judge_run(now, before, Policy(rules=(Rule(most_cost_usd=0.6, most_seconds=9),))).outcome == "passed"
    found = judge_run(now, before, Policy(rules=(Rule(most_cost_usd=0.4, most_seconds=7),)))
    assert found.outcome == "failed"
    assert found.rulings[0].exceeded == (
        "a trial cost 0.5 USD in the mean, 0.4 at most is accepted",
        "a trial took 8 s in the mean, 7 at most is accepted",
    )
    unknown = judge_run(before, before, Policy(rules=(Rule(most_cost_usd=0.4),)))
    assert unknown.outcome == "failed", "a cost that nobody knows is not below a limit"


def test_a_second_look_needs_more_than_a_first_one() -> None:
    now = {**tasks(38, ALL), **tasks(2, [0, 0, 1, 1, 1], 38)}
    first, tenth = (judged(BEFORE, now, look=look).rulings[0].verdict for look in (1, 10))
    assert first is not None
    assert tenth is not None
    assert tenth.low < first.low
    assert tenth.high > first.high


@pytest.mark.parametrize("nasty", ["<script>x</script>", "a|b", "`c`", "two\nlines", "::error::x"])
def test_names_of_agents_cannot_forge_markdown_or_commands(nasty: str) -> None:
    agent = f"a{nasty}"
    found = judge_run(
        list(trials(tasks(40, NONE), agent=agent)), list(trials(BEFORE, agent=agent)), Policy(must_pass=("*::t01",))
    )
    text = markdown(found)
    assert "<script>" not in text
    assert not [line for line in text.splitlines() if line.startswith("lines")]
    commands = list(workflow_commands(found))
    assert len(commands) == 2
    assert all(one.startswith("::error title=netbench gate::") and "\n" not in one for one in commands)


@pytest.mark.parametrize(
    ("before", "now", "command", "is_paired"),
    [
        (None, None, "900 flows", True),
        (0.25, 0.25, "225 of 900 flows", True),
        (None, 1.0, "900 flows", True),
        (None, 0.25, "225 of 900 flows", False),
        (0.5, 0.25, "225 of 900 flows", False),
        (0.5, None, "", True),
    ],
)
def test_trials_that_measured_different_shares_are_never_paired(before, now, command, is_paired):
    def side(measured: float | None, command: str) -> list[TrialResult]:
        one = ran("the rest", kind="reference", measured=measured, command=command)
        return [*trials({"a": [1]}, testcase_results=(one,)), *trials({"b": [1]})]

    names = ["tasks/a.task.yaml::a", "tasks/b.task.yaml::b"]
    paired = pair(side(before, "flows"), side(now, command))
    assert [*paired.trials] == (names if is_paired else names[1:])
    assert paired.unequal == (() if is_paired else (names[0],))
    (ruling,) = judge_run(side(now, command), side(before, "flows"), Policy()).rulings
    words = (f"another share of the network's behaviour was measured than in the baseline: {names[0]}",)
    assert ruling.left_out == (() if is_paired else words)


@pytest.mark.parametrize(
    ("before", "now", "timed", "is_paired"),
    [
        ("scaled", "scaled", {"kind": "loss"}, True),
        ("scaled", "events", {}, True),
        ("scaled", "events", {"kind": "loss"}, False),
        ("events", "scaled", {"under": "R1 crashes"}, False),
        ("scaled", "calls", {}, False),
    ],
)
def test_trials_with_different_clocks_are_never_paired_where_time_matters(before, now, timed, is_paired):
    def side(clock: str) -> list[TrialResult]:
        there = ENVIRONMENT.model_copy(update={"clock": clock})
        return list(trials({"a": [1]}, testcase_results=(ran("reaches", **timed),), environment=there))

    name = "tasks/a.task.yaml::a"
    paired = pair(side(before), side(now))
    assert [*paired.trials] == [name] * is_paired
    assert paired.clocks == (() if is_paired else (name,))
    (ruling,) = judge_run(side(now), side(before), Policy()).rulings
    words = (f"lab time passed in another way than in the baseline: {name}",)
    assert ruling.left_out == (() if is_paired else words)
