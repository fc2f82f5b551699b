from __future__ import annotations

import pytest

from pytest_netbench.scorers.rouge import rouge_l


@pytest.mark.parametrize(
    ("text", "reference", "expected"),
    [("a b c d", "a c x", 4 / 7), ("A, b!", "a b", 1.0), ("a", "b", 0.0), ("", "b", 0.0), ("!", "?", 0.0)],
)
def test_the_f_measure_of_the_longest_common_subsequence(text, reference, expected):
    assert rouge_l(text, reference) == pytest.approx(expected)
