"""Agents that were scored at different tasks are not compared by their rates."""

from __future__ import annotations

import pytest

from pytest_netbench.model.trial import AgentInfo
from pytest_netbench.reporting.common import common_lines, common_of, ranked_agents
from pytest_netbench.reporting.page.overview import overview
from pytest_netbench.reporting.terminal import summary_lines
from tests.support.records import result


def trials(agent, passes, *, digest="d"):
    """Trials of an agent: by task whether it passed, or None for an infrastructure error."""
    status = {True: "passed", False: "failed", None: "error"}
    return [
        result(
            node_id=f"{task}[{agent}]",
            agent=AgentInfo(id=agent, strategy="x"),
            status=status[one],
            task_digest=digest,
        )
        for task, one in passes.items()
    ]


EASY = trials("easy", {"a": True, "b": False, "x": True, "y": True, "z": True})
HARD = trials("hard", {"a": True, "b": True, "c": False, "d": False, "e": False})


def test_agents_are_ranked_over_the_tasks_that_all_of_them_have():
    assert common_lines([*EASY, *HARD]) == [
        "the agents were scored at different tasks (easy 5, hard 5), so their rates are not comparable",
        "ranking over the 2 tasks that all of them have: hard 2/2 (100%), easy 1/2 (50%)",
    ]
    assert ranked_agents([*EASY, *HARD]) == ("hard", "easy")


@pytest.mark.parametrize("results", [EASY, [*EASY, *trials("other", dict.fromkeys("abxyz", False))], []])
def test_one_agent_or_the_same_tasks_are_nothing_to_say(results):
    assert common_lines(results) == []
    assert ranked_agents(results) is None


def test_a_task_that_was_changed_is_another_task():
    found = common_of([*trials("one", {"a": True}), *trials("two", {"a": True}, digest="e")])
    assert (found.common, found.ranking) == (0, ())
    assert common_lines([*trials("one", {"a": True}), *trials("two", {"b": True})])[1:] == [
        "no task was scored for all of them: there is no ranking"
    ]


def test_an_infrastructure_error_is_a_task_without_a_score():
    lines = common_lines([*trials("one", {"a": True, "b": True}), *trials("two", {"a": True, "b": None})])
    assert lines[1] == "ranking over the task that all of them have: one 1/1 (100%), two 1/1 (100%)"


def test_several_trials_of_a_task_all_count():
    one = [*trials("one", {"a": True}), *trials("one", {"a": False}), *trials("one", {"b": True})]
    assert "one 1/2 (50%)" in common_lines([*one, *trials("two", {"a": True})])[1]


def test_the_terminal_wraps_the_lines_and_the_page_orders_by_common_tasks():
    lines = summary_lines([*EASY, *HARD], width=80)
    assert max(map(len, lines)) < 80
    assert "ranking over the 2 tasks that all of them have: hard 2/2 (100%), easy 1/2 (50%)" in " ".join(lines)
    about = overview([*EASY, *HARD])
    assert [one.agent for one in about.leaders] == ["hard", "easy"]
    assert len(about.different) == 2
    assert [one.agent for one in overview(EASY).leaders] == ["easy"]
