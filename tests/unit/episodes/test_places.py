"""A place of a vector environment, with a seat that answers as it is told; and wrong arguments of the vector."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("gymnasium", reason="gymnasium is not installed; fix: make setup-gate")

from pytest_netbench.errors import InfrastructureError, UsageError
from pytest_netbench.gymnasium import VectorEpisode
from pytest_netbench.gymnasium.places import Place
from pytest_netbench.gymnasium.seats import Answer

RESET: Answer = ("done", ("a network", {"task": "x"}))
STEP: Answer = ("done", ("an answer", 1.0, False, False, {}))
END: Answer = ("done", ("an answer", 1.0, True, False, {}))
BROKEN: Answer = ("broken", "no memory")


class Told:
    """A seat somewhere else: gives answers of a list, and keeps the requests."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[str, Any]] = []

    def ask(self, method: str, given: Any) -> None:
        self.asked.append((method, given))

    def answer(self) -> Answer:
        return self.answers.pop(0)

    def leave(self) -> None:
        pass

    def close(self) -> None:
        pass

    def abandon(self) -> None:
        pass


def at(index: int) -> tuple[str, Any]:
    return "reset", {"seed": 7, "options": {"index": index}}


def play(seat: Told, requests: int, *, drawn: bool = True) -> list[Exception | None]:
    place = Place(seat, drawn=drawn)
    place.go_to(7, None)
    heard = []
    for number in range(requests):
        place.ask(f"action {number}")
        heard.append(place.hear())
    return heard


def test_each_episode_is_the_next_draw_also_after_one_that_broke():
    seat = Told(RESET, STEP, BROKEN, BROKEN, RESET, END, RESET)
    assert play(seat, 7) == [None] * 7
    assert seat.asked == [at(0), ("step", "action 1"), ("step", "action 2"), at(1), at(2), ("step", "action 5"), at(3)]


def test_a_task_that_is_not_drawn_has_no_index():
    seat = Told(RESET)
    play(seat, 1, drawn=False)
    assert seat.asked == [("reset", {"seed": 7, "options": {}})]


def test_three_episodes_in_a_row_that_cannot_be_set_up_are_an_error_and_two_are_not():
    *first, last = play(Told(BROKEN, BROKEN, RESET, BROKEN, BROKEN, BROKEN, BROKEN), 7)
    assert first == [None] * 6  # the fourth broke while it was played
    assert isinstance(last, InfrastructureError)
    assert str(last) == "3 episodes in a row could not be set up: no memory"


@pytest.mark.parametrize("n", [0, -1, True, 1.0, "2"])
def test_a_wrong_number_is_refused(n):
    with pytest.raises(UsageError, match=r"n=.*: must be a whole number, 1 or above"):
        VectorEpisode("repair-routing", n=n)


def test_wrong_arguments_are_refused_before_a_process_is_started():
    with pytest.raises(UsageError, match="unknown generator"):
        VectorEpisode("no-such-generator", n=2)
    with pytest.raises(UsageError, match="budget: "):
        VectorEpisode("repair-routing", n=2, budget={"loops": 3})


def test_misuse_is_refused_and_close_is_idempotent():
    vector = VectorEpisode("repair-routing", n=2)
    with pytest.raises(UsageError, match="no episodes are running: call reset"):
        vector.step(["x", "x"])
    with pytest.raises(UsageError, match="step: 3 actions for 2 episodes"):
        vector.step(["x"] * 3)
    with pytest.raises(UsageError, match="reset: 1 seeds for 2 episodes"):
        vector.reset(seed=[1])
    with pytest.raises(UsageError, match=r"unknown option 'task' \(known: 'index'\)"):
        vector.reset(options={"task": "plan"})
    vector.close()
    vector.close()
    with pytest.raises(UsageError, match="closed"):
        vector.reset()
