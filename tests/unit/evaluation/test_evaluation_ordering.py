"""The order of testcases and events."""

from __future__ import annotations

import pytest

from pytest_netbench.evaluation.ordering import courses

A, B, C = "cut A", "restore A", "cut B"


@pytest.mark.parametrize(
    ("events", "alone", "expected"),
    [
        ({"dead": [A], "back": [A, B]}, (), [("dead", "back")]),
        ({"back": [A, B], "dead": [A]}, (), [("back",), ("dead",)]),
        ({"dead": [A], "other": [C], "back": [A, B]}, (), [("dead", "back"), ("other",)]),
        ({"dead": [A], "both": [A, C], "back": [A, C, B]}, (), [("dead", "both", "back")]),
        ({"dead": [A], "both": [A, C], "back": [A, B]}, (), [("dead", "both"), ("back",)]),
        ({"dead": [A], "back": [A, B]}, ("back",), [("dead",), ("back",)]),
        ({"dead": [A], "back": [A, B]}, ("dead",), [("dead", "back")]),
        ({}, (), []),
    ],
    ids=["continued", "not backwards", "later", "shortest first", "one continuation", "alone", "head alone", "none"],
)
def test_an_event_goes_on_where_another_one_ended(events, alone, expected):
    assert courses(events, alone=alone) == expected
