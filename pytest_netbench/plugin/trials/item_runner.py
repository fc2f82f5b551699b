"""Runs a trial, or a self-test, for an item."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pytest_netbench.agents import run_budget
from pytest_netbench.errors import RequirementMissing
from pytest_netbench.evaluation.behaviour.problems import problems_of
from pytest_netbench.families.proof import Extent, Memory, NoMemory
from pytest_netbench.lab.resources import by_kind
from pytest_netbench.plugin.items.collection import references_of
from pytest_netbench.plugin.items.item import NOT_PROVEN, DrawnItem
from pytest_netbench.plugin.items.node_ids import source_of
from pytest_netbench.plugin.settings.run_options import Proving, run_of
from pytest_netbench.plugin.trials.cassettes import CASSETTE
from pytest_netbench.results.memory import KeptVerdicts
from pytest_netbench.results.reference import is_held
from pytest_netbench.results.truth import TruthStore
from pytest_netbench.trial import (
    SelftestReport,
    Settings,
    Stage,
    Store,
    Trial,
    TrialSpec,
    record_behaviour,
    selftest,
)
from pytest_netbench.trial.execution import Here, perform
from pytest_netbench.trial.proof_cache import Proofs

if TYPE_CHECKING:
    from pytest_netbench.agents.protocol import Agent, InformedAgent
    from pytest_netbench.ani.protocol import OpenAni
    from pytest_netbench.generators.sources import Source
    from pytest_netbench.lab.protocols import Lab
    from pytest_netbench.model.task import Task
    from pytest_netbench.results.sealed import SealedTask
    from pytest_netbench.trial import CassetteSpec


def settings_of(request: pytest.FixtureRequest) -> Settings:
    """Return the settings for stages of the requesting item."""
    run = run_of(request.config)
    hook = request.config.hook
    sealed: SealedTask | None = getattr(request.node, "sealed", None)

    def ready(lab: Lab, task: Task) -> None:
        hook.pytest_netbench_lab_ready(lab=lab, task=task)

    return Settings(
        backend=run.backend,
        time_scale=run.time_scale,
        clock=run.clock,
        workers=run.side_by_side,
        lab=run.lab,
        truth=truths_of(request.node).load if sealed is None else sealed.truth,
        reference=references_of(request.node).load if sealed is None else sealed.reference,
        ready=ready,
        where=request.config.rootpath,
        pytest_version=pytest.__version__,
    )


def run(
    request: pytest.FixtureRequest, *, task: Task, agent: Agent | InformedAgent, lab: Lab | None, ani: OpenAni
) -> Trial:
    """Run the trial of the requesting item on its stage, and store the result on the item."""
    stage = _stage(request, task, lab)
    terms, tape = getattr(request.node, "terms", None), getattr(request.node, "tape", None)
    here = Here(agent=agent, stage=stage, ani=ani, terms=terms, tape=tape)
    choice = getattr(request.node, "agent_choice", None)
    cassette = None if tape is None else request.config.stash[CASSETTE]
    spec = spec_of(request.node, task, agent.info.id if choice is None else choice.spec, cassette=cassette)
    result = request.node.outcome = perform(spec, here)
    assert result.record is not None
    request.config.hook.pytest_netbench_trial_finished(record=result.record, result=result)
    return Trial(task=task, lab=stage.lab, record=result.record, result=result)


def spec_of(item: pytest.Item, task: Task, agent: str, *, cassette: CassetteSpec | None) -> TrialSpec:
    """The trial of an item.

    Args:
        item: The item.
        task: Its task, or that of an overridden fixture.
        agent: As for ``--agent``.
        cassette: Where what models answer is kept, or comes from.
    """
    options = run_of(item.config)
    path, root = item.path, item.config.rootpath
    return TrialSpec(
        task=task,
        agent=agent,
        agents=str(root),
        budget=options.budget,
        ssh=options.ssh,
        number=getattr(item, "number", 1),
        node_id=item.nodeid,
        scorers=options.scorers,
        backend=options.backend,
        time_scale=options.time_scale,
        clock=options.clock,
        workers=options.side_by_side,
        lab=options.lab,
        store=Store(folder=str(path if path.is_dir() else path.parent), root=str(root)),
        run_budget=run_budget.current(),
        cassette=cassette,
        pytest_version=pytest.__version__,
    )


def run_selftest(request: pytest.FixtureRequest, task: Task) -> SelftestReport:
    """Run the self-test of the requesting item's task and record what its ground truth leaves and does.

    The reference behaviour is recorded first if there is none of the present state, because testcases compare with it.
    """
    run = run_of(request.config)
    source = source_of(request.node.nodeid, request.config)
    settings, references = settings_of(request), references_of(request.node)
    try:
        if is_held(task) and references.path(task) is None:
            recorded = None if source is None else source.solutions(task)
            references.save(task, record_behaviour(task, settings, solutions=recorded))
        held = references.path(task)
        also = [by_kind(run.backend), run.time_scale, None if held is None else held.read_text(encoding="utf-8")]
        also += [run.lab] if run.lab else []
        also += [run.clock] if run.clock != "events" else []
        memory = KeptVerdicts(request.config.rootpath, task, also=also, fresh=run.proving.fresh)
        extent = extent_of(run.proving, task, source, memory)
        # a process has one control plane, which serves one cluster at a time
        at_once = 1 if task.payload.resource == "cluster" else run.stages_at_once(len(request.session.items))
        extent = replace(extent, side_by_side=at_once)
        report = selftest(task, settings, extent)
        report = replace(report, problems=(*report.problems, *_reference_problems(request, task)))
    except RequirementMissing as lack:
        pytest.skip(str(lack))
    if isinstance(request.node, DrawnItem):
        _proofs(request).keep(task, report.problems)
    is_recorded = task.variant is not None and truths_of(request.node).load(task) is not None
    if report.truth is not None and not report.problems and not is_recorded:
        truths_of(request.node).save(
            task,
            report.truth.initial,
            report.truth.final,
            right=report.truth.right,
            right_reasoning=report.truth.right_reasoning,
        )
    request.node.selftest_report = report
    return report


def drop_unproven(request: pytest.FixtureRequest, task: Task) -> None:
    """Skip the trial of a drawn task that cannot be proven; prove it if no verdict is kept."""
    run = run_of(request.config)
    if run.unproven or not isinstance(request.node, DrawnItem):
        return
    problems = _proofs(request).problems(task)
    if problems:
        pytest.skip(f"{NOT_PROVEN}{problems[0].partition(chr(10))[0]}")


def _proofs(request: pytest.FixtureRequest) -> Proofs:
    return Proofs(settings_of(request), root=request.config.rootpath)


def _reference_problems(request: pytest.FixtureRequest, task: Task) -> list[str]:
    behaviour = references_of(request.node).load(task) if is_held(task) else None
    return [] if behaviour is None else problems_of(task, behaviour, path=request.node.path)


def extent_of(proving: Proving, task: Task, source: Source | None, memory: Memory | None = None) -> Extent:
    """How much of ``task`` is proved, as the options say.

    Raises:
        SolutionsFileError: Its recorded solutions cannot be used.
    """
    return Extent(
        repeats=proving.repeats,
        claims=proving.claims,
        solutions=None if source is None else source.solutions(task),
        mutants=proving.mutants,
        share=proving.share,
        seed=proving.seed,
        memory=memory or NoMemory(),
    )


def _stage(request: pytest.FixtureRequest, task: Task, lab: Lab | None) -> Stage:
    """The item's stage. The ``lab`` of an overridden fixture replaces its own lab."""
    stage: Stage | None = getattr(request.node, "stage", None)
    if stage is None:
        stage = Stage(task, settings_of(request), lab=lab)
        stage.__enter__()  # it has nothing to remove: the code that deployed the lab destroys it
    elif lab is not None:
        stage.adopt(lab)
    return stage


def truths_of(item: pytest.Item) -> TruthStore:
    """The recorded truths near the item's task."""
    path, root = item.path, item.config.rootpath
    return TruthStore.around(path if path.is_dir() else path.parent, root=root)
