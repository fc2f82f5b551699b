"""Results by group: one row for each agent and group, with intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from pytest_netbench.model.trial import TrialResult
from pytest_netbench.reporting import words
from pytest_netbench.reporting.intervals import METHODS, Method, clusters_of, passed
from pytest_netbench.reporting.tables import Table
from pytest_netbench.stats.attempts import over_tasks, pass_at_k, pass_hat_k
from pytest_netbench.stats.intervals import Interval, wald

Grouping = Callable[[TrialResult], Iterable[str]]
"""The groups that a result belongs to: several if, for example, several things were broken."""


NETARENA: Final = frozenset({"plan", "repair"})
"""The families of NetArena, which reports Wald's interval."""


@dataclass(frozen=True, kw_only=True)
class Columns:
    """What a table shows beside agent, group and how many passed.

    Attributes:
        by: What the groups are, for the head.
        task_of: The task of a result.
        cluster_of: The cluster of a result, for intervals that have them.
        metrics: Names of scores, a column each.
        method: Of the intervals.
        attempts: For each number k: pass@k and pass^k.
    """

    by: str
    task_of: Callable[[TrialResult], str]
    cluster_of: Callable[[TrialResult], str]
    metrics: Sequence[str] = ()
    method: Method = METHODS["clustered"]
    attempts: Sequence[int] = ()


def group_table(results: Sequence[TrialResult], groups_of: Grouping, columns: Columns) -> Table:
    """Return a table: agent, group, passed of all, its interval, and means of metrics.

    Args:
        results: Those of trials whose lab did not fail.
        groups_of: The groups of a result.
        columns: What is shown.
    """
    netarena = any(one.family in NETARENA for one in results)
    head = (
        *("agent", columns.by, "passed", "95 %"),
        *(("netarena.wald",) if netarena else ()),
        *(text for k in columns.attempts for text in (f"pass@{k}", f"pass^{k}")),
        *(text for metric in columns.metrics for text in (metric, "95 %")),
    )
    rows = list(_rows(results, groups_of, columns, netarena=netarena))
    return Table(head=head, rows=rows, left=frozenset({1}), gap="  ")


def metrics_of(results: Iterable[TrialResult]) -> list[str]:
    """The scores that results have, in their order; those that repeat another benchmark's formulas are left out."""
    every = dict.fromkeys(score.metric for one in results for score in one.scores)
    return [name for name in every if "." not in name]


def _rows(
    results: Sequence[TrialResult], groups_of: Grouping, columns: Columns, *, netarena: bool
) -> Iterator[tuple[str, ...]]:
    for agent in sorted({one.agent.id for one in results}):
        mine = [one for one in results if one.agent.id == agent]
        found: dict[str, list[TrialResult]] = {}
        for one in mine:
            for group in groups_of(one):
                found.setdefault(group, []).append(one)
        for group in sorted(found):
            yield (agent, group, *_cells(found[group], columns, netarena=netarena))
        if len(found) > 1:
            yield (agent, "all", *_cells(mine, columns, netarena=netarena))


def _cells(results: Sequence[TrialResult], columns: Columns, *, netarena: bool) -> Iterator[str]:
    yield f"{sum(map(passed, results)):.0f}/{len(results)}"
    yield _shown(columns.method.share(clusters_of(results, columns.cluster_of, passed)))
    if netarena:
        of_netarena = [one for one in results if one.family in NETARENA]
        yield _shown(_wald(of_netarena)) if of_netarena else words.NOTHING
    tasks = [(round(sum(one)), len(one)) for one in clusters_of(results, columns.task_of, passed)]
    for k in columns.attempts:
        yield from (words.score(over_tasks(measure, tasks, k).value) for measure in (pass_at_k, pass_hat_k))
    for metric in columns.metrics:
        made = columns.method.mean(clusters_of(results, columns.cluster_of, partial(_score, metric)))
        yield words.score(made.value if made else None)
        yield _shown(made.interval if made else None)


def _score(metric: str, result: TrialResult) -> float | None:
    return result.score(metric)


def _wald(results: Sequence[TrialResult]) -> Interval:
    return wald(round(sum(map(passed, results))), len(results))


def _shown(interval: Interval | None) -> str:
    return f"{interval.low:.2f}-{interval.high:.2f}" if interval else words.NOTHING
