"""The failures that a search found, by region."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from pytest_netbench.reporting import words
from pytest_netbench.stats.regions import Count, Regions, Tally

_SHOWN: Final = 6


def failure_lines(
    series: str, known: Sequence[tuple[Regions, bool]], found: Sequence[tuple[Regions, bool]], *, width: int
) -> list[str]:
    """Return a headline, and a line per axis with the regions of which the largest share failed.

    Args:
        series: What was drawn, as written.
        known: The verdicts that the search knew.
        found: The verdicts of this run.
        width: Of the terminal, in columns.
    """
    before, now = Tally(known).total, Tally(found).total
    total = Tally([*known, *found])
    heads = [
        f"search {series}: {_counted(now)} trials failed; before, {_counted(before)}",
        "failed/trials so far, worst first; tasks of a search are harder: do not compare their scores with others",
    ]
    axes = sorted(total.axes.items(), key=lambda one: (one[0] not in {"label", "level"}, one[0]))
    label, room = max(map(len, total.axes), default=0), max(width, 80) - 1
    rows = [f"  {axis:<{label}}  {words.clipped(_listed(counts), room - label - 4)}" for axis, counts in axes]
    return [*(words.clipped(head, room) for head in heads), *rows]


def _counted(count: Count) -> str:
    return f"{count.failed} of {count.trials}"


def _listed(counts: Mapping[str, Count]) -> str:
    order = sorted(counts.items(), key=lambda one: (-one[1].share, -one[1].trials, one[0]))
    texts = [f"{value} {count.failed}/{count.trials}" for value, count in order[:_SHOWN]]
    more = len(order) - _SHOWN
    return ", ".join(texts) + (f" and {more} others" if more > 0 else "")
