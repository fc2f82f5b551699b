"""The result of a run in words."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_netbench.model.trial import AgentInfo, TrialResult
from pytest_netbench.reporting.page.headline import signed
from pytest_netbench.reporting.page.overview import overview
from tests.support.records import result


def results(
    agent: str, passed: int, of: int, *, trials: int = 1, first: int = 0, errors: int = 0
) -> Iterator[TrialResult]:
    """Of ``of`` tasks from ``first``, the first ``passed`` are passed in each trial."""
    info = AgentInfo(id=agent, strategy="s")
    for number in range(of):
        for trial in range(1, trials + 1):
            status = "passed" if number < passed else "failed"
            yield result(node_id=f"t.yaml::t{first + number}[{agent}]", agent=info, trial=trial, status=status)
    for number in range(errors):
        yield result(node_id=f"t.yaml::e{number}[{agent}]", agent=info, status="error", outcome=None)


def said(*parts: Iterator[TrialResult]) -> str:
    return overview([one for part in parts for one in part]).headline


def test_two_agents_and_their_difference():
    told = said(results("oracle", 20, 20), results("nop", 0, 20))
    assert told == "oracle passed 20 of 20 tasks, nop 0 of 20; the difference is 100 points (95 %: 77 to 100)."


def test_an_agent_alone():
    assert said(results("mine", 1, 1)) == "mine passed 1 of 1 task (95 %: 21 to 100 %)."


def test_several_trials_of_a_task_are_trials():
    told = said(results("a", 4, 4, trials=3), results("b", 4, 4, trials=3))
    assert told.startswith("a passed 12 of 12 trials of 4 tasks, b 12 of 12; the difference is 0 points (95 %: −")


def test_of_many_agents_the_first_are_named():
    told = said(*(results(f"a{number}", 6 - number, 6) for number in range(6)))
    assert told.startswith(
        "a0 passed 6 of 6 tasks, a1 5 of 6, a2 4 of 6, a3 3 of 6, and 2 other agents not more often."
        " The difference between a0 and a1 is 17 points (95 %: "
    )


def test_agents_that_ran_other_tasks_are_compared_at_the_common_ones():
    told = said(results("a", 4, 4), results("b", 1, 4, first=3))
    assert told.startswith("a passed 4 of 4 tasks, b 1 of 4; the difference at the 1 task that both ran is 0 points (")
    assert said(results("a", 2, 2), results("b", 0, 3, first=5)) == (
        "a passed 2 of 2 tasks, b 0 of 3 tasks; a and b ran no task in common."
    )


def test_infrastructure_errors_are_told_and_not_counted():
    told = said(results("a", 2, 2, errors=1))
    assert told.endswith(". 1 trial ended in an infrastructure error and is not counted.")
    assert said(results("a", 0, 0, errors=3)) == (
        "No trial was scored. 3 trials ended in an infrastructure error and are not counted."
    )


def test_a_difference_has_a_sign():
    assert [signed(value) for value in (1, 0.004, -0.004, -0.07, 0.01)] == ["+100", "0", "0", "−7", "+1"]
