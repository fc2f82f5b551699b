"""Turn: one action and what came of it. Rewards are computed from it."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_netbench.model.trial import TrialResult


@dataclass(frozen=True, kw_only=True)
class Turn:
    """One action and what came of it.

    Attributes:
        number: 1 for the first action of an episode.
        method: The ANI method, or ``submit``; ``(unreadable)`` if the action could not be read.
        refused: Why the action, or the first refused command of it, was refused; empty if nothing was.
        looked: It was a request that changes nothing, and it was answered.
        broke: Flows that were right before and are wrong now, as indices. Empty if the family watches no flows.
        mended: Flows that were wrong before and are right now.
        wrong: How many flows are wrong now; ``None`` if the family watches none.
        unsafe: A safety score of the submitted answer is 0.
        solved: Everything is right now for the first time in this episode: all flows, or the verdict at the end.
        done: The episode is over.
        out_of_budget: It is over because the budget was used up.
        result: The result of the trial, with its scores and verdict; ``None`` before the end.
    """

    number: int
    method: str
    refused: str = ""
    looked: bool = False
    broke: tuple[int, ...] = ()
    mended: tuple[int, ...] = ()
    wrong: int | None = None
    unsafe: bool = False
    solved: bool = False
    done: bool = False
    out_of_budget: bool = False
    result: TrialResult | None = None
