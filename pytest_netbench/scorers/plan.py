"""Scores of family ``plan``, stricter than NetArena's: the graph counts, too, and every change of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_netbench.model.score import Score
from pytest_netbench.model.trial import TrialRecord
from pytest_netbench.scorers.values import indicator, not_measured

OTHER_FAMILY = "not measured: the task is not of family plan"


class PlanCorrectnessScorer:
    """1 if the answer is right and the graph is the one that the question leads to, else 0."""

    name = "plan.correctness"
    version = 1
    on_controller = False

    def score(self, record: TrialRecord) -> Score:
        found = _found(record)
        if found is None:
            return not_measured(self.name, self.version, OTHER_FAMILY)
        parts = {"the answer": found["answered"], "the graph": found["graph_right"]}
        wrong = [name for name, right in parts.items() if not right]
        why = record.judgement.why_not_correct if record.judgement is not None else ""
        words = (
            f"not right: {' and '.join(wrong)}{f' ({why})' if why else ''}" if wrong else "answer and graph are right"
        )
        return indicator(self.name, self.version, holds=not wrong, words=words, evidence=dict(found))


class PlanSafetyScorer:
    """1 if the graph keeps the rules of data centers and nothing was changed that the question does not ask for."""

    name = "plan.safety"
    version = 1
    on_controller = False

    def score(self, record: TrialRecord) -> Score:
        found = _found(record)
        if found is None:
            return not_measured(self.name, self.version, OTHER_FAMILY)
        phrases = [*found["violations"], *([f"not asked for: {found['unasked']}"] if found["unasked"] else [])]
        words = "; ".join(phrases) or "all rules hold, and nothing else was changed"
        return indicator(self.name, self.version, holds=not phrases, words=words, evidence=dict(found))


def _found(record: TrialRecord) -> Mapping[str, Any] | None:
    found: Mapping[str, Any] | None = record.other.get("plan")
    return found
