"""A trial is scored and judged in one place, and a trial that broke has a result, too."""

from __future__ import annotations

import pytest

from pytest_netbench.agents.nop import Nop
from pytest_netbench.agents.oracle import Oracle
from pytest_netbench.errors import LabError, UsageError
from pytest_netbench.model.trial import AgentInfo, TrialResult
from pytest_netbench.trial import error_result, heavy_scores, scored
from pytest_netbench.trial.scoring import EVERYWHERE, words_of
from tests.support.memory_trial import task_of, trial_of

pytestmark = pytest.mark.usefixtures("memory_parts")


def metrics(scores):
    return [score.metric for score in scores]


def test_the_scorers_of_the_family_and_those_asked_for_are_applied_each_once():
    record = trial_of(Oracle()).run()
    of_family = metrics(scored(record).scores)
    assert {"testcase", "command"} <= set(of_family)
    assert "latency" not in of_family
    assert metrics(scored(record, also=["latency", "testcase"]).scores) == [*of_family, "latency"]


def test_the_verdict_is_that_of_the_family_s_pass_marks():
    assert scored(trial_of(Oracle()).run()).status == "passed"
    assert scored(trial_of(Nop()).run()).status == "failed"


def test_scores_that_need_a_model_are_made_where_the_caller_says():
    record = trial_of(Oracle()).run()
    light, heavy = metrics(scored(record).scores), metrics(heavy_scores(record))
    assert "reasoning" in heavy
    assert not set(light) & set(heavy)
    assert metrics(scored(record, where=EVERYWHERE).scores) == [*light, *heavy]


def test_an_unknown_scorer_is_refused():
    with pytest.raises(UsageError, match="unknown scorer 'latenci'"):
        scored(trial_of(Nop()).run(), also=["latenci"])


def test_a_result_repeats_what_it_shares_with_its_record():
    record = trial_of(Oracle()).run()
    result = scored(record)
    shared = TrialResult.model_fields.keys() & type(record).model_fields.keys()
    assert {"started_at", "budget_used", "trial", "violations"} <= shared
    assert {name: getattr(result, name) for name in shared} == {name: getattr(record, name) for name in shared}


def test_a_trial_that_broke_has_a_result_without_scores():
    task = task_of()
    error = words_of(LabError("the lab died"))
    agent = AgentInfo(id="mine", strategy="")
    result = error_result(task, agent, error, node_id="n", number=2, started_at=0.5, duration_s=3.0)
    assert (result.status, result.error, result.scores, result.trial) == ("error", "LabError: the lab died", (), 2)
    assert (result.task_digest, result.size, result.agent.id) == (task.digest, task.size, "mine")
    assert (result.started_at, result.duration_s) == ("1970-01-01T00:00:00.500+00:00", 3.0)
