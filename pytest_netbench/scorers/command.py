"""S_command: what the agent changed in the running configs, compared with the nearest recorded right solution."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pytest_netbench.dialects.base import Dialect
from pytest_netbench.model.score import Score
from pytest_netbench.model.trial import TrialRecord
from pytest_netbench.scorers.comparison import Comparer, Comparison, lack
from pytest_netbench.scorers.references import references
from pytest_netbench.scorers.values import not_measured

ADDITION = 0.25
"""What a line beyond the right solution counts if the network behaves as the reference: a quarter of a line."""


class CommandScorer:
    """F1 of added and removed lines, each under its parents, in the device's own syntax.

    Of the recorded right solutions the one with the highest value counts.

    Args:
        dialects: Dialects by name, instead of those found by entry point.
    """

    name = "command"
    version = 2
    on_controller = False

    def __init__(self, *, dialects: Mapping[str, Dialect] | None = None) -> None:
        self._dialects = dialects

    def score(self, record: TrialRecord) -> Score:
        if (missing := lack(record)) is not None:
            return not_measured(self.name, self.version, f"not measured: {missing}")
        equal = behaves_as_reference(record)
        comparer = Comparer(record, dialects=self._dialects)
        compared = [comparer.with_reference(reference) for reference in references(record)]
        figures = {one.reference: figures_of(one, addition=ADDITION if equal else 1.0) for one in compared}
        nearest = max(compared, key=lambda one: figures[one.reference].f1)
        found = figures[nearest.reference]
        return Score(
            metric=self.name,
            value=found.f1,
            explanation=nearest.words(),
            scorer=f"{self.name}/{self.version}",
            evidence={
                "precision": found.precision,
                "recall": found.recall,
                "nearest": nearest.reference,
                "references": {name: one.f1 for name, one in figures.items()},
                "same_behaviour": equal,
                "additions": nearest.added,
                **nearest.evidence(),
            },
        )


@dataclass(frozen=True, kw_only=True)
class Figures:
    """Precision, recall and their harmonic mean, to 6 decimals."""

    precision: float
    recall: float
    f1: float


def behaves_as_reference(record: TrialRecord) -> bool:
    """Return whether the whole behaviour was compared with the recorded one, and all testcases passed."""
    results = record.testcase_results
    return any(one.kind == "reference" for one in results) and all(one.status == "pass" for one in results)


def figures_of(comparison: Comparison, *, addition: float = 1.0) -> Figures:
    """Return the figures of a comparison.

    Args:
        comparison: With one right solution.
        addition: What a line counts that the agent added and the right solution does not have, 0…1.
    """
    generated = comparison.generated - (1 - addition) * comparison.added
    precision, recall, f1 = f1_of(comparison.matched, generated=generated, expected=comparison.expected)
    return Figures(precision=precision, recall=recall, f1=f1)


def f1_of(matched: int, *, generated: float, expected: int) -> tuple[float, float, float]:
    """Precision, recall and their harmonic mean, to 6 decimals.

    If both are empty, all three are 1.0; if only one is empty, all three are 0.0.
    """
    if generated == expected == 0:
        return 1.0, 1.0, 1.0
    precision = matched / generated if generated else 0.0
    recall = matched / expected if expected else 0.0
    f1 = 2 * matched / (generated + expected)
    return round(precision, 6), round(recall, 6), round(f1, 6)
