"""Moments of a benchmark that a conftest.py or a plugin may act on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_netbench.lab.protocols import Lab
    from pytest_netbench.model.task import Task
    from pytest_netbench.model.trial import TrialRecord, TrialResult


@pytest.hookspec
def pytest_netbench_lab_ready(lab: Lab, task: Task) -> None:
    """Called when the lab of ``task`` is up and quiet, before the agent sees it."""


@pytest.hookspec
def pytest_netbench_trial_finished(record: TrialRecord, result: TrialResult) -> None:
    """Called in the trial's process once it is scored, before its lab is destroyed; heavy scores are added later."""


@pytest.hookspec
def pytest_netbench_result(result: TrialResult) -> None:
    """Called once per result, with all its scores, in the process that reports (the controller under xdist)."""
