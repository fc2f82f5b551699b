"""Whether a run can be judged at all, and which losses gates of a size find."""

from __future__ import annotations

from pytest_netbench.regression_gate.judging import judge_run
from pytest_netbench.regression_gate.policy import Policy, Rule
from pytest_netbench.regression_gate.sizing import blind, plan, too_small
from pytest_netbench.regression_gate.wording import lines
from tests.unit.gating.test_gate_judging import tasks, trials


def planned(count: int, each: int, agent: str = "mine") -> dict[tuple[str, str], int]:
    return {(f"tasks/{name}.task.yaml::{name}", agent): each for name in tasks(count, [1])}


def test_a_run_in_which_nothing_could_be_a_regression_is_told_what_it_takes() -> None:
    baseline = list(trials(tasks(1, [1, 1, 1])))
    (words,) = too_small(baseline, planned(1, 1), Policy())
    assert words == (
        "mine, passed, all tasks: with 1 task of 1 trial, 3 in the baseline, nothing can be called REGRESSED, even if"
        " every trial fails (the baseline has 1.00; a loss of 0.02 is accepted); it takes at least 2 tasks with so many"
        " trials or 3 trials of each task, in the baseline and now"
    )
    assert not list(too_small(baseline, planned(1, 3), Policy()))
    two = list(trials(tasks(2, [1, 1, 1])))
    assert not list(too_small(two, planned(2, 1), Policy())), "what it takes is enough"


def test_a_baseline_that_fails_everything_cannot_get_worse() -> None:
    (words,) = too_small(list(trials(tasks(40, [0] * 5))), planned(40, 5), Policy())
    assert words.endswith("no number of tasks or trials is enough")


def test_each_rule_and_agent_is_sized_by_itself() -> None:
    baseline = [*trials(tasks(40, [1])), *trials(tasks(2, [1]), agent="other")]
    run = {**planned(40, 1), **planned(2, 1, agent="other"), **planned(9, 1, agent="new")}
    rules = Policy(rules=(Rule(), Rule(task="*::t00")))
    about = [words.partition(":")[0] for words in too_small(baseline, run, rules)]
    assert about == ["other, passed, all tasks", "mine, passed, task *", "other, passed, task *"]


def test_a_baseline_with_which_little_is_found_is_warned_of() -> None:
    assert not list(blind(list(trials(tasks(40, [1] * 5)))))
    (words,) = blind(list(trials(tasks(3, [1]))))
    assert words == (
        "warning: mine passes 1.00; a gate with 3 tasks of 1 trial finds only a loss of 0.93 or more in eight of ten"
        " runs. Use more tasks or more trials: netbench gate --plan shows how many"
    )
    (none,) = blind(list(trials(tasks(1, [1]))))
    assert "finds no loss at all in eight of ten runs" in none


def test_a_plan_has_the_row_of_the_baseline() -> None:
    table = list(plan(Rule(), list(trials(tasks(7, [1, 1, 0])))))
    assert "the baseline has 0.67" in table[0]
    assert [line.split()[0] for line in table[3:]] == ["1", "2", "3", "5", "7", "10", "20", "40", "60"]
    assert table[7].endswith("(the baseline's)")
    assert table[3].split()[1:4] == ["none"] * 3
    found = [float(line.split()[4]) for line in list(plan(Rule(), share=0.8))[6:]]
    assert found == sorted(found, reverse=True), "more tasks find smaller losses"


def test_several_verdicts_name_the_level_of_all() -> None:
    results = list(trials(tasks(40, [1] * 5)))
    once, twice = (judge_run(results, results, Policy(rules=(Rule(),) * count)) for count in (1, 2))
    assert twice.level == 0.1
    assert "  2 verdicts, each with its own level: at most 10% that any of them is wrong" in list(lines(twice))
    assert not [line for line in lines(once) if "its own level" in line]
