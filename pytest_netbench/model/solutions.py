"""Recorded solutions of a task: right ones written differently, wrong ones that look right, and explained mutants."""

from __future__ import annotations

from pydantic import Field

from pytest_netbench.model.base import Model

LEAST_RIGHT = 2
LEAST_WRONG = 5
"""How many solutions a task must have that has any."""


class Solution(Model):
    """Commands by node, in the form of ``ground_truth_configs``.

    ``tampers``: it configures a node that is not managed, which the ANI must refuse.
    """

    name: str
    reason: str
    configs: dict[str, tuple[str, ...]]
    reasoning: str | None = None
    tampers: bool = False


class ExplainedMutant(Model):
    """A mutant of a ground-truth line that no testcase catches, and why that is right."""

    node: str
    line: str
    mutant: str
    reason: str


class Solutions(Model):
    """What ``.solutions/SLUG.yaml`` holds."""

    right: tuple[Solution, ...] = ()
    wrong: tuple[Solution, ...] = ()
    mutants: tuple[ExplainedMutant, ...] = Field((), description="mutants of the truth that no testcase catches")
