"""Measured difficulty: how often an agent passed a task, or draws of a generator at a level."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from pytest_netbench.model.base import Model, Recorded


class MeasuredFault(Model):
    """A fault of the network of a trial. ``named`` is ``None`` if the task asks for no answer."""

    fault_type: str
    named: bool | None = None


class MeasuredTrial(Recorded):
    """One trial that was scored."""

    task: str = Field(description="digest of the task")
    node_id: str
    trial: int
    started_at: str = Field(description="ISO 8601, UTC")
    passed: bool
    faults: tuple[MeasuredFault, ...] = Field((), description="of a network with faults; none if it is healthy")


class Share(Model):
    """How many of some trials passed, with an interval of 95 %."""

    trials: int
    passed: int
    named: int | None = Field(None, description="in how many the answer named the fault; `null` if none was asked for")
    low: float
    high: float


class Measured(Recorded):
    """What one agent reached. All but ``trials`` is computed from ``trials``."""

    agent: str
    model: str | None = Field(None, description="`null` of a program without one")
    settings: str = Field(description="digest of the agent's settings")
    first: str = Field(description="date of the first trial")
    last: str = Field(description="date of the last one")
    all: Share
    by_fault: dict[str, Share] = Field({}, description="by fault type, or `healthy`: the trials with it")
    trials: tuple[MeasuredTrial, ...]


class Difficulty(Model):
    """What was measured of one subject: a task, or the draws of a generator with equal parameters at a level.

    ``digest``: of the task, or of generator, level, version and parameters. So a change makes another subject.
    """

    digest: str
    subject: str = Field(description="slug of the task, or e.g. `diagnose level 4`")
    version: str | None = Field(None, description="of the package that drew the tasks; `null` of a task file")
    parameters: dict[str, Any] | None = Field(None, description="of the draws, but for the level")
    measured: tuple[Measured, ...]
