from __future__ import annotations

from pytest_netbench.scorers.testcase import TestcaseScorer
from tests.support.records import ran, record


def test_the_share_of_testcases_passed():
    results = (ran("a"), ran("b", "fail"), ran("c", intent=2))
    found = TestcaseScorer().score(record(testcase_results=results))
    assert found.value == 0.666667
    assert found.explanation == "2 of 3 testcases passed"
    assert found.scorer == "testcase/1"


def test_evidence_shows_each_intent_and_what_failed():
    results = (ran("a"), ran("b", "fail"), ran("c", intent=2), ran("d", role="regression", intent=None))
    evidence = TestcaseScorer().score(record(testcase_results=results)).evidence
    assert evidence == {
        "passed": 3,
        "total": 4,
        "failed": ["b"],
        "intents": {"-": {"passed": 1, "total": 1}, "1": {"passed": 1, "total": 2}, "2": {"passed": 1, "total": 1}},
    }


def test_all_passed_is_exactly_one():
    assert TestcaseScorer().score(record(testcase_results=tuple(ran(str(i)) for i in range(7)))).value == 1.0


def test_without_testcases_nothing_is_measured():
    found = TestcaseScorer().score(record())
    assert (found.value, found.explanation) == (None, "not measured: no testcase was run")
