"""The default reward, and what a reward must be."""

from __future__ import annotations

import math

import pytest

from pytest_netbench.episodes import NetArenaReward, Turn
from pytest_netbench.episodes.reward import rewarded
from pytest_netbench.errors import UsageError


@pytest.mark.parametrize(
    ("turn", "expected"),
    [
        ({}, 0),
        ({"refused": "no such command"}, -100),
        ({"looked": True}, 10),
        ({"mended": (1,), "wrong": 2}, 10),
        ({"mended": (1, 2), "wrong": 0, "solved": True}, 100),
        ({"broke": (3,)}, -100),
        ({"broke": (3,), "mended": (1,)}, -100),
        ({"broke": (3,), "refused": "x"}, -200),
        ({"refused": "the second line", "mended": (1,), "solved": True}, 0),
        ({"unsafe": True, "done": True}, -100),
        ({"solved": True, "done": True}, 100),
        ({"done": True, "out_of_budget": True}, 0),
    ],
)
def test_the_default_reward_is_the_sum_of_what_applies(turn, expected):
    assert NetArenaReward()(Turn(number=1, method="m", **turn)) == expected


def test_what_the_paper_does_not_name_can_be_left_out():
    reward = NetArenaReward(broke=0, mended=0)
    assert reward(Turn(number=1, method="m", broke=(1,), mended=(2,))) == 0


@pytest.mark.parametrize("given", [None, "10", math.nan, math.inf, object()])
def test_a_reward_that_is_no_number_is_an_error_of_the_caller(given):
    with pytest.raises(UsageError, match="instead of a finite number"):
        rewarded(lambda turn: given, Turn(number=1, method="m"))
