from __future__ import annotations

import pytest

from pytest_netbench.reporting import words


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "–"), (0.0, "0.00"), (0.001, "0.01"), (0.5, "0.50"), (0.9999, "0.99"), (1.0, "1.00")],
)
def test_only_a_true_one_reads_as_one_and_only_a_true_zero_as_zero(value, text):
    assert words.score(value) == text


@pytest.mark.parametrize(
    ("dollars", "text"),
    [
        (None, "–"),
        (0.0, "$0.000"),
        (0.0421, "$0.042"),
        (1.5, "$1.50"),
        (0.0994, "$0.099"),
        (0.0996, "$0.10"),
        (99.996, "$100"),
        (1234.4, "$1.2k"),
        (99_960, "$100k"),
    ],
)
def test_money(dollars, text):
    assert words.money(dollars) == text


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"),
        (999, "999"),
        (1000, "1.0k"),
        (12_345, "12.3k"),
        (123_456, "123k"),
        (99_949, "99.9k"),
        (99_950, "100k"),
        (999_499, "999k"),
        (999_700, "1.0M"),
        (999_600_000, "1.0G"),
        (2_500_000_000_000, "2.5T"),
        (2_500_000_000, "2.5G"),
    ],
)
def test_counts_take_at_most_five_characters(number, text):
    assert words.count(number) == text
    assert len(text) <= 5


@pytest.mark.parametrize(
    ("duration", "text"),
    [
        (0, "0.00s"),
        (9.994, "9.99s"),
        (9.996, "10.0s"),
        (59.9, "59.9s"),
        (59.97, "1m00s"),
        (245, "4m05s"),
        (7380, "2h03m"),
        (359_999, "99h59m"),
        (360_000, "4d04h"),
        (8_640_000, "100d"),
    ],
)
def test_durations(duration, text):
    assert words.seconds(duration) == text


def test_a_text_too_long_is_cut_and_says_so():
    assert words.clipped("one\n  two", 20) == "one two"
    assert words.clipped("abcdef", 4) == "abc…"
