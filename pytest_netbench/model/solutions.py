"""Recorded solutions of a task: right ones written differently, wrong ones that look right, and explained mutants."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from pytest_netbench.model.base import Model

LEAST_RIGHT = 2
LEAST_WRONG = 5
"""How many solutions a task must have that has any."""


Provenance = str | dict[str, Any]
"""Where a solution comes from, in words or as an object: the draft does not say more."""


class Origin(Model):
    """The id of a ground truth, and where it comes from."""

    solution_id: str = Field(min_length=1)
    provenance: Provenance | None = None


class GroundTruth(Origin):
    """One of several ground truths of a task, as the draft's revision -02 has them: commands by node."""

    configs: dict[str, tuple[str, ...]]
    reasoning: str = ""

    @property
    def solution(self) -> Solution:
        """The same as a recorded right solution."""
        return Solution(
            name=self.solution_id,
            reason="a further ground truth of the task",
            configs=self.configs,
            reasoning=self.reasoning or None,
            provenance=self.provenance,
        )


class Solution(Model):
    """Commands by node, in the form of ``ground_truth_configs``.

    ``tampers``: it configures a node that is not managed, which the ANI must refuse. ``provenance``: the trial that it
    was harvested from; ``None`` if a person wrote it.
    """

    name: str
    reason: str
    configs: dict[str, tuple[str, ...]]
    reasoning: str | None = None
    tampers: bool = False
    provenance: Provenance | None = None


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
