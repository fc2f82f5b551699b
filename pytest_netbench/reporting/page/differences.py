"""Two agents at a time: how much more often the first passes the tasks that both ran."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from pytest_netbench.model.trial import TrialResult
from pytest_netbench.reporting.intervals import passed
from pytest_netbench.results.pairing import pair
from pytest_netbench.stats.intervals import Interval
from pytest_netbench.stats.paired import Pair, compare

MOST_PAIRED: Final = 4
"""Agents of which each two are compared; of more, each with the best one."""


@dataclass(frozen=True, kw_only=True)
class Difference:
    """The mean over tasks of how much more often the first agent passes, -1 to 1, with its interval of 95 %."""

    first: str
    second: str
    tasks: int
    value: float
    interval: Interval


def differences(results: Sequence[TrialResult], ranked: Sequence[str]) -> list[Difference]:
    """Compare agents, at the tasks that both ran.

    Args:
        results: Of trials.
        ranked: Ids of agents, best first.
    """
    pairs = list(combinations(ranked, 2))
    if len(ranked) > MOST_PAIRED:
        pairs = [(ranked[0], other) for other in ranked[1:]]
    by_agent = {agent: [one for one in results if one.agent.id == agent] for agent in ranked}
    found = (_difference(first, second, by_agent[first], by_agent[second]) for first, second in pairs)
    return [one for one in found if one is not None]


def _difference(
    first: str, second: str, ones: Sequence[TrialResult], others: Sequence[TrialResult]
) -> Difference | None:
    """``compare`` takes the second less the first, so the sides are exchanged."""
    sides = pair(others, ones).trials.values()
    pairs = [Pair(first=tuple(map(passed, one)), second=tuple(map(passed, other))) for one, other in sides]
    if not pairs:
        return None
    found = compare(pairs)
    assert found.interval is not None, "passed or not is a share"
    return Difference(
        first=first,
        second=second,
        tasks=found.tasks,
        value=found.difference,
        interval=found.interval,
    )
