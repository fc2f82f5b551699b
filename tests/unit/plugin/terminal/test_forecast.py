"""What a run will use of models, from what earlier trials used."""

from __future__ import annotations

import pytest

from pytest_netbench.plugin.terminal.forecast import Used, forecast, worded

A, B = "tasks/a.task.yaml::a", "tasks/b.task.yaml::b"
KNOWN = {
    f"{A}[gpt]": Used(agent="gpt", tokens=1000, cost_usd=0.5),
    f"{A}[gpt-2]": Used(agent="gpt", tokens=3000, cost_usd=1.5),
    f"{B}[gpt]": Used(agent="gpt", tokens=8000, cost_usd=4.0),
    f"{A}[other]": Used(agent="other", tokens=90_000, cost_usd=None),
}


@pytest.mark.parametrize(
    ("names", "tokens", "cost_usd"),
    [
        ([f"{A}[gpt]"], 1000, 0.5),  # as the last time
        ([f"{A}[gpt-3]"], 2000, 1.0),  # as trials at the same task
        (["tasks/c.task.yaml::c[gpt]"], 4000, 2.0),  # as all its trials
        ([f"{A}[gpt]", f"{B}[gpt]"], 9000, 4.5),
        ([], 0, 0.0),
    ],
)
def test_a_trial_is_taken_to_use_what_those_nearest_to_it_used(names, tokens, cost_usd):
    found = forecast("gpt", names, KNOWN)
    assert (found.trials, found.known) == (len(names), 3)
    assert found.tokens == tokens
    assert found.cost_usd == pytest.approx(cost_usd)


def test_drawn_tasks_are_told_apart_by_their_draw_and_not_by_their_label():
    known = {
        "diagnose[s3-0001-RATE-gpt]": Used(agent="gpt", tokens=10, cost_usd=0.1),
        "diagnose[s3-0002-RATE-gpt]": Used(agent="gpt", tokens=30, cost_usd=0.3),
    }
    assert forecast("gpt", ["diagnose[s3-0002-RATE-gpt-2]"], known).tokens == 30


def test_an_agent_that_nobody_ran_is_not_known_and_a_price_that_nobody_knows_is_none():
    nobody = forecast("new", [f"{A}[new]"], KNOWN)
    assert (nobody.tokens, nobody.cost_usd) == (None, None)
    assert "no earlier run tells what it costs" in worded(nobody, most_cost_usd=None)
    other = forecast("other", [f"{A}[other]"], KNOWN)
    assert worded(other, most_cost_usd=1.0) == (
        "netbench: other, 1 trial: about 90,000 tokens, prices are not known (as in 1 earlier ones)"
    )


def test_a_budget_that_is_too_small_is_told_before_the_run():
    found = forecast("gpt", [f"{B}[gpt]"], KNOWN)
    assert worded(found, most_cost_usd=2).endswith("; the budget of 2 USD will not be enough")
    assert "budget" not in worded(found, most_cost_usd=4)
