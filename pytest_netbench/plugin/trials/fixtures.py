"""The fixtures of a task item. Each may be overridden in a conftest.py."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from pytest_netbench.errors import RequirementMissing, UsageError
from pytest_netbench.plugin.settings.run_options import run_of
from pytest_netbench.plugin.trials.agents import AGENTS
from pytest_netbench.plugin.trials.keeping import KEEPER

if TYPE_CHECKING:
    from pytest_netbench.agents.protocol import Agent, InformedAgent
    from pytest_netbench.ani.protocol import OpenAni
    from pytest_netbench.lab.protocols import Lab
    from pytest_netbench.model.task import Task
    from pytest_netbench.trial import SelftestReport, Stage, Trial


@pytest.fixture
def task(request: pytest.FixtureRequest) -> Task:
    """The task of a task file. Override it to use ``lab`` in a test of your own."""
    error = getattr(request.node, "task_error", None)
    if error is not None:
        raise error
    found: Task | None = getattr(request.node, "task", None)
    if found is None:
        raise UsageError(
            f"{request.node.nodeid}: the fixture 'task' belongs to items of task files; in a test of your own, override"
            " it with one that returns pytest_netbench.taskfile.load_task(...)"
        )
    return found


@pytest.fixture
def agent(request: pytest.FixtureRequest) -> Agent | InformedAgent:
    """The agent that ``--agent`` names. One whose code is a user's works in a process of its own."""
    choice = getattr(request.node, "agent_choice", None)
    chosen = run_of(request.config).agents if choice is None else (choice,)
    if not chosen:
        raise UsageError("the fixture 'agent' needs --agent=NAME")
    return request.config.stash[AGENTS].make(chosen[0])


@pytest.fixture
def stage(request: pytest.FixtureRequest, task: Task) -> Iterator[Stage]:
    """The stage of ``task``, prepared, healthy and settled; removed afterwards."""
    from pytest_netbench.plugin.trials.item_runner import drop_unproven, settings_of  # needs pydantic
    from pytest_netbench.trial import Stage

    with ExitStack() as stack:
        try:
            drop_unproven(request, task)
            prepared = stack.enter_context(Stage(task, settings_of(request)))
        except RequirementMissing as lack:
            pytest.skip(str(lack))
        request.node.stage = prepared
        yield prepared
        keeper = request.config.stash.get(KEEPER, None)
        if keeper is not None and keeper.keeps(request.node, prepared):
            stack.pop_all()


@pytest.fixture
def lab(stage: Stage) -> Lab | None:
    """The fresh running network of ``task``, destroyed afterwards; ``None`` if the task has no network."""
    return stage.lab


@pytest.fixture
def ani(request: pytest.FixtureRequest, task: Task, agent: Agent | InformedAgent, lab: Lab | None) -> Iterator[OpenAni]:
    """The agent's interface to ``lab``: four methods, or those of the task's family, under its budget and policy."""
    from pytest_netbench.lab.turn_access import turns_of
    from pytest_netbench.reporting.item import ssh_text
    from pytest_netbench.trial import open_ani, terms_for  # needs pydantic

    run = run_of(request.config)
    try:
        terms = request.node.terms = terms_for(
            task, agent.info, budget=run.budget, ssh=run.ssh, stands_still=turns_of(lab) is not None
        )
        prepared: Stage | None = getattr(request.node, "stage", None)
        opened = open_ani(lab, terms, methods=() if prepared is None else prepared.methods)
    except RequirementMissing as lack:
        pytest.skip(str(lack))
    if opened.ssh is not None:
        request.node.add_report_section("setup", "netbench ssh", ssh_text(opened.ssh))
    try:
        yield opened
    finally:
        opened.close()


@pytest.fixture
def trial(
    request: pytest.FixtureRequest, task: Task, agent: Agent | InformedAgent, lab: Lab | None, ani: OpenAni
) -> Trial:
    """The trial, run and scored: ``trial.record`` and ``trial.result``. The lab is still up."""
    from pytest_netbench.plugin.trials.item_runner import run  # needs pydantic

    return run(request, task=task, agent=agent, lab=lab, ani=ani)


@pytest.fixture
def netbench_selftest(request: pytest.FixtureRequest, task: Task) -> SelftestReport:
    """The self-test of ``task``, run."""
    from pytest_netbench.plugin.trials.item_runner import run_selftest  # needs pydantic

    return run_selftest(request, task)
