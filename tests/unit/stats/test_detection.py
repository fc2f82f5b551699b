"""Balanced accuracy and Matthews' correlation, compared with scikit-learn's."""

from __future__ import annotations

import random

import pytest
from sklearn import metrics

from pytest_netbench.stats.detection import Confusion


@pytest.mark.parametrize("seed", range(20))
def test_both_are_those_of_scikit_learn(seed: int) -> None:
    source = random.Random(seed)
    truth = [True, False, *(source.random() < 0.7 for _ in range(38))]
    said = [True, False, *(source.random() < 0.6 for _ in range(38))]
    counts = Confusion.of((one, one == other) for one, other in zip(truth, said, strict=True))
    assert counts.balanced_accuracy == pytest.approx(metrics.balanced_accuracy_score(truth, said))
    assert counts.mcc == pytest.approx(metrics.matthews_corrcoef(truth, said))
    assert counts.faulty + counts.healthy == 40


def test_who_always_says_the_same_is_at_one_half_without_a_correlation() -> None:
    counts = Confusion.of([(True, True)] * 7 + [(False, False)] * 3)
    assert counts.balanced_accuracy == 0.5
    assert counts.mcc is None


def test_without_healthy_networks_nothing_is_balanced() -> None:
    counts = Confusion.of([(True, True), (True, False)])
    assert counts.balanced_accuracy is None
    assert counts.mcc is None
