"""Recorded solutions of a task: right ones written differently, wrong ones that look right, and explained mutants."""

from __future__ import annotations

from typing import Any, Final, Literal

from pydantic import Field

from pytest_netbench.model.base import Model

LEAST_RIGHT = 2
LEAST_WRONG = 5
"""How many solutions a task must have that has any."""


ErrorKind = Literal[
    "side-effect",
    "mechanism",
    "omitted-fact",
    "burst",
    "later-interface",
    "load",
    "later-prefix",
    "opener",
    "source-port",
    "icmp-error",
    "second-failure",
]
ERROR_KINDS: Final[dict[ErrorKind, str]] = {
    "side-effect": "the reference holds what only the ground truth's own way brings about",
    "mechanism": "a check prescribes how the work is done",
    "omitted-fact": "a check needs a fact that the text does not tell",
    "burst": "a measurement is shorter than the burst that a limit allows",
    "later-interface": "nothing tests an interface that is added or used later",
    "load": "nothing tests packets while a line or a limit is full",
    "later-prefix": "nothing tests a prefix that nobody announces yet",
    "opener": "nothing tests who may open a session",
    "source-port": "nothing tests ports that packets come from",
    "icmp-error": "nothing tests the ICMP errors that belong to a flow, or that give something away",
    "second-failure": "nothing tests another failure than the first one, or the return",
}
"""The kinds of error that a verdict of a task may have, found by solutions whose authors were strangers to it."""

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
    was harvested from; ``None`` if a person wrote it. ``kinds``: the errors of a verdict that it would show: a right
    one would be refused, a wrong one would pass.
    """

    name: str
    reason: str
    configs: dict[str, tuple[str, ...]]
    reasoning: str | None = None
    tampers: bool = False
    provenance: Provenance | None = None
    kinds: tuple[ErrorKind, ...] = ()


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
    inapplicable: dict[ErrorKind, str] = Field({}, description="why the task's verdict cannot have this kind of error")
    mutants: tuple[ExplainedMutant, ...] = Field((), description="mutants of the truth that no testcase catches")
