from __future__ import annotations

import pytest

from pytest_netbench.agents.nop import Nop
from pytest_netbench.agents.oracle import Oracle
from pytest_netbench.errors import AgentError
from pytest_netbench.model.score import Score
from pytest_netbench.trial import explain, judge
from tests.support.memory_trial import Own, does_it, trial_of

pytestmark = pytest.mark.usefixtures("memory_parts")
MARKS = {"testcase": 1.0}
INTENTS = ("port 80", "route")


def score(value: float | None) -> Score:
    return Score(metric="testcase", value=value, scorer="testcase/1", explanation="no testcase was run")


def test_a_result_counts_how_large_its_task_is():
    record = trial_of(Nop()).run()
    size = judge(record, [score(1.0)], pass_marks=MARKS).size
    assert size is not None
    assert (size.steps, size.devices) == (record.task.payload.steps, len(record.task.network.topology.nodes))


def test_a_score_at_its_pass_mark_passes():
    assert judge(trial_of(Oracle()).run(), [score(1.0)], pass_marks=MARKS).status == "passed"


def test_a_score_under_its_pass_mark_fails():
    assert judge(trial_of(Oracle()).run(), [score(0.9)], pass_marks=MARKS).status == "failed"


def test_a_gating_score_that_was_not_measured_fails_and_says_why():
    result = judge(trial_of(Oracle()).run(), [score(None)], pass_marks=MARKS)
    assert result.status == "failed"
    text = explain(result, intents=INTENTS, pass_marks=MARKS)
    assert text == "testcase was not measured, 1 is needed: no testcase was run"


def test_an_agent_that_failed_fails_whatever_its_scores():
    def work(brief, ani):
        does_it(brief, ani)
        raise AgentError("lost the thread")

    result = judge(trial_of(Own(work)).run(), [score(1.0)], pass_marks=MARKS)
    assert result.status == "failed"
    assert explain(result, intents=INTENTS, pass_marks=MARKS).startswith("the agent failed: lost the thread")


def test_a_failure_under_an_event_names_the_event():
    trial = trial_of(Nop()).run()
    under = [one.model_copy(update={"under": "exit-lost"}) for one in trial.testcase_results]
    result = judge(trial.model_copy(update={"testcase_results": tuple(under)}), [score(0.0)], pass_marks=MARKS)
    assert "  web [reachability, under exit-lost]" in explain(result, intents=INTENTS, pass_marks=MARKS).splitlines()


def test_a_failure_shows_intent_command_expected_and_actual_of_each_failed_testcase():
    result = judge(trial_of(Nop()).run(), [score(0.0)], pass_marks=MARKS)
    text = explain(result, intents=INTENTS, pass_marks=MARKS)
    head, *lines = text.splitlines()
    assert head == "2 of 2 testcases failed: web, dc"
    assert "  web [reachability]" in lines
    assert "    intent:   1. port 80" in lines
    assert "    intent:   2. route" in lines
    assert sum(line.startswith("    command:  ") for line in lines) == 2
    assert sum(line.startswith("    expected: ") for line in lines) == 2
    assert sum(line.startswith("    actual:   ") for line in lines) == 2


def test_a_comparison_with_the_reference_is_of_all_intents_and_not_of_none():
    trial = trial_of(Nop()).run()
    compared = [
        one.model_copy(update={"kind": "reference", "role": "regression", "intent": None})
        for one in trial.testcase_results
    ]
    result = judge(trial.model_copy(update={"testcase_results": tuple(compared)}), [score(0.0)], pass_marks=MARKS)
    text = explain(result, intents=INTENTS, pass_marks=MARKS)
    assert "intent:   all: the network does what they ask for, and else what it did before" in text
    assert "none" not in text
