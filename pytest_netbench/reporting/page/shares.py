"""How many trials passed, with intervals: of an agent, and of its trials by domain, size and level."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from pytest_netbench.model.trial import TrialResult
from pytest_netbench.reporting.intervals import clusters_of, passed
from pytest_netbench.results.pairing import task_id
from pytest_netbench.stats.clusters import clustered_share
from pytest_netbench.stats.intervals import Interval

SMALL, MEDIUM = 5, 15
"""The most nodes of a small and of a medium network."""
UNKNOWN = "unknown"
Order = tuple[int, str]
"""What groups are sorted by."""


@dataclass(frozen=True, kw_only=True)
class Share:
    """A share of trials that passed, with its interval."""

    agent: str
    value: float
    interval: Interval
    passed: int
    trials: int


@dataclass(frozen=True, kw_only=True)
class Plot:
    """Shares with intervals: for each group one of each agent that has trials in it."""

    title: str
    by: str
    rows: Sequence[tuple[str, Sequence[Share]]]


def share(agent: str, results: Sequence[TrialResult]) -> Share | None:
    """How many of an agent's scored trials passed; ``None`` without trials."""
    if not results:
        return None
    count = round(sum(map(passed, results)))
    interval = clustered_share(clusters_of(results, task_id, passed))
    return Share(agent=agent, value=count / len(results), interval=interval, passed=count, trials=len(results))


def plots(scored: Sequence[TrialResult], agents: Sequence[str]) -> Iterator[Plot]:
    """Yield the plots that tell apart more than one group of trials; that by domain always."""
    for title, by, group_of in (
        ("Passed by domain", "domain", _domain),
        ("Passed by size of the network", "size", size_of),
        ("Passed by difficulty", "level", level_of),
    ):
        groups = {group_of(one) for one in scored}
        if len(groups) > 1 or (groups and group_of is _domain):
            yield Plot(title=title, by=by, rows=[_row(group, scored, agents, group_of) for group in sorted(groups)])


def _row(
    group: Order, scored: Sequence[TrialResult], agents: Sequence[str], group_of: Callable[[TrialResult], Order]
) -> tuple[str, Sequence[Share]]:
    mine = [one for one in scored if group_of(one) == group]
    shares = (share(agent, [one for one in mine if one.agent.id == agent]) for agent in agents)
    return group[1], [one for one in shares if one is not None]


def _domain(result: TrialResult) -> Order:
    return 0, result.domain


def size_of(result: TrialResult) -> Order:
    """The size of the network, S before M before L; what has no network, or is not known, comes last."""
    known = result.regions.get("devices", ())
    if not known and result.size is None:
        return 9, UNKNOWN
    devices = int(known[0]) if known else result.size.devices if result.size else 0
    if devices == 0:
        return 8, "no network"
    if devices <= SMALL:
        return 0, f"S: to {SMALL} nodes"
    return (1, f"M: to {MEDIUM} nodes") if devices <= MEDIUM else (2, "L: more")


def level_of(result: TrialResult) -> Order:
    """The level of a drawn task, from the lowest; tasks that are not drawn come last."""
    return (10**6, "not drawn") if result.drawn is None else (result.drawn.level, f"level {result.drawn.level}")
