"""Results by group: one row for each agent and group, with intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from pytest_netbench.model.trial import TrialResult
from pytest_netbench.reporting import words
from pytest_netbench.stats.groups import estimate
from pytest_netbench.stats.intervals import wilson

Grouping = Callable[[TrialResult], Iterable[str]]
"""The groups that a result belongs to: several if, for example, several things were broken."""


def group_table(results: Sequence[TrialResult], groups_of: Grouping, *, by: str, metrics: Sequence[str]) -> list[str]:
    """Return the lines of a table: agent, group, passed of all, its Wilson interval, and means of metrics.

    Args:
        results: Those of trials whose lab did not fail.
        groups_of: The groups of a result.
        by: What the groups are, for the head.
        metrics: Names of scores, a column each.
    """
    head = ("agent", by, "passed", "95 %", *(text for metric in metrics for text in (metric, "95 %")))
    rows = [head, *_rows(results, groups_of, metrics)]
    widths = [max(len(row[at]) for row in rows) for at in range(len(head))]
    return [
        "  ".join(
            f"{cell:<{width}}" if at < 2 else f"{cell:>{width}}"
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def metrics_of(results: Iterable[TrialResult]) -> list[str]:
    """The scores that results have, in their order; those that repeat another benchmark's formulas are left out."""
    every = dict.fromkeys(score.metric for one in results for score in one.scores)
    return [name for name in every if "." not in name]


def _rows(results: Sequence[TrialResult], groups_of: Grouping, metrics: Sequence[str]) -> Iterator[tuple[str, ...]]:
    for agent in sorted({one.agent.id for one in results}):
        mine = [one for one in results if one.agent.id == agent]
        found: dict[str, list[TrialResult]] = {}
        for one in mine:
            for group in groups_of(one):
                found.setdefault(group, []).append(one)
        for group in sorted(found):
            yield (agent, group, *_cells(found[group], metrics))
        if len(found) > 1:
            yield (agent, "all", *_cells(mine, metrics))


def _cells(results: Sequence[TrialResult], metrics: Sequence[str]) -> Iterator[str]:
    passed = sum(one.status == "passed" for one in results)
    share = wilson(passed, len(results))
    yield f"{passed}/{len(results)}"
    yield f"{share.low:.2f}-{share.high:.2f}"
    for metric in metrics:
        made = estimate([value for one in results if (value := one.score(metric)) is not None])
        yield words.score(made.value if made else None)
        yield f"{made.interval.low:.2f}-{made.interval.high:.2f}" if made and made.interval else words.NOTHING
