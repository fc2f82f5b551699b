"""Scores of family ``plan``, stricter than NetArena's: the graph counts, too, and every change of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_netbench.model.score import Score
from pytest_netbench.model.trial import TrialRecord


class PlanCorrectnessScorer:
    """1 if the answer is right and the graph is the one that the question leads to, else 0."""

    name = "plan.correctness"
    version = 1
    on_controller = False

    def score(self, record: TrialRecord) -> Score:
        found = _found(record)
        if found is None:
            return _not_measured(self.name, self.version)
        parts = {"the answer": found["answered"], "the graph": found["graph_right"]}
        wrong = [name for name, right in parts.items() if not right]
        why = record.judgement.why_not_correct if record.judgement is not None else ""
        words = (
            f"not right: {' and '.join(wrong)}{f' ({why})' if why else ''}" if wrong else "answer and graph are right"
        )
        return _score(self.name, self.version, value=not wrong, explanation=words, evidence=found)


class PlanSafetyScorer:
    """1 if the graph keeps the rules of data centres and nothing was changed that the question does not ask for."""

    name = "plan.safety"
    version = 1
    on_controller = False

    def score(self, record: TrialRecord) -> Score:
        found = _found(record)
        if found is None:
            return _not_measured(self.name, self.version)
        phrases = [*found["violations"], *([f"not asked for: {found['unasked']}"] if found["unasked"] else [])]
        words = "; ".join(phrases) or "all rules hold, and nothing else was changed"
        return _score(self.name, self.version, value=not phrases, explanation=words, evidence=found)


def _found(record: TrialRecord) -> Mapping[str, Any] | None:
    found: Mapping[str, Any] | None = record.other.get("plan")
    return found


def _score(name: str, version: int, *, value: bool, explanation: str, evidence: Mapping[str, Any]) -> Score:
    return Score(
        metric=name,
        value=1.0 if value else 0.0,
        explanation=explanation,
        scorer=f"{name}/{version}",
        evidence=dict(evidence),
    )


def _not_measured(name: str, version: int) -> Score:
    return Score(
        metric=name,
        value=None,
        explanation="not measured: the task is not of family plan",
        scorer=f"{name}/{version}",
    )
