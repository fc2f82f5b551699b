"""Rewards: functions of a turn."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from pytest_netbench.episodes.turn import Turn
from pytest_netbench.errors import UsageError

Reward = Callable[[Turn], float]


@dataclass(frozen=True, kw_only=True)
class NetArenaReward:
    """The reward of NetArena (§5.1): -100 for invalid commands, +10 for valid diagnostics, +100 for correct fixes.

    The paper defines these words no further, and it names nothing else. ``broke`` and ``mended`` are ours; set them to
    0 to have only what the paper names. The reward of a turn is the sum of what applies.

    Args:
        invalid: The action or a command of it was refused.
        broke: A flow that was right is wrong now, or the submitted answer is not safe.
        diagnostic: The action looked at something and was answered.
        mended: A change after which more flows are right, none is broken, and some are still wrong.
        solved: Everything is right for the first time in the episode.
    """

    invalid: float = -100.0
    broke: float = -100.0
    diagnostic: float = 10.0
    mended: float = 10.0
    solved: float = 100.0

    def __call__(self, turn: Turn) -> float:
        broke = bool(turn.broke) or turn.unsafe
        progress = bool(turn.mended) and not broke and not turn.solved
        return (
            self.invalid * bool(turn.refused)
            + self.broke * broke
            + self.diagnostic * turn.looked
            + self.mended * progress
            + self.solved * turn.solved
        )


def rewarded(reward: Reward, turn: Turn) -> float:
    """Return ``reward`` of ``turn``.

    Raises:
        UsageError: It is not a finite number.
    """
    given: object = reward(turn)
    if isinstance(given, int | float) and math.isfinite(given):
        return float(given)
    raise UsageError(f"the reward function {reward!r:.100} returned {given!r:.80} instead of a finite number")
