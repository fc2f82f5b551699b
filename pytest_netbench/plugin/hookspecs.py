"""Hooks of a benchmark for a conftest.py or a plugin."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_netbench.lab.protocols import Lab
    from pytest_netbench.model.task import Task
    from pytest_netbench.model.trial import TrialRecord, TrialResult


@pytest.hookspec
def pytest_netbench_lab_ready(lab: Lab, task: Task) -> None:
    """Called when the lab of ``task`` is up and converged, before the agent works on it."""


@pytest.hookspec
def pytest_netbench_trial_finished(record: TrialRecord, result: TrialResult) -> None:
    """Called in the trial's process once it is scored, before its lab is destroyed; heavy scores are added later."""


@pytest.hookspec
def pytest_netbench_result(result: TrialResult) -> None:
    """Called once per result, with all its scores, in the process that reports (the controller under xdist)."""
