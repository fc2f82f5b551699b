"""Reports that claim where something is wrong, and what: each is as right as its task says, and no text tells it."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any, get_args

import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline

from pytest_netbench.agents.nop import Nop
from pytest_netbench.generators.claims import cause_of
from pytest_netbench.generators.default_faults import DIAGNOSED
from pytest_netbench.generators.diagnose import DiagnoseGenerator
from pytest_netbench.generators.diagnose_parameters import DiagnoseParameters
from pytest_netbench.model.diagnosis import ReportTruth, diagnose_of
from pytest_netbench.model.task import Task
from pytest_netbench.trial.limits import brief_for, terms_for

GENERATOR = DiagnoseGenerator()
TRUTHS = get_args(ReportTruth)


def drawn(count: int, **parameters: Any) -> list[Task]:
    chosen = DiagnoseParameters(**parameters)
    return [GENERATOR.draw(chosen, seed=5, index=index) for index in range(count)]


def named(task: Task) -> set[str]:
    """The node at which something happened lately."""
    found = re.search(r"(?:work|something) on (\S+)|(\S+) (?:was red|has been under)", str(diagnose_of(task).report))
    assert found
    return {one for one in found.groups() if one}


def places(task: Task) -> set[str]:
    found = set()
    for cause in diagnose_of(task).causes:
        found |= {name for resource in cause.resources for name in re.findall(r"[\w-]+", resource)}
    return found


def causes(task: Task) -> set[str]:
    return {cause_of(one.fault) for one in diagnose_of(task).faults}


@pytest.mark.parametrize("truth", TRUTHS[1:])
def test_a_report_is_wrong_in_what_its_task_says(truth: ReportTruth) -> None:
    for task in drawn(25, reports=truth, healthy=0.0, level="1", size="2"):
        payload = diagnose_of(task)
        assert payload.report_truth == truth
        is_cause_right = any(one in str(payload.report) for one in causes(task))
        is_device_right = bool(named(task) & places(task))
        assert is_cause_right is (truth != "wrong-cause"), payload.report
        assert is_device_right is (truth == "wrong-cause"), payload.report


def test_a_right_report_names_the_place_and_the_cause_and_each_kind_is_drawn_as_often() -> None:
    tasks = drawn(60, reports="mixed", healthy=0.0, level="1")
    right = [task for task in tasks if diagnose_of(task).report_truth == "right"]
    for task in right:
        assert named(task) & places(task)
        assert any(one in str(diagnose_of(task).report) for one in causes(task))
    counts = Counter(diagnose_of(task).report_truth for task in tasks)
    assert set(counts) == set(TRUTHS)
    assert min(counts.values()) >= 6
    assert right[0].regions["report"] == ("right",)


def test_a_report_does_not_change_what_is_drawn_and_what_is_right_of_it_is_in_no_brief() -> None:
    for plain, task in zip(drawn(5), drawn(5, reports="mixed"), strict=True):
        kept = {"report", "report_truth"}
        assert task.with_payload(report=None, report_truth=None).digest == plain.digest, kept
        told = brief_for(task, terms_for(task, Nop().info)).model_dump_json()
        assert str(diagnose_of(task).report) in told
        assert not re.search("wrong-device|wrong-cause|report_truth|elsewhere", told)


def test_each_fault_that_is_drawn_has_a_cause_in_words() -> None:
    words = Counter(map(cause_of, DIAGNOSED))
    assert "something that nobody has thought of" not in words
    assert max(words.values()) <= len(DIAGNOSED) * 0.25, words


def test_a_text_tells_neither_whether_something_is_wrong_nor_whether_its_claim_is_right() -> None:
    tasks = drawn(400, reports="mixed", healthy=0.5, size="1", shapes=("line", "ring", "tree"))
    texts = [str(diagnose_of(task).report) for task in tasks]
    healthy = [not diagnose_of(task).faults for task in tasks]
    right = [diagnose_of(task).report_truth == "right" for task in tasks]
    for labels in (healthy, right):
        model = make_pipeline(CountVectorizer(ngram_range=(1, 2), binary=True), LogisticRegression(C=0.1))
        chances = cross_val_predict(model, texts, labels, cv=5, method="predict_proba")[:, 1]
        assert 0.35 < roc_auc_score(labels, chances) < 0.62
