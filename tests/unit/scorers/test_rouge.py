from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

from pytest_netbench.scorers.rouge import rouge_l

REFERENCE = RougeScorer(["rougeL"], use_stemmer=False)
TEXTS = st.lists(st.sampled_from(["Route", "route", "10.0.0.1/24", "a-b", "é", "ÀB", "the", "\n", "_", "K", ""])).map(
    " ".join
)


@given(TEXTS | st.text(), TEXTS | st.text())
def test_the_numbers_are_those_of_rouge_score(text, reference):
    assert rouge_l(text, reference) == REFERENCE.score(reference, text)["rougeL"].fmeasure


@pytest.mark.parametrize(
    ("text", "reference", "expected"),
    [("a b c d", "a c x", 4 / 7), ("A, b!", "a b", 1.0), ("a", "b", 0.0), ("", "b", 0.0), ("!", "?", 0.0)],
)
def test_the_f_measure_of_the_longest_common_subsequence(text, reference, expected):
    assert rouge_l(text, reference) == pytest.approx(expected)
