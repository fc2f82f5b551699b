"""Runs a trial, or a self-test, for an item."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_netbench import parts
from pytest_netbench.plugin.item import Outcome, lack_of
from pytest_netbench.plugin.run import run_of
from pytest_netbench.results.truth import load_truth, save_truth
from pytest_netbench.scorers.apply import apply_scorers
from pytest_netbench.selftest import SelftestReport, selftest
from pytest_netbench.trial import Trial, family_of, judge, platforms_of, terms_for
from pytest_netbench.trial.provenance import environment

if TYPE_CHECKING:
    from pytest_netbench.agents.protocol import Agent, InformedAgent
    from pytest_netbench.ani.interface import LabAni
    from pytest_netbench.lab.protocols import Lab
    from pytest_netbench.model.task import Task


def run(request: pytest.FixtureRequest, *, task: Task, agent: Agent | InformedAgent, lab: Lab, ani: LabAni) -> Trial:
    """Run the trial of the item that asks, score it as far as this process may, and leave the outcome on the item."""
    settings = run_of(request.config)
    truth = load_truth(request.node.path, task)
    trial = Trial(
        task=task,
        lab=lab,
        ani=ani,
        agent=agent,
        terms=terms_for(task, agent.info, budget=settings.budget, ssh=settings.ssh),
        environment=environment(
            lab,
            backend=settings.backend,
            platforms=platforms_of(task),
            where=request.config.rootpath,
            pytest_version=pytest.__version__,
        ),
        node_id=request.node.nodeid,
        number=getattr(request.node, "number", 1),
        truth_initial_configs=None if truth is None else truth.initial_configs,
        truth_configs=None if truth is None else truth.configs,
    )
    record = trial.run()
    family = family_of(task)
    scores = apply_scorers(record, settings.scorer_names(family.scorers), where="worker")
    result = judge(record, scores, pass_marks=family.pass_marks)
    request.node.outcome = Outcome(record, result)
    request.config.hook.pytest_netbench_trial_finished(record=record, result=result)
    return trial


def run_selftest(request: pytest.FixtureRequest, task: Task) -> SelftestReport:
    """Test the task of the item that asks, and record the running configs its ground truth leaves."""
    settings = run_of(request.config)
    backend: Any = parts.load("backends", settings.backend)()
    lack = lack_of(task, backend)
    if lack is not None:
        pytest.skip(str(lack))
    report = selftest(
        task,
        backend=backend,
        time_scale=settings.time_scale or task.network.time_scale,
        workers=settings.side_by_side,
        repeats=settings.repeats,
    )
    if report.truth is not None and not report.problems:
        save_truth(request.node.path, task, report.truth.initial, report.truth.final)
    request.node.selftest_report = report
    return report
