"""Why trials failed: how many for each reason, of each agent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from pytest_netbench.model.process import REASONS
from pytest_netbench.model.trial import TrialResult
from pytest_netbench.reporting.intervals import Method, clusters_of
from pytest_netbench.reporting.tables import Table

UNKNOWN: Final = "unknown"
"""The reason of a trial without verdicts: one of an older version, or without a transcript."""
ORDER: Final = (*REASONS, UNKNOWN)


def reason(result: TrialResult) -> str | None:
    """Why a trial failed; ``None`` if it did not fail."""
    if result.status != "failed":
        return None
    return UNKNOWN if result.process is None or result.process.reason is None else result.process.reason


def meaning(name: str) -> str:
    """A reason in a sentence. One of a newer version has none here."""
    return REASONS.get(name, "The transcript was not kept, or the reason is of another version.")


def counted(results: Iterable[TrialResult]) -> dict[str, int]:
    """How many trials failed for each reason, in the order of their precedence."""
    counts = Counter(found for one in results if (found := reason(one)) is not None)
    known = [name for name in ORDER if name in counts]
    return {name: counts[name] for name in (*known, *sorted(set(counts) - set(ORDER)))}


def reasons_table(
    results: Sequence[TrialResult], *, method: Method, cluster_of: Callable[[TrialResult], str]
) -> tuple[Table, list[str]]:
    """Return a table with a row for each agent and reason, and what the reasons mean.

    Args:
        results: Of trials that were scored.
        method: Of the intervals of shares.
        cluster_of: The cluster of a result.
    """
    head = ("agent", "reason", "trials", "of failed", "95 %")
    rows = list(_rows(results, method, cluster_of))
    return Table(head=head, rows=rows, left=frozenset({1}), gap="  "), meanings(counted(results))


def meanings(names: Iterable[str]) -> list[str]:
    """What reasons mean, in lines."""
    return [f"{name}: {meaning(name)}" for name in names]


def _rows(
    results: Sequence[TrialResult], method: Method, cluster_of: Callable[[TrialResult], str]
) -> Iterator[tuple[str, ...]]:
    for agent in sorted({one.agent.id for one in results}):
        mine = [one for one in results if one.agent.id == agent]
        failed = [one for one in mine if one.status == "failed"]
        for name, count in counted(failed).items():
            clusters = clusters_of(failed, cluster_of, lambda one, name=name: float(reason(one) == name))  # type: ignore[misc]
            interval = method.share(clusters)
            share = f"{count / len(failed):.0%}"
            yield (agent, name, str(count), share, f"{interval.low:.2f}-{interval.high:.2f}")
        yield (agent, "all that failed", f"{len(failed)}/{len(mine)}", "", "")


def both_sides(first: Sequence[TrialResult], second: Sequence[TrialResult]) -> Table | None:
    """How many trials of two sides failed for each reason; ``None`` if no reason is known."""
    sides = [counted(side) for side in (first, second)]
    names = list(counted([*first, *second]))
    if not set(names) - {UNKNOWN}:
        return None
    rows = [(name, *(str(side.get(name, 0)) for side in sides)) for name in names]
    totals = [f"{sum(side.values())}/{len(of)}" for side, of in zip(sides, (first, second), strict=True)]
    return Table(head=("why trials failed", "A", "B"), rows=[*rows, ("all", *totals)], gap="  ")
