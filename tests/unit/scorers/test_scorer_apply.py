from __future__ import annotations

import pytest

from pytest_netbench.errors import UsageError
from pytest_netbench.model.score import Score
from pytest_netbench.scorers.apply import apply_scorers, load_scorers, score_of
from tests.support.records import ran, record


class Says:
    name = "says"
    version = 1
    on_controller = False

    def __init__(self, value, **evidence) -> None:
        self._said = Score.model_construct(
            metric="says", value=value, explanation="", scorer="says/1", evidence=evidence
        )

    def score(self, record) -> Score:
        return self._said


class Buggy:
    name = "buggy"
    version = 3
    on_controller = False

    def score(self, record) -> Score:
        raise ZeroDivisionError("division by zero")


def test_each_place_applies_its_own_scorers_in_the_order_asked():
    one = record(testcase_results=(ran("a"),))
    names = ("reasoning", "command", "testcase")
    assert [score.metric for score in apply_scorers(one, names, where="worker")] == ["command", "testcase"]
    assert [score.metric for score in apply_scorers(one, names, where="controller")] == ["reasoning"]


def test_a_scorer_that_breaks_costs_its_number_and_not_the_trial():
    scorers = {"buggy": Buggy(), **load_scorers(["testcase"])}
    one = record(testcase_results=(ran("a"),))
    broken, fine = apply_scorers(one, ("buggy", "testcase"), where="worker", scorers=scorers)
    assert fine.value == 1.0
    assert broken.value is None
    assert broken.scorer == "buggy/3"
    assert broken.explanation == "not measured: scorer 'buggy' failed: ZeroDivisionError: division by zero"
    assert broken.evidence == {"error": "ZeroDivisionError: division by zero"}


def test_an_unknown_scorer_names_the_nearest():
    with pytest.raises(UsageError, match=r"unknown scorer 'comand' .*Did you mean 'command'\?"):
        apply_scorers(record(), ("comand",), where="worker")


def test_numpy_numbers_become_plain_ones():
    numpy = pytest.importorskip("numpy")
    found = score_of(Says(numpy.float32(0.5), vector=numpy.arange(2), pair=(numpy.int64(1),)), record())
    assert type(found.value) is float
    assert found.evidence == {"vector": [0, 1], "pair": [1]}
    assert Score.model_validate_json(found.model_dump_json()) == found


def test_a_value_that_is_no_number_is_a_scorers_bug():
    found = score_of(Says(float("nan")), record())
    assert (found.value, found.explanation) == (
        None,
        "not measured: scorer 'says' failed: ValueError: its value is nan",
    )


def test_evidence_that_json_cannot_say_is_a_scorers_bug():
    found = score_of(Says(1.0, what=object()), record())
    assert found.evidence == {"error": "TypeError: object in the evidence cannot be said in JSON"}
