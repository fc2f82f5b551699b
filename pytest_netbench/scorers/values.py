"""The scores that many scorers make: of what holds or not, and of what was not measured."""

from __future__ import annotations

from typing import Any

from pytest_netbench.model.score import Score


def indicator(name: str, version: int, *, holds: bool, words: str, evidence: dict[str, Any]) -> Score:
    """The score 1 if something holds, else 0."""
    return Score(metric=name, value=float(holds), explanation=words, scorer=f"{name}/{version}", evidence=evidence)


def not_measured(name: str, version: int, why: str) -> Score:
    """The score of what was not measured."""
    return Score(metric=name, value=None, explanation=why, scorer=f"{name}/{version}")
