"""Sought: why a search for failures chose a drawn task."""

from __future__ import annotations

from pydantic import Field

from pytest_netbench.model.base import Model


class Sought(Model):
    """The choice of a search for failures. Regions are written ``AXIS=VALUE``, e.g. ``label=DR+WR``."""

    history: str = Field(description="digest of the verdicts that the search knew, and of where it began to draw")
    trials: int = Field(ge=0, description="how many verdicts it knew")
    candidates: int = Field(ge=1, description="how many draws it chose from")
    chances: dict[str, float] = Field(
        description="by region of the task: the chance of failure that was drawn for it from what was known"
    )
    known: dict[str, tuple[int, int]] = Field(
        description="by region of the task: how many trials had failed in it, of how many"
    )
