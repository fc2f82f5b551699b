"""What of a network an agent can look at beside something else that is wrong."""

from __future__ import annotations

import pytest

from pytest_netbench.faults.evidence.network import Observable

PAIRS = (("a", "b"), ("a", "c"), ("c", "d"))
LINKS = (("a", "r1"), ("c", "r1"), ("r1", "r2"), ("r2", "b"), ("r1", "r3"), ("r3", "r4"), ("r2", "r4"), ("r4", "d"))
"""From r1 to r4 there are two ways of the same length."""


@pytest.mark.parametrize(
    ("place", "left"),
    [
        ({"r1", "r2"}, {("a", "c")}),
        ({"r2"}, {("a", "c")}),
        ({"r1"}, set()),
        ({"r3", "r4"}, {("a", "b"), ("a", "c")}),
        ({"r4"}, {("a", "b"), ("a", "c")}),
        ({"r2", "r3"}, {("a", "c")}),
    ],
)
def test_tests_that_may_meet_another_fault_are_left_out(place: set[str], left: set[tuple[str, str]]) -> None:
    network = Observable(platforms={}, addresses={}, pairs=PAIRS, links=LINKS)
    assert {*network.beside([place]).pairs} == left


def test_beside_nothing_all_tests_are_left() -> None:
    assert Observable(platforms={}, addresses={}, pairs=PAIRS, links=LINKS).beside([]).pairs == PAIRS
